"""Edges of a document by type and mark, as they arrive, and the edge tables that they make."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any, cast

import numpy as np

from app.errors import GraphInvalidError
from app.graph.document.schema import foreign_key_from_document
from app.graph.model.marks import (
    CollapsedRowMark,
    ColumnJoinMark,
    EdgeMark,
    End,
    ExtractedAttributeMark,
    ForeignKeyMark,
    MaterializedPathMark,
    PathStep,
    RelocatedAttribute,
    UnfoldedCategoryMark,
)
from app.graph.model.property_graph import EdgeTable, NodeTable
from app.tables.column import Column, column_of
from app.tables.dictionary import IntArray
from app.values import canonical_json, is_finite_scalar

_EACH = ("node_ids", "position", "row_index", "data", "relocated_attributes")
"""Properties that differ from edge to edge; all others tell one edge table from another."""

_MOST_ROWS = 1 << 40
"""No table has more rows, and no cell more parts."""

Places = Mapping[str, tuple[str, int]]
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

    def by_node_types(self, places: Places) -> Iterator["EdgeGroup"]:
        """The group in parts, each between two node types."""
        parts: dict[tuple[str, str], EdgeGroup] = {}
        for id_, source, target, each in zip(self.ids, self.sources, self.targets, self.each, strict=True):
            labels = (_place(source, places)[0], _place(target, places)[0])
            part = parts.setdefault(labels, EdgeGroup(self.type, self.shared))
            part.add({"id": id_, "source": source, "target": target}, each)
        return iter(parts.values())


def text_of(value: Any) -> str:
    """A member that must be text; `TypeError` where it is not."""
    if not isinstance(value, str):
        raise TypeError(f"{value!r} is no text")
    return value


def add_edge(groups: dict[str, EdgeGroup], edge: Any) -> None:
    """Put an edge of the document into its group; `GraphInvalidError` where it is malformed."""
    try:
        properties = dict(edge["properties"])
        each = {name: properties.pop(name) for name in _EACH if name in properties}
        key = canonical_json([edge["type"], properties])
        groups.setdefault(key, EdgeGroup(text_of(edge["type"]), properties)).add(edge, each)
    except (KeyError, TypeError, ValueError) as error:
        raise GraphInvalidError(f"An edge is malformed: {error!r}.") from error


def edge_table(group: EdgeGroup, nodes: Mapping[str, NodeTable], places: Places) -> EdgeTable:
    """The edge table of a group between two node types, in order of arrival."""
    (source_label, sources), (target_label, targets) = _ends(group.sources, places), _ends(group.targets, places)
    try:
        mark = _mark(group, nodes, places)
        moved = _relocated(group, {"source": nodes[source_label], "target": nodes[target_label]})
    except (KeyError, TypeError, ValueError, AttributeError) as error:
        raise GraphInvalidError(f"An edge's properties are malformed: {error!r}.") from error
    return EdgeTable(group.type, source_label, target_label, sources, targets, mark, moved)


def _place(id_: str, places: Places) -> tuple[str, int]:
    place = places.get(id_)
    if place is None:
        raise GraphInvalidError(f"An edge ends at node {id_}, which does not exist.")
    return place


def _ends(ids: list[str], places: Places) -> tuple[str, IntArray]:
    found = [_place(id_, places) for id_ in ids]
    return found[0][0], np.fromiter((offset for _, offset in found), np.int64, len(found))


def _mark(group: EdgeGroup, nodes: Mapping[str, NodeTable], places: Places) -> EdgeMark:
    shared = group.shared
    if "foreign_key" in shared:
        return ForeignKeyMark(foreign_key_from_document(shared["foreign_key"]))
    if "extracted_attribute" in shared:
        attribute = shared["extracted_attribute"]
        return ExtractedAttributeMark(text_of(attribute["table"]), text_of(attribute["column"]))
    if "column_join" in shared:
        join = shared["column_join"]
        return ColumnJoinMark(foreign_key_from_document(join), join.get("direction") == "reverse")
    if "unfolded_category" in shared:
        category = shared["unfolded_category"]
        positions = _integers(group, "position")
        return UnfoldedCategoryMark(
            text_of(category["table"]), text_of(category["column"]), text_of(category["delimiter"]), positions
        )
    if "row_endpoints" in shared:
        return _row_mark(group, nodes)
    return _path_mark(group, nodes, places)


def _path_mark(group: EdgeGroup, nodes: Mapping[str, NodeTable], places: Places) -> MaterializedPathMark:
    path = tuple(_step(step) for step in group.shared["path"])
    stops = zip(*(each["node_ids"] for each in group.each), strict=True)
    inner = [_ends(list(map(text_of, ids)), places) for ids in stops]
    held = [nodes[label].schema for label, _ in inner]
    if [schema and schema.name for schema in held] != [step.target_table for step in path[:-1]]:
        raise ValueError("node_ids are not the rows that the path runs through")
    return MaterializedPathMark(path, tuple(offsets for _, offsets in inner))


def _step(document: Mapping[str, Any]) -> PathStep:
    return PathStep(foreign_key_from_document(document), document["direction"] == "forward")


def _integers(group: EdgeGroup, name: str) -> IntArray:
    values = [each[name] for each in group.each]
    if not all(type(value) is int and 0 <= value < _MOST_ROWS for value in values):
        raise ValueError(f"{name} is no place")
    return np.array(values, np.int64)


def _row_mark(group: EdgeGroup, nodes: Mapping[str, NodeTable]) -> CollapsedRowMark:
    table, ends = group.shared["table"], group.shared["row_endpoints"]
    schemas = {part.schema.name: part.schema for part in nodes.values() if part.schema is not None}
    names = schemas[table].column_names
    if any(each["data"].keys() != set(names) for each in group.each):
        raise GraphInvalidError(
            f"An edge that is a row of table {table} has other fields than its schema.", table=table
        )
    return CollapsedRowMark(
        table,
        foreign_key_from_document(ends["source"]),
        foreign_key_from_document(ends["target"]),
        _integers(group, "row_index"),
        {name: _cells([each["data"][name] for each in group.each], name) for name in names},
    )


def _cells(values: list[Any], name: str) -> Column:
    if not all(map(is_finite_scalar, values)):
        raise GraphInvalidError(f"Field {name} of an edge is not a finite scalar.", column=name)
    return column_of(values)


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
        raise GraphInvalidError(f"An edge holds a field {column} of a node that is no row.", column=column)
    edges = np.array([edge for edge, _ in cells], np.int64)
    return RelocatedAttribute(
        schema.name, column, cast(End, end), name, edges, _cells([value for _, value in cells], column)
    )
