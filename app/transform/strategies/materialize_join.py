"""materialize_join: whole foreign-key paths of 2 or 3 hops become edges."""

from itertools import pairwise
from typing import Literal

from pydantic import Field
from typing_extensions import override

from app.budget import RowLimit
from app.errors import ForeignKeyInvalidError
from app.graph.checks.canonical import canonical
from app.graph.derivation.paths import PathStep, count_paths, enumerate_paths
from app.graph.marks.materialized_path import MaterializedPathMark
from app.graph.model.names import next_free
from app.graph.model.property_graph import EdgeTable, PropertyGraph
from app.graph.model.rows import row_locations
from app.tables.schema import ForeignKey
from app.transform.selection import check_edge_type
from app.transform.strategy import Arguments, Strategy, refused, schema_of

MAX_PATHS = 50_000_000
"""Paths that may be built at all; the growth limit of a build is far lower."""


class HopArguments(Arguments):
    """One hop along a declared foreign key."""

    table: str
    columns: tuple[str, ...]
    ref_table: str
    ref_columns: tuple[str, ...]
    direction: Literal["forward", "reverse"]


class MaterializeJoinArguments(Arguments):
    """`path` is 2 or 3 hops, each beginning where the one before it ends."""

    path: tuple[HopArguments, ...] = Field(min_length=2, max_length=3)
    edge_type: str | None = Field(default=None, min_length=1, max_length=200)


class MaterializeJoin(Strategy[MaterializeJoinArguments]):
    """Adds an edge for each path, with its inner nodes and multiplicity.

    >>> from app.transform.example import example_graph, outline
    >>> key = {"table": "attends", "ref_columns": ["id"]}
    >>> arguments = MaterializeJoin().parse({"path": [
    ...     {**key, "columns": ["student_id"], "ref_table": "student", "direction": "reverse"},
    ...     {**key, "columns": ["course_id"], "ref_table": "course", "direction": "forward"},
    ... ]})
    >>> print(outline(MaterializeJoin().apply(example_graph(), arguments)).splitlines()[-1])
    (student)-[STUDENT_COURSE_PATH]->(course): 3
    """

    name = "materialize_join"
    keeps_paths = True
    arguments = MaterializeJoinArguments

    def added_size(self, graph: PropertyGraph, arguments: MaterializeJoinArguments) -> int:
        """One edge a path."""
        path = declared_path(graph, arguments)
        return 0 if graph.paths(path) else count_paths(graph, path)

    def apply(self, graph: PropertyGraph, arguments: MaterializeJoinArguments) -> PropertyGraph:
        """The graph with the path's edges; the same graph if they are there already, or if there is no path."""
        path = declared_path(graph, arguments)
        for step in path:
            if not row_locations(graph, step.foreign_key.table).is_plain:
                table = step.foreign_key.table
                raise refused(self.name, "rows_are_edges", f"rows of table {table} are edges already.", table=table)
        if graph.paths(path):
            return graph
        sources, *inner, targets = enumerate_paths(graph, path, RowLimit(MAX_PATHS))
        if len(sources) == 0:
            return graph
        edges = EdgeTable(
            arguments.edge_type or _default_type(graph, path),
            graph.rows_of(path[0].source_table).label,
            graph.rows_of(path[-1].target_table).label,
            sources,
            targets,
            MaterializedPathMark(path, tuple(inner)),
        )
        check_edge_type(graph, edges.type, edges.mark, self.name)
        return canonical(graph.with_tables(edges=[edges]))

    @override
    def signature(self, graph: PropertyGraph, arguments: MaterializeJoinArguments) -> str | None:
        path = declared_path(graph, arguments)
        start = max(row_locations(graph, path[0].source_table).count, 1)
        width = "many" if count_paths(graph, path) > 2 * start else "few"
        return f"{self.name}|{'|'.join('forward' if step.forward else 'reverse' for step in path)}|{width} paths"


def declared_path(graph: PropertyGraph, arguments: MaterializeJoinArguments) -> tuple[PathStep, ...]:
    """The path with its declared foreign keys; `TransformError` if it is not one connected path of them."""
    schema = schema_of(graph)
    try:
        path = tuple(PathStep(schema.foreign_key(_key(step)), step.direction == "forward") for step in arguments.path)
    except ForeignKeyInvalidError as error:
        raise refused("materialize_join", "foreign_key_unknown", error.message, hint=error.hint) from error
    for before, after in pairwise(path):
        if before.target_table != after.source_table:
            message = f"a hop ends at {before.target_table}, the next begins at {after.source_table}."
            raise refused("materialize_join", "path_not_connected", message)
    return path


def _key(step: HopArguments) -> ForeignKey:
    return ForeignKey(step.table, step.columns, step.ref_table, step.ref_columns)


def _default_type(graph: PropertyGraph, path: tuple[PathStep, ...]) -> str:
    name = "_".join(graph.foreign_key_edges(step.foreign_key).type for step in path)
    return next_free(f"{name}_PATH", {edges.type for edges in graph.edge_tables})
