"""collapse_node: rows that only join two others become edges."""

from dataclasses import dataclass
from itertools import combinations
from typing import Literal

import numpy as np
from pydantic import Field, model_validator
from typing_extensions import override

from app.graph.checks.canonical import moved_nodes
from app.graph.marks.collapsed_row import CollapsedRowMark
from app.graph.model.node_table import NodeTable
from app.graph.model.property_graph import EdgeTable, PropertyGraph
from app.graph.model.rows import resolve_rows
from app.tables.dictionary import BoolArray, IntArray
from app.tables.schema import ForeignKey, TableSchema
from app.transform.selection import check_edge_type, nodes_by_id, table_named
from app.transform.strategies.operations.operation import Operation
from app.transform.strategy import refused, schema_of


class CollapseNode(Operation):
    """Turns one bridge row (`node_id`), or all bridge rows of a `table`, into edges that hold their data.

    A bridge row is one that nothing references, with exactly two foreign-key edges, to two different nodes, and no
    other edge. Rows of the table that are none stay nodes.

    >>> from app.transform.example import example_graph, outline
    >>> operation = CollapseNode(op="collapse_node", table="attends", edge_type="ATTENDS")
    >>> print(outline(operation.apply(example_graph())))
    student: 3 nodes with id, name, city, tags
    course: 2 nodes with id, title
    attends: 0 nodes with student_id, course_id, grade
    (attends)-[STUDENT]->(student): 0
    (attends)-[COURSE]->(course): 0
    (student)-[ATTENDS]->(course): 3 with student_id, course_id, grade
    """

    op: Literal["collapse_node"]
    edge_type: str = Field(min_length=1, max_length=200)
    node_id: str | None = None
    table: str | None = None

    @model_validator(mode="after")
    def _one_form(self) -> "CollapseNode":
        if (self.node_id is None) == (self.table is None):
            raise ValueError("give either node_id or table")
        return self

    @override
    def apply(self, graph: PropertyGraph) -> PropertyGraph:
        schema, chosen = self._chosen(graph)
        if any(key.ref_table == schema.name for key in schema_of(graph).foreign_keys):
            message = f"rows of {schema.name} are referenced by a foreign key."
            raise refused(self.op, "table_is_referenced", message, table=schema.name)
        bridges = _bridges(graph, schema)
        picked = bridges.eligible & chosen
        if not picked.any():
            reason, problem = bridges.problem(int(np.argmax(chosen)))
            raise refused(self.op, reason, f"{problem} in table {schema.name}.", table=schema.name)
        return self._collapsed(graph, schema, bridges, picked)

    @override
    def structure(self, graph: PropertyGraph) -> str:
        del graph
        return f"{self.op}|{'one' if self.table is None else 'table'}"

    def _chosen(self, graph: PropertyGraph) -> tuple[TableSchema, BoolArray]:
        """The table, and which of its nodes are asked for."""
        if self.node_id is None:
            schema = table_named(graph, self.table or "", self.op)
            nodes = graph.rows_of(schema.name)
            if nodes.count == 0:
                raise refused(self.op, "no_bridge_rows", f"table {schema.name} has no nodes.", table=schema.name)
            return schema, np.ones(nodes.count, np.bool_)
        ((label, offsets),) = nodes_by_id(graph, [self.node_id], self.op).items()
        nodes = graph.node_tables[label]
        if nodes.schema is None:
            raise refused(self.op, "not_a_row", f"{self.node_id} is not a source row.", id=self.node_id)
        chosen = np.zeros(nodes.count, np.bool_)
        chosen[offsets] = True
        return nodes.schema, chosen

    def _collapsed(
        self, graph: PropertyGraph, schema: TableSchema, bridges: "_Bridges", picked: BoolArray
    ) -> PropertyGraph:
        nodes, rows = graph.rows_of(schema.name), resolve_rows(graph, schema.name)
        added = []
        for first, second in combinations(bridges.parents, 2):
            mine = np.flatnonzero(picked & (bridges.parents[first] >= 0) & (bridges.parents[second] >= 0))
            if len(mine) == 0:
                continue
            at = nodes.rows[mine]
            columns = {name: column.take(at) for name, column in rows.columns.items()}
            mark = CollapsedRowMark(schema.name, first, second, at, columns)
            check_edge_type(graph, self.edge_type, mark, self.op)
            ends = [graph.rows_of(key.ref_table).label for key in (first, second)]
            places = [bridges.parents[key][mine] for key in (first, second)]
            added.append(EdgeTable(self.edge_type, ends[0], ends[1], places[0], places[1], mark))
        return _without(graph, nodes, picked).with_tables(edges=added)


def _without(graph: PropertyGraph, nodes: NodeTable, gone: BoolArray) -> PropertyGraph:
    """The graph without these nodes and their edges."""
    kept = np.flatnonzero(~gone)
    place = np.full(nodes.count, -1, np.int64)
    place[kept] = np.arange(len(kept))
    return moved_nodes(graph.with_tables([nodes.take(kept)]), nodes.label, place)


@dataclass(frozen=True, eq=False, slots=True)
class _Bridges:
    """For each node of a table where its foreign keys lead (node offsets, or -1), and why it is not a bridge row."""

    parents: dict[ForeignKey, IntArray]
    references: IntArray
    others: IntArray
    loops: BoolArray

    @property
    def eligible(self) -> BoolArray:
        return np.asarray((self.references == 2) & (self.others == 0) & ~self.loops)

    def problem(self, node: int) -> tuple[str, str]:
        if self.others[node]:
            return "has_other_edges", "a row with other edges cannot be one"
        if self.loops[node]:
            return "self_loop", "an edge may not lead from a node to itself"
        return "not_a_bridge", "there is no row with exactly two references"


def _bridges(graph: PropertyGraph, schema: TableSchema) -> _Bridges:
    nodes = graph.rows_of(schema.name)
    parents = {key: np.full(nodes.count, -1, np.int64) for key in schema.foreign_keys}
    others = np.zeros(nodes.count, np.int64)
    for edges in graph.edge_tables:
        key = edges.mark.reference
        if key is not None and key.table == schema.name:
            parents[key][edges.sources] = edges.targets
            for moved in edges.relocated:
                if moved.end == "target":
                    np.add.at(others, edges.sources[moved.edges], 1)
            continue
        for label, ends in ((edges.source_label, edges.sources), (edges.target_label, edges.targets)):
            if label == nodes.label:
                others += np.bincount(ends, minlength=nodes.count)
    references = np.zeros(nodes.count, np.int64)
    for found in parents.values():
        references += found >= 0
    return _Bridges(parents, references, others, _loops(parents, nodes.count))


def _loops(parents: dict[ForeignKey, IntArray], count: int) -> BoolArray:
    """Where two references lead to the same node."""
    loops = np.zeros(count, np.bool_)
    for first, second in combinations(parents, 2):
        if first.ref_table == second.ref_table:
            loops |= (parents[first] >= 0) & (parents[first] == parents[second])
    return loops
