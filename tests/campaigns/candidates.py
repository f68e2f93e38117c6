"""Random sequences of the shipped strategies, as tools with their arguments."""

from collections.abc import Iterator, Sequence
from random import Random
from typing import Any

from app.errors import GraphwrightError
from app.evolution.rules import propose
from app.graph.marks.foreign_key import ForeignKeyMark
from app.graph.model.property_graph import PropertyGraph
from app.tables.schema import ForeignKey, TableSchema
from app.transform.registry import strategy_named
from app.workload.bound import BoundPlan

Step = tuple[str, dict[str, Any]]

_LABELS = ("X", "Y", "Z")


def applied(graph: PropertyGraph, steps: Sequence[Step]) -> Iterator[PropertyGraph]:
    """The graph after each step that changes it; what a strategy refuses changes nothing."""
    for tool, arguments in steps:
        strategy = strategy_named(tool)
        try:
            after = strategy.apply(graph, strategy.parse(arguments))
        except GraphwrightError:
            continue
        if after is not graph:
            graph = after
            yield graph


def random_steps(random: Random, graph: PropertyGraph, plans: Sequence[BoundPlan]) -> list[Step]:
    """What the rules propose for these plans, what somebody might try, or a few entities and paths after each other."""
    proposals = propose(graph, plans, {plan.id: 1.0 for plan in plans}, 0.0)
    if proposals and random.random() < 0.4:
        proposal = random.choice(proposals)
        return [(proposal.tool, dict(proposal.arguments))]
    steps = [_step(random, graph) for _ in range(random.choice((1, 1, 2, 3, 5)))]
    return sorted(steps, key=lambda step: step[0] == "materialize_join" and random.random() < 0.8)


def _step(random: Random, graph: PropertyGraph) -> Step:
    schema = random.choice(graph.row_tables)
    column = random.choice(schema.column_names)
    tool = random.choice(
        (
            *["generate_entity_table", "materialize_join", "optimize_graph"] * 2,
            *("add_primary_key", "connect_columns", "unfold_multi_category"),
        )
    )
    if tool == "materialize_join":
        return tool, {"path": _path(random, graph)}
    if tool == "add_primary_key":
        return tool, {"table": schema.name, "columns": [column]}
    if tool == "connect_columns":
        other = random.choice(graph.row_tables)
        ref_columns = [random.choice(other.column_names)]
        return tool, {
            "table": schema.name, "columns": [column], "ref_table": other.name, "ref_columns": ref_columns
        }  # fmt: skip
    if tool == "optimize_graph":
        return tool, {"operations": [_operation(random, graph, schema, column)]}
    label = f"{schema.name} {column}" if random.random() < 0.8 else random.choice(_LABELS)
    return tool, {"table": schema.name, "column": column, "node_type": label}


def _path(random: Random, graph: PropertyGraph) -> list[dict[str, Any]]:
    """A connected path, as far as there is one."""
    keys = [key for schema in graph.row_tables for key in schema.foreign_keys]
    path: list[dict[str, Any]] = []
    at = None
    for _ in range(random.choice((2, 2, 3))):
        hops = [(key, forward) for key in keys for forward in (True, False) if at in (None, _ends(key, forward)[0])]
        if not hops:
            break
        key, forward = random.choice(hops)
        path.append({**key.to_dict(), "direction": "forward" if forward else "reverse"})
        at = _ends(key, forward)[1]
    return path


def _ends(key: ForeignKey, forward: bool) -> tuple[str, str]:
    return (key.table, key.ref_table) if forward else (key.ref_table, key.table)


def _operation(random: Random, graph: PropertyGraph, schema: TableSchema, column: str) -> dict[str, Any]:
    bridges = [table for table in graph.row_tables if len(table.foreign_keys) > 1]
    edge_types = [edges.type for edges in graph.edge_tables] or ["none"]
    others = [edges.type for edges in graph.edge_tables if not isinstance(edges.mark, ForeignKeyMark)]
    op = random.choice(
        ("collapse_node", "extract_property_node", "node_property_to_edge", "rename_type", "reverse_edges")
    )
    own: dict[str, Any] = {
        "collapse_node": {"table": random.choice(bridges or [schema]).name, "edge_type": random.choice(_LABELS)},
        "extract_property_node": {
            "table": schema.name,
            "property": column,
            "node_type": random.choice(_LABELS),
            "edge_type": random.choice(_LABELS),
            "remove_from_node": random.random() < 0.5,
        },
        "node_property_to_edge": {
            "table": schema.name,
            "property": column,
            "edge_type": random.choice(edge_types),
            "remove_from_node": random.random() < 0.5,
        },
        "rename_type": {"target": "node", "old_type": random.choice(list(graph.node_tables)), "new_type": "Renamed"},
        "reverse_edges": {"edge_type": random.choice(others or edge_types)},
    }
    return {"op": op, **own[op]}
