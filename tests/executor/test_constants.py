"""Constants of every kind against columns of every affinity and collation, compared with SQLite itself."""

from itertools import product
from typing import Any

import pytest

from app.workload.fingerprint import semantic_fingerprint
from tests.executor.support import Source

CELLS: list[Any] = [
    None, 0, 1, -1, 2**53 + 1, 2**63 - 1, -(2**63), 0.0, -0.0, 0.5, 1.0, 1e15, 1e16, 1e-5, -1.5e300, 9007199254740992.0,
    123456789.125, "", "a", "A", "a ", "1", "01", "1.0", "1e1", "0.0", "x1e5",
]  # fmt: skip
CONSTANTS: list[Any] = [
    *CELLS[1:], "1e400", "-1e400", "9e999", "1e-400", " 1 ", "1_0", "0x1F", "9223372036854775808",
    "-9223372036854775809", "9007199254740993", "inf", "Infinity",
    "nan", True, False, 1e308, "ä", "1 x", "+1", ".5", "5.", "-0", "1e", "\x00",
]  # fmt: skip
KINDS = {"number": (int, float), "text": (str,), "whole": (int,), "real": (float,), "any": (int, float, str)}
COLUMNS = [
    ("INTEGER", "whole"), ("INTEGER", "any"), ("REAL", "number"), ("NUMERIC", "number"), ("NUMERIC", "any"),
    ("TEXT", "any"), ("TEXT COLLATE NOCASE", "text"), ("TEXT COLLATE RTRIM", "text"),
    ("", "whole"), ("", "real"), ("", "text"), ("", "any"),
]  # fmt: skip
PARTS = ["", "0", ".", ".0", "0.0", "-", "-0", "e+", "e+15", "1e", "e-05", "1.0e", "15.0", "9.2", "a", "A", " "]


def literal(value: Any) -> str:
    return "NULL" if value is None else repr(value)


@pytest.fixture(scope="module", params=COLUMNS, ids=lambda column: "-".join(column).replace(" ", "_"))
def source(request: pytest.FixtureRequest) -> Source:
    declared, kind = request.param
    cells = [value for value in CELLS if value is None or isinstance(value, KINDS[kind])]
    rows = ", ".join(f"({number}, {literal(value)})" for number, value in enumerate(cells))
    return Source.of(f"CREATE TABLE t (id INTEGER PRIMARY KEY, c {declared}); INSERT INTO t VALUES {rows}")


def asked(op: str, value: Any) -> dict[str, Any]:
    return {"root": {"table": "t"}, "filters": [{"column": "t0.c", "op": op, "value": value}], "projection": ["t0.id"]}


def test_each_comparison_with_each_constant(source: Source) -> None:
    is_text = source.tables.schema.table("t").column("c").affinity == "text"
    constants = [value for value in CONSTANTS if not (is_text and isinstance(value, float))]
    for op, value in product(("eq", "ne", "lt", "le", "gt", "ge"), constants):
        source.rows(asked(op, value))
    for value in constants:
        source.rows(asked("in", [value, "1e400", 1]))
        semantic_fingerprint(source.bind(asked("eq", value)))


def test_contains_reads_numbers_as_sqlite_writes_them(source: Source) -> None:
    for part in PARTS:
        source.rows(asked("contains", part))
