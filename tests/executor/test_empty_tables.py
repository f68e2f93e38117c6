"""Chains of three hops in every direction in which any of the tables is empty, under every kind of join and output."""

from itertools import product
from random import Random
from typing import Any

import pytest

from app.graph.derivation.paths import PathStep
from tests.executor.support import Source, with_entities, with_path

TABLES = "abcd"
FUNCTIONS = (("count", "t"), ("sum", "n"), ("avg", "n"), ("min", "t"), ("max", "id"))
Directions = tuple[bool, bool, bool]
"""For each hop whether it runs forward, from the table that holds the reference."""


def chained(directions: Directions, empty: tuple[bool, ...], rows: int) -> Source:
    """Tables of columns id, n, t, `on` (to the next table) and `back` (to the one before)."""
    statements = []
    for number, name in enumerate(TABLES):
        onward = f" REFERENCES {TABLES[number + 1]}(id)" if number < 3 and directions[number] else ""
        back = f" REFERENCES {TABLES[number - 1]}(id)" if number and not directions[number - 1] else ""
        columns = f'id INTEGER PRIMARY KEY, n REAL, t TEXT, "on" INTEGER{onward}, back INTEGER{back}'
        statements.append(f"CREATE TABLE {name} ({columns})")
        if not empty[number]:
            cells = [
                (k, "NULL" if k % 5 == 2 else k % 3 + 0.5, "'xy'" if k % 2 else "NULL") for k in range(1, rows + 1)
            ]
            values = ", ".join(f"({k}, {n}, {t}, {1 + k % 4}, {1 + k % 5})" for k, n, t in cells)
            statements.append(f"INSERT INTO {name} VALUES {values}")
    return Source.of(";\n".join(statements))


def key(hop: int, forward: bool) -> dict[str, Any]:
    child, parent = (TABLES[hop], TABLES[hop + 1]) if forward else (TABLES[hop + 1], TABLES[hop])
    return {"table": child, "columns": ["on" if forward else "back"], "ref_table": parent, "ref_columns": ["id"]}


def plans(random: Random, directions: Directions) -> dict[str, Any]:
    joins = [
        {
            "from": f"t{hop}",
            "table": TABLES[hop + 1],
            "alias": f"t{hop + 1}",
            "foreign_key": key(hop, forward),
            "direction": "forward" if forward else "reverse",
            "type": random.choice(("inner", "left")),
        }
        for hop, forward in enumerate(directions)
    ]
    filters = [
        {"column": f"t{random.randrange(4)}.{column}", "op": op, **({} if value is None else {"value": value})}
        for column, op, value in random.sample(
            [("id", "eq", 1), ("t", "is_null", None), ("n", "not_null", None), ("t", "contains", "x"), ("n", "lt", 1)],
            random.choice((0, 0, 1, 2)),
        )
    ]
    return {"root": {"table": "a", "alias": "t0"}, "joins": joins, "filters": filters, **outputs(random)}


def outputs(random: Random) -> dict[str, Any]:
    column = f"t{random.randrange(4)}.{random.choice(('id', 'n', 't'))}"
    aggregations = [
        {"function": function, "column": f"t{alias}.{name}", "as": f"{function}{alias}"}
        for function, name in FUNCTIONS
        for alias in range(4)
    ]
    count = {"function": "count", "column": "*", "as": "n"}
    order = [{"column": "t3.t", "direction": "desc"}, {"column": "t0.id"}]
    return random.choice(
        [
            {"projection": [column, {"column": "t3.n", "as": "last"}]},
            {"projection": ["t0.id", "t3.t"], "order_by": order, "limit": 3},
            {"aggregations": [count]},
            {"aggregations": aggregations},
            {"projection": [column], "group_by": [column], "aggregations": [count, *aggregations]},
        ]
    )


@pytest.mark.parametrize("directions", list(product((True, False), repeat=3)))
def test_empty_tables_anywhere_in_a_chain(directions: Directions) -> None:
    random = Random(str(directions))
    for empty in product((True, False), repeat=4):
        source = chained(directions, empty, random.choice((1, 4, 40)))
        keys = {(known.table, known.ref_table): known for known in source.tables.schema.foreign_keys}
        steps = tuple(
            PathStep(keys[(TABLES[hop + (not forward)], TABLES[hop + forward])], forward)
            for hop, forward in enumerate(directions)
        )
        with_values = with_entities(with_entities(source.graph, "a", "t"), "d", "t")
        graphs = [source.graph, with_values, with_path(with_values, steps)]
        for _ in range(6):
            asked = plans(random, directions)
            for graph in graphs:
                source.rows(asked, graph)
