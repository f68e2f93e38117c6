"""Edges of a document by type and mark, as they arrive, and the edge tables that they make."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, cast

import numpy as np

from app.errors import GraphInvalidError
from app.errors.wording import fault_of
from app.graph.marks.catalogue import MARKS
from app.graph.model.edge_documents import EdgeDocuments, cells_of, text_of
from app.graph.model.node_table import NodeTable
from app.graph.model.property_graph import EdgeMark, EdgeTable
from app.graph.model.row_edges import End, RelocatedAttribute
from app.tables.dictionary import IntArray
from app.values import canonical_json

_EACH = ("node_ids", "position", "row_index", "data", "relocated_attributes")
"""Properties that differ from edge to edge; all others tell one edge table from another."""

NodesById = Mapping[str, tuple[str, int]]
"""For each node id its type and its offset there."""


@dataclass
class EdgeGroup:
    """Edges of one type with the same shared properties, by node id; `each` has the other properties of each edge."""

    type: str
    shared: Mapping[str, Any]
    ids: list[str] = field(default_factory=list)
    sources: list[str] = field(default_factory=list)
    targets: list[str] = field(default_factory=list)
    each: list[Mapping[str, Any]] = field(default_factory=list)

    def add(self, edge: Mapping[str, Any], each: Mapping[str, Any]) -> None:
        """One more edge."""
        self.ids.append(text_of(edge["id"]))
        self.sources.append(text_of(edge["source"]))
        self.targets.append(text_of(edge["target"]))
        self.each.append(each)

    def by_node_types(self, nodes_by_id: NodesById) -> Iterator["EdgeGroup"]:
        """The group in parts, each between two node types."""
        parts: dict[tuple[str, str], EdgeGroup] = {}
        for id_, source, target, each in zip(self.ids, self.sources, self.targets, self.each, strict=True):
            labels = (_place(source, nodes_by_id)[0], _place(target, nodes_by_id)[0])
            part = parts.setdefault(labels, EdgeGroup(self.type, self.shared))
            part.add({"id": id_, "source": source, "target": target}, each)
        return iter(parts.values())


def add_edge(groups: dict[str, EdgeGroup], edge: Any) -> None:
    """Put an edge of the document into its group; `GraphInvalidError` if it is malformed."""
    try:
        properties = dict(edge["properties"])
        each = {name: properties.pop(name) for name in _EACH if name in properties}
        key = canonical_json([edge["type"], properties])
        groups.setdefault(key, EdgeGroup(text_of(edge["type"]), properties)).add(edge, each)
    except (KeyError, TypeError, ValueError) as error:
        raise GraphInvalidError(f"An edge is malformed: {fault_of(error)}.") from error


def edge_table(group: EdgeGroup, nodes: Mapping[str, NodeTable], nodes_by_id: NodesById) -> EdgeTable:
    """The edge table of a group between two node types, in order of arrival."""
    (source_label, sources), (target_label, targets) = (
        _ends(group.sources, nodes_by_id),
        _ends(group.targets, nodes_by_id),
    )
    try:
        mark = _mark(group, nodes, nodes_by_id)
        moved = _relocated(group, {"source": nodes[source_label], "target": nodes[target_label]})
    except (KeyError, TypeError, ValueError, AttributeError) as error:
        raise GraphInvalidError(f"An edge's properties are malformed: {fault_of(error)}.") from error
    return EdgeTable(group.type, source_label, target_label, sources, targets, mark, moved)


def _place(id_: str, nodes_by_id: NodesById) -> tuple[str, int]:
    place = nodes_by_id.get(id_)
    if place is None:
        raise GraphInvalidError(f"An edge ends at node {id_}, which does not exist.")
    return place


def _ends(ids: Sequence[str], nodes_by_id: NodesById) -> tuple[str, IntArray]:
    found = [_place(id_, nodes_by_id) for id_ in ids]
    return found[0][0], np.fromiter((offset for _, offset in found), np.int64, len(found))


def _mark(group: EdgeGroup, nodes: Mapping[str, NodeTable], nodes_by_id: NodesById) -> EdgeMark:
    (mark,) = [mark for member, mark in MARKS.items() if member in group.shared]
    return mark.from_document(EdgeDocuments(group.shared, group.each, nodes, lambda ids: _ends(ids, nodes_by_id)))


def _relocated(group: EdgeGroup, nodes: Mapping[str, NodeTable]) -> tuple[RelocatedAttribute, ...]:
    """The fields that edges hold, by end, column and the edge's name for it."""
    found: dict[tuple[str, str, str], list[tuple[int, Any]]] = {}
    for edge, each in enumerate(each.get("relocated_attributes", ()) for each in group.each):
        for entry in each:
            end = group.sources if entry["end"] == "source" else group.targets
            if entry["row_id"] != end[edge]:
                raise GraphInvalidError(
                    f"Edge {group.ids[edge]} holds a field of row {entry['row_id']}, not of its end."
                )
            key = (str(entry["end"]), str(entry["column"]), str(entry["property"]))
            found.setdefault(key, []).append((edge, entry["value"]))
    return tuple(_field(key, cells, nodes) for key, cells in sorted(found.items()))


def _field(
    key: tuple[str, str, str], cells: list[tuple[int, Any]], nodes: Mapping[str, NodeTable]
) -> RelocatedAttribute:
    end, column, name = key
    schema = nodes[end].schema
    if schema is None:
        raise GraphInvalidError(f"An edge holds a field {column} of a node that is not a row.", column=column)
    edges = np.array([edge for edge, _ in cells], np.int64)
    return RelocatedAttribute(
        schema.name, column, cast(End, end), name, edges, cells_of([value for _, value in cells], column)
    )
