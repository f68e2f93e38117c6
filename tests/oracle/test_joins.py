"""A join in SQL finds exactly the parent that key matching finds, with or without indexes of the oracle's own."""

import math

from hypothesis import assume, given

from app.graph.g0 import match_references
from app.oracle.sqlite_oracle import SqliteOracle
from app.tables.schema import ForeignKey, RelationalSchema
from app.workload.binding.bind import bind_plan
from app.workload.binding.parsing import parse_plan
from app.workload.bound import BoundPlan
from tests.support.random_source import RandomSource, random_sources
from tests.support.sql_tables import SqlTables, sql_tables

KINDS = [("forward", "inner"), ("forward", "left"), ("reverse", "inner"), ("reverse", "left")]


def loaded(source: RandomSource) -> SqlTables:
    """The source read back; one that stores an infinity is not a source."""
    read = sql_tables(source.script)
    cells = (cell for table in read.tables.values() for column in table.columns.values() for cell in column.to_list())
    assume(all(not isinstance(cell, float) or math.isfinite(cell) for cell in cells))
    return read


def count_plan(schema: RelationalSchema, key: ForeignKey, direction: str, kind: str) -> BoundPlan:
    """How many rows a join over `key` has, and how many of them are matched."""
    root, other = (key.table, key.ref_table) if direction == "forward" else (key.ref_table, key.table)
    target = (key.ref_columns if direction == "forward" else key.columns)[0]
    join = {
        "from": "t0",
        "table": other,
        "alias": "t1",
        "foreign_key": key.to_dict(),
        "direction": direction,
        "type": kind,
    }
    counts = [{"function": "count", "column": name, "as": name} for name in ("*", f"t1.{target}")]
    root_part = {"table": root, "alias": "t0"}
    return bind_plan(
        parse_plan({"id": "q", "question": "?", "root": root_part, "joins": [join], "aggregations": counts}), schema
    )


@given(source=random_sources(max_tables=3))
def test_joins_count_what_key_matching_finds(source: RandomSource) -> None:
    read = loaded(source)
    with SqliteOracle.over_image(read.image) as oracle:
        for key, pointers in match_references(read.schema, read.tables).pointers.items():
            matched = int((pointers >= 0).sum())
            parents = read.tables[key.ref_table].row_count
            childless = parents - len(set(pointers[pointers >= 0].tolist()))
            expected = {"forward": len(pointers), "reverse": matched + childless}
            for direction, kind in KINDS:
                rows = oracle.answers(count_plan(read.schema, key, direction, kind)).rows
                assert rows == [(matched if kind == "inner" else expected[direction], matched)], (key.label, kind)
