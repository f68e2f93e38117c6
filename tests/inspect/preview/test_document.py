"""The JSON of a preview: meanings with their origins, and the limits of what is sent."""

import json
from typing import Any

import pytest

from app.inspect.preview.document import to_document
from app.inspect.preview.limits import COLUMNS, RESPONSE_BYTES, TABLES, WARNINGS
from app.inspect.preview.meaning import meanings_of
from app.inspect.preview.model import (
    Cell,
    PreviewColumn,
    PreviewKind,
    PreviewTable,
    PreviewWarning,
    Reference,
    SourcePreview,
    shown_cell,
)


def of(*tables: PreviewTable) -> SourcePreview:
    return SourcePreview(PreviewKind.SQL_TEXT, ("s.sql",), 10, tables)


def size(document: object) -> int:
    return len(json.dumps(document, ensure_ascii=False).encode())


@pytest.mark.parametrize(
    ("column", "origin", "text"),
    [
        (PreviewColumn("a", comment="what it is"), "comment", "what it is"),
        (PreviewColumn("id"), "schema", "Part of the primary key. References other.key."),
        (PreviewColumn("No"), "schema", "Part of the primary key."),
        (PreviewColumn("owner"), "schema", "References the primary key of person."),
        (PreviewColumn("DisplayName"), "inferred", "A name for display (guessed from the name; check it)."),
        (PreviewColumn("thing_name"), "inferred", "A name (guessed from the name; check it)."),
        (
            PreviewColumn("status"),
            "inferred",
            "A status; what its values stand for is not said (guessed from the name; check it).",
        ),
        (PreviewColumn("frobnication"), "unavailable", ""),
    ],
)
def test_meanings(column: PreviewColumn, origin: str, text: str) -> None:
    references = (Reference(("ID",), "other", ("key",)), Reference(("owner",), "person", ()))
    table = PreviewTable("things", (column,), ("id", "no"), references)
    (meaning,) = meanings_of(table, table.columns)
    assert meaning.to_dict() == {"origin": origin, "text": text}


@pytest.mark.parametrize("word", ["dollar", "euro", "usd", "currency", "metre", "meter", "gram", "second", "percent"])
def test_guesses_say_no_unit_and_no_currency(word: str) -> None:
    from app.inspect.preview import meaning

    assert not any(word in guess.lower() for guess in meaning._KNOWN.values())


@pytest.mark.parametrize(
    ("value", "shown"),
    [
        (2**53 - 1, 2**53 - 1),
        (2**53, str(2**53)),
        (-(2**63), str(-(2**63))),
        (float("nan"), "‹not a finite number›"),
        (1.5, 1.5),
        (True, True),
        (None, None),
        ("x" * 300, "x" * 300),
        ("x" * 301, "x" * 299 + "…"),
        (b"", "‹binary, 0 bytes›"),
        ("a\udc80b", "‹text that is not UTF-8›"),
    ],
)
def test_cells(value: object, shown: Cell) -> None:
    assert shown_cell(value) == shown


def test_limits_of_tables_and_columns() -> None:
    wide = PreviewTable("wide", tuple(PreviewColumn(f"c{i}") for i in range(300)), rows=(tuple(range(300)),))
    document: Any = to_document(of(*[wide] * 130))
    assert (document["table_count"], len(document["tables"])) == (130, TABLES)
    first = document["tables"][0]
    assert (first["column_count"], len(first["columns"]), len(first["rows"][0])) == (300, COLUMNS, COLUMNS)
    assert {warning["where"]["limit"] for warning in document["warnings"]} == {"tables", "columns"}


def test_samples_are_dropped_before_tables_are() -> None:
    cells = tuple("ü" * 300 for _ in range(256))
    full = PreviewTable("full", tuple(PreviewColumn(f"c{i}") for i in range(256)), rows=(cells,) * 5)
    document: Any = to_document(of(*[full] * 20))
    assert RESPONSE_BYTES // 2 < size(document) <= RESPONSE_BYTES
    assert len(document["tables"]) == 20
    assert document["tables"][0]["rows"]
    assert not document["tables"][-1]["rows"]
    assert [warning["where"]["limit"] for warning in document["warnings"]] == ["rows"]


def test_tables_are_left_out_where_their_columns_alone_are_too_much() -> None:
    names = tuple(PreviewColumn(f"c{i}" + "ü" * 400, "T" * 400, comment="é" * 400) for i in range(256))
    document: Any = to_document(of(*[PreviewTable(f"t{i}", names) for i in range(128)]))
    assert size(document) <= RESPONSE_BYTES
    assert 0 < len(document["tables"]) < 128
    assert document["table_count"] == 128


def test_warnings_are_limited_too() -> None:
    warnings = tuple(PreviewWarning("w", "ü" * 100_000, {"table": "é" * 100_000, "count": i}) for i in range(300))
    document: Any = to_document(SourcePreview(PreviewKind.SQL_TEXT, ("s.sql",), 10, warnings=warnings))
    assert size(document) <= RESPONSE_BYTES
    assert (len(document["warnings"]), document["warnings"][-1]["where"]) == (WARNINGS + 1, {"limit": "warnings"})
