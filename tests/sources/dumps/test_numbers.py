"""Decimal numbers: kept exactly, or refused, or rounded with a warning; never something else in silence."""

from decimal import Decimal
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.errors import CellInvalidError, SqlInvalidError
from app.sources.relational_source import WarningCode
from app.sources.sql.definitions.model import SqlType, Storage
from app.sources.sql.values.exactness import as_whole, is_rounded, may_round
from app.values import Scalar
from tests.sources.dumps.support import column, mysql, postgres

EXACT: dict[str, Scalar] = {
    "12345678901234567": 12345678901234567,
    "123456789012345678.00": 123456789012345678,
    "-9223372036854775808.0": -(2**63),
    "9007199254740993.0": 2**53 + 1,
    "100000000000000000000": 1e20,
    "0.1234567890123456": 0.1234567890123456,
    "-0.123456789012345": -0.123456789012345,
    "1234567890123.45": 1234567890123.45,
}


@pytest.mark.parametrize("text", EXACT)
def test_numbers_that_are_kept(tmp_path: Path, text: str) -> None:
    source = postgres(tmp_path, f"CREATE TABLE a (x numeric(38,20), n numeric);\nINSERT INTO a VALUES (1, {text});")

    [cell] = column(source, "a", "n")
    assert (cell, type(cell)) == (EXACT[text], type(EXACT[text]))
    assert not any(warning.code is WarningCode.NUMBERS_ROUNDED for warning in source.warnings)


@pytest.mark.parametrize("key", ["", " PRIMARY KEY"])
@pytest.mark.parametrize("declared", ["numeric(38,0)", "numeric", "decimal(20)"])
def test_whole_numbers_are_never_rounded(tmp_path: Path, declared: str, key: str) -> None:
    text = f"CREATE TABLE a (x int, id {declared}{key});\n"
    text += "INSERT INTO a VALUES (1, 5),\n(2, 12345678901234567890),\n(3, 12345678901234567891);"
    for read in (mysql, postgres):
        with pytest.raises(CellInvalidError, match=r"holds '12345678901234567890', which has more digits") as caught:
            read(tmp_path, text)
        assert caught.value.where == {"file": "dump.sql", "line": 3, "table": "a", "column": "id", "row": 1}
        assert "as text" in caught.value.hint


def test_fractions_are_rounded_with_a_warning(tmp_path: Path) -> None:
    source = postgres(
        tmp_path,
        "CREATE TABLE a (id int PRIMARY KEY, r numeric(30,20));\nCOPY a FROM stdin;\n1\t0.5\n"
        "2\t0.12345678901234567890\n3\t\\N\n4\t1234567890123456.78\n\\.\n",
    )

    assert column(source, "a", "r") == [0.5, 0.12345678901234568, None, 1234567890123456.8]
    assert [each.to_dict() for each in source.warnings if each.code is WarningCode.NUMBERS_ROUNDED] == [
        {
            "code": "numbers_rounded",
            "message": "Table a, column r: 2 fractions rounded to the digits of a REAL.",
            "count": 1,
            "where": {"table": "a", "column": "r", "cells": 2, "first_row": 1},
        }
    ]


@pytest.mark.parametrize("key", ["PRIMARY KEY", "UNIQUE", "REFERENCES b (id)"])
def test_fractions_of_a_key_are_refused(tmp_path: Path, key: str) -> None:
    text = f"CREATE TABLE b (id numeric(30,20) PRIMARY KEY);\nCREATE TABLE a (x numeric(30,20) {key});\n"

    with pytest.raises(CellInvalidError, match=r"line 3: .* column x, holds '0\.12345678901234567890'"):
        postgres(tmp_path, text + "INSERT INTO a VALUES (0.12345678901234567890);")


def test_a_default_is_no_exception(tmp_path: Path) -> None:
    with pytest.raises(CellInvalidError, match="holds '12345678901234567890', which has more digits"):
        postgres(
            tmp_path, "CREATE TABLE a (x int, n numeric DEFAULT 12345678901234567890);INSERT INTO a (x) VALUES (1);"
        )


def test_numbers_beyond_64_bits_are_named_before_their_key(tmp_path: Path) -> None:
    with pytest.raises(CellInvalidError, match="holds '9223372036854775808', which is not a whole number") as caught:
        postgres(
            tmp_path,
            "CREATE TABLE a (id int PRIMARY KEY);\nINSERT INTO a VALUES (9223372036854775809),\n(9223372036854775808);",
        )
    assert (caught.value.where["line"], caught.value.where["row"]) == (3, 1)
    with pytest.raises(SqlInvalidError, match="UNIQUE"):
        postgres(tmp_path, "CREATE TABLE a (id numeric PRIMARY KEY);\nINSERT INTO a VALUES (5), (5.00);")


ODD = {
    (
        "bigint unsigned",
        "18446744073709551615",
    ): "is not a whole number of 64 bits; the column is declared bigint unsigned",
    ("int", "18446744073709551615"): "is not a whole number of 64 bits",
    ("int", "x5"): "is not a whole number of 64 bits",
    ("bigint", "1.5"): "is not a whole number of 64 bits",
    ("decimal(5,2)", "x5"): "is not a finite number",
    ("decimal(65,30)", "x5 and nothing that is a number"): "is not a finite number",
    ("double", "1e400"): "is not a finite number",
    ("double", "NaN"): "is not a finite number",
    ("decimal(30,2)", "-1e400"): "is not a finite number",
}


@pytest.mark.parametrize(("declared", "written"), ODD)
def test_odd_numbers_are_quoted_as_they_stand_with_their_place(tmp_path: Path, declared: str, written: str) -> None:
    text = f"CREATE TABLE o (a int);\nCREATE TABLE t (a int, b {declared});\n"
    text += "INSERT INTO t (b, a) VALUES (1, 1),\n(2, 2);\n"
    text += f"INSERT INTO o VALUES (7);\nINSERT INTO t VALUES\n(3, '{written}');"

    with pytest.raises(CellInvalidError) as caught:
        mysql(tmp_path, text)
    assert (
        f"line 7: a cell of table t, column b, holds '{written}', which {ODD[declared, written]}"
        in caught.value.message
    )
    assert caught.value.where == {"file": "dump.sql", "line": 7, "table": "t", "column": "b", "row": 2}


def test_an_odd_default_is_named(tmp_path: Path) -> None:
    with pytest.raises(
        CellInvalidError, match="line 2: a cell of table t, column b, holds 'x5', which is not a whole number"
    ):
        mysql(tmp_path, "CREATE TABLE t (a int, b int DEFAULT 'x5');\nINSERT INTO t (a) VALUES (1);")


@pytest.mark.parametrize(
    ("declared", "expected"),
    [
        (SqlType("decimal", Storage.NUMERIC, numbers=(10, 2)), False),
        (SqlType("numeric", Storage.NUMERIC, numbers=(15,)), False),
        (SqlType("numeric", Storage.NUMERIC, numbers=(16, 2)), True),
        (SqlType("numeric", Storage.NUMERIC), True),
        (SqlType("int", Storage.INTEGER, numbers=(11,)), False),
        (SqlType("bigint", Storage.INTEGER, numbers=(20,), is_unsigned=True), True),
        (SqlType("double", Storage.REAL), False),
        (SqlType("varchar", Storage.TEXT, numbers=(40,)), False),
    ],
)
def test_only_wide_types_are_looked_at(declared: SqlType, expected: bool) -> None:
    assert may_round(declared) is expected


@given(number=st.decimals(allow_nan=False, allow_infinity=False, places=3) | st.integers().map(Decimal))
def test_a_number_is_rounded_where_its_real_says_another(number: Decimal) -> None:
    whole = number == number.to_integral_value() and -(2**63) <= number < 2**63
    text = f"{number:f}"

    assert as_whole(text) == (str(int(number)) if whole else None)
    assert is_rounded(text) == (not whole and Decimal(repr(float(text))) != number)
