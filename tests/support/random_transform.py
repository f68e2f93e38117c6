"""Random transformations of a graph: arguments that mostly fit it, singly by id or by whole types."""

from collections.abc import Sequence
from typing import Any

from hypothesis import strategies as st

from app.graph.marks.foreign_key import ForeignKeyMark
from app.graph.model.identity import EDGE_PREFIX, edge_digests, hex_ids, node_digests, node_prefix
from app.graph.model.property_graph import PropertyGraph
from app.tables.schema import ForeignKey, TableSchema

NAMES = ("X", "Y", "select", "a.b`c", "Größe 2")

OPERATIONS = (
    "collapse_node",
    "collapse_node",
    "extract_property_node",
    "extract_property_node",
    "node_property_to_edge",
    "node_property_to_edge",
    "reverse_edges",
    "rename_type",
    "delete",
)
TOOLS = (
    "connect_columns",
    "materialize_join",
    "generate_entity_table",
    "unfold_multi_category",
    "add_primary_key",
    "remove_primary_key",
    *(["optimize_graph"] * 6),
    "transform_batch",
)


def node_ids(graph: PropertyGraph, label: str) -> list[str]:
    nodes = graph.node_tables[label]
    return hex_ids(node_prefix(nodes), node_digests(nodes))


def edge_ids(graph: PropertyGraph) -> dict[str, list[str]]:
    """The ids of all edges by type."""
    nodes = {label: node_digests(table) for label, table in graph.node_tables.items()}
    found: dict[str, list[str]] = {}
    for edges in graph.edge_tables:
        found.setdefault(edges.type, []).extend(hex_ids(EDGE_PREFIX, edge_digests(edges, graph, nodes)))
    return {type_: ids for type_, ids in found.items() if ids}


@st.composite
def random_transformations(
    draw: st.DrawFn, graph: PropertyGraph, *, single: bool = False
) -> tuple[str, dict[str, Any]]:
    """A tool and its arguments; not all fit the graph."""
    tool = draw(st.sampled_from([name for name in TOOLS if not (single and name == "transform_batch")]))
    return tool, _arguments(draw, graph, tool)


def _arguments(draw: st.DrawFn, graph: PropertyGraph, tool: str) -> dict[str, Any]:
    if tool == "transform_batch":
        steps = [draw(random_transformations(graph, single=True)) for _ in range(draw(st.integers(1, 3)))]
        steps.sort(key=lambda step: step[0] == "materialize_join")
        return {"steps": [{"tool": name, "arguments": arguments} for name, arguments in steps]}
    if tool == "optimize_graph":
        count = draw(st.sampled_from([1, 1, 1, 2]))
        return {"operations": [_operation(draw, graph, draw(st.sampled_from(OPERATIONS))) for _ in range(count)]}
    if tool == "materialize_join":
        return {"path": _path(draw, graph)}
    return _of_a_table(draw, graph, tool)


def _of_a_table(draw: st.DrawFn, graph: PropertyGraph, tool: str) -> dict[str, Any]:
    keyed = [nodes.schema for nodes in graph.node_tables.values() if nodes.schema and nodes.identity_key]
    schema = draw(st.sampled_from(keyed if keyed and tool == "remove_primary_key" else graph.row_tables))
    columns = st.sampled_from(schema.column_names)
    if tool == "connect_columns":
        return _join(draw, graph, schema)
    if tool in ("generate_entity_table", "unfold_multi_category"):
        own: dict[str, Any] = {"table": schema.name, "column": draw(columns), "node_type": draw(st.sampled_from(NAMES))}
        return own | ({"delimiter": draw(st.sampled_from([",", " ", "a"]))} if tool.startswith("unfold") else {})
    if tool == "add_primary_key":
        return {"table": schema.name, "columns": draw(st.lists(columns, min_size=1, max_size=2))}
    return {"table": schema.name}


def _join(draw: st.DrawFn, graph: PropertyGraph, schema: TableSchema) -> dict[str, Any]:
    other = draw(st.sampled_from(graph.row_tables))
    return {
        "table": schema.name,
        "columns": [draw(st.sampled_from(schema.column_names))],
        "ref_table": other.name,
        "ref_columns": [draw(st.sampled_from(other.column_names))],
    }


def _path(draw: st.DrawFn, graph: PropertyGraph) -> list[dict[str, Any]]:
    """A connected path, as far as there is one."""
    keys = [key for schema in graph.row_tables for key in schema.foreign_keys]
    path: list[dict[str, Any]] = []
    at = None
    for _ in range(draw(st.integers(2, 3))):
        hops = [(key, forward) for key in keys for forward in (True, False) if at in (None, _ends(key, forward)[0])]
        if not hops:
            break
        key, forward = draw(st.sampled_from(hops))
        path.append({**key.to_dict(), "direction": "forward" if forward else "reverse"})
        at = _ends(key, forward)[1]
    return path


def _ends(key: ForeignKey, forward: bool) -> tuple[str, str]:
    return (key.table, key.ref_table) if forward else (key.ref_table, key.table)


def _operation(draw: st.DrawFn, graph: PropertyGraph, op: str) -> dict[str, Any]:
    bridges = [schema for schema in graph.row_tables if len(schema.foreign_keys) > 1]
    wanted = bridges if op == "collapse_node" and bridges else graph.row_tables
    schema = draw(st.sampled_from(wanted))
    column = draw(st.sampled_from([*schema.column_names, *set(schema.column_names).difference(schema.primary_key)]))
    edge_types = sorted({edges.type for edges in graph.edge_tables}) or ["none"]
    if op == "collapse_node":
        return {"op": op, "edge_type": draw(st.sampled_from(NAMES)), **_rows(draw, graph, schema, "node_id")}
    if op == "extract_property_node":
        names = {name: draw(st.sampled_from(NAMES)) for name in ("node_type", "edge_type")}
        own = {"op": op, "property": column, "remove_from_node": draw(st.booleans())}
        return {**own, **names, **_rows(draw, graph, schema, "node_ids")}
    if op == "node_property_to_edge":
        return {"op": op, "property": column, "remove_from_node": draw(st.booleans())} | _moved(draw, graph, schema)
    if op == "rename_type":
        target = draw(st.sampled_from(["node", "edge"]))
        old = draw(st.sampled_from(list(graph.node_tables) if target == "node" else edge_types))
        return {"op": op, "target": target, "old_type": old, "new_type": draw(st.sampled_from(NAMES))}
    if op == "reverse_edges":
        return {"op": op, **_edges(draw, graph, "edge_ids", "edge_type")}
    return {"op": op, **_deleted(draw, graph, column)}


def _rows(draw: st.DrawFn, graph: PropertyGraph, schema: TableSchema, field: str) -> dict[str, Any]:
    ids = node_ids(graph, graph.rows_of(schema.name).label)
    if not ids or draw(st.booleans()):
        return {"table": schema.name}
    if field == "node_id":
        return {field: draw(st.sampled_from(ids))}
    return {field: draw(st.lists(st.sampled_from(ids), min_size=1, max_size=3))}


def _edges(draw: st.DrawFn, graph: PropertyGraph, ids_field: str, type_field: str) -> dict[str, Any]:
    declared = {edges.type for edges in graph.edge_tables if isinstance(edges.mark, ForeignKeyMark)}
    by_type = edge_ids(graph)
    if not declared.issuperset(by_type) and draw(st.integers(0, 4)):
        by_type = {type_: ids for type_, ids in by_type.items() if type_ not in declared}
    type_ = draw(st.sampled_from(sorted(by_type))) if by_type else "none"
    if not by_type or draw(st.booleans()):
        return {type_field: type_}
    return {ids_field: draw(st.lists(st.sampled_from(by_type[type_]), min_size=1, max_size=3))}


def _moved(draw: st.DrawFn, graph: PropertyGraph, schema: TableSchema) -> dict[str, Any]:
    target = {"target_property": "moved"} if draw(st.booleans()) else {}
    label = graph.rows_of(schema.name).label
    at_rows = [edges for edges in graph.edge_tables if label in (edges.source_label, edges.target_label) and len(edges)]
    if not at_rows or draw(st.booleans()):
        types: Sequence[str] = [edges.type for edges in at_rows] or ["none"]
        return {"table": schema.name, "edge_type": draw(st.sampled_from(types)), **target}
    edges = draw(st.sampled_from(at_rows))
    number = draw(st.integers(0, len(edges) - 1))
    ends = edges.sources if edges.source_label == label else edges.targets
    nodes = {name: node_digests(table) for name, table in graph.node_tables.items()}
    id_ = hex_ids(EDGE_PREFIX, edge_digests(edges, graph, nodes))[number]
    return {"node_id": node_ids(graph, label)[ends[number]], "edge_ids": [id_], **target}


def _deleted(draw: st.DrawFn, graph: PropertyGraph, column: str) -> dict[str, Any]:
    field = {"property": draw(st.sampled_from([column, "moved"]))} if draw(st.booleans()) else {}
    if draw(st.booleans()):
        return {"target": "edge", **_edges(draw, graph, "ids", "type"), **field}
    entities = [label for label, nodes in graph.node_tables.items() if not nodes.is_rows]
    label = draw(st.sampled_from(entities if entities and not field else list(graph.node_tables)))
    ids = node_ids(graph, label)
    whole = not ids or draw(st.booleans())
    chosen: dict[str, Any] = {"type": label} if whole else {"ids": [draw(st.sampled_from(ids))]}
    return {"target": "node", "cascade": draw(st.booleans()), **chosen, **field}
