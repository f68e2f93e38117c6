"""Small scripts after public bug reports, with the values that PostgreSQL 15 and MariaDB 10.11 have in the end."""

from pathlib import Path

import pytest

from app.errors import SourceError
from app.sources.load import load_source
from app.sources.options import SourceOptions
from app.sources.relational_source import WarningCode
from tests.sources.dumps.support import Scalar, rows

CASES = Path(__file__).parents[2] / "cases-2"
Rows = dict[str, list[tuple[Scalar, ...]]]

READ: dict[str, tuple[Rows, list[str]]] = {
    "01-pg-null-under-sequence-default/input.sql": ({"t": [(1, None, "x"), (2, 5, "y"), (3, None, "z")]}, []),
    "02-pg-foreign-key-on-partition/input.sql": (
        {
            "cust": [(1, "x"), (2, "y")],
            "orders": [(1, "2024-01-05", 1), (2, "2024-02-05", 2), (3, "2024-02-06", None)],
        },
        ["orders(cust) -> cust(id)"],
    ),
    "04-mysql-auto-increment/table_option.sql": (
        {"t": [(100, "a"), (101, "b")], "c": [(1, 100), (2, 101)]},
        ["c(t) -> t(id)"],
    ),
    "04-mysql-auto-increment/alter_null_zero.sql": (
        {"t": [(1001, "a"), (1002, "b"), (1003, "c"), (1004, "d")]},
        [],
    ),
    "05-pg-sequence-numbers/start.sql": ({"t": [(500, "a"), (510, "b")], "u": [(100, "a"), (105, "b")]}, []),
    "05-pg-sequence-numbers/shared.sql": ({"t": [(1, "a"), (2, "b"), (51, "d")], "v": [(3, "c")]}, []),
    "06-pg-default-expressions/domain.sql": ({"t": [(1, "zz")]}, []),
    "06-pg-default-expressions/literal_ok.sql": (
        {"u": [(1, "0001-01-01 00:00:00+00", "{}", -1, 1.5, 0, "new")]},
        [],
    ),
    "07-dropped-constraints/mysql.sql": ({"p": [(1, "a")], "c": [(1, 1, 1)]}, ["c(p) -> p(id)"]),
    "07-dropped-constraints/postgres.sql": ({"c": [(1, 1), (1, 2)]}, []),
    "11-pg-national-literal/input.sql": ({"t": [(1, "Edinburgh"), (2, "Edinburgh ")]}, []),
    "15-pg-uuid-case/input.sql": (
        {
            "p": [("a0eebc99-9c0b-4ef8-bb6d-6bb9bd380a11", "x")],
            "c": [(1, "a0eebc99-9c0b-4ef8-bb6d-6bb9bd380a11")],
        },
        ["c(p) -> p(id)"],
    ),
    "20-pg-on-conflict-do-nothing/lower_case.sql": ({"t": [(1, "a")]}, []),
    "20-pg-on-conflict-do-nothing/pg_dump.sql": ({"t": [(1, "x"), (2, "y")]}, []),
    "20-pg-on-conflict-do-nothing/target.sql": ({"t": [(1, "x")]}, []),
    "24-mariadb-sequence/input.sql": ({"t": [(1, "a")]}, []),
    "25-dump-select-and-source/input.sql": ({"c": [(1, 1)]}, []),
    "26-mysql-use-with-blank/input.sql": (
        {"one.users": [(1,)], "two words.users": [(9, 1), (10, 1)]},
        ["two words.users(o) -> one.users(id)"],
    ),
    "27-mysql-column-named-period/input.sql": ({"t": [(1, 2)]}, []),
    "27-mysql-column-named-period/no_rows.sql": ({"t": [], "u": [(1, 1)]}, []),
    "28-mysql-line-of-dashes/input.sql": ({"a": [(1, "x"), (2, "y")]}, []),
    "30-default-keyword/input.sql": ({"t": [(1, "a", "new"), (2, "b", "old")]}, []),
    "35-pg-nested-comments/input.sql": ({"t": [(1, "x")]}, []),
    "61-pass-mysql-enum-and-comments/input.sql": (
        {
            "m": [
                (1, "a,b", "x,y", "0000-00-00"),
                (2, "c(d)", "x", "2020-01-01"),
                (3, "e'f", "", "0000-00-00"),
                (4, ") ENGINE", None, "2020-02-03"),
            ]
        },
        [],
    ),
    "65-pass-pg-crlf-and-inherits/crlf.sql": ({"t": [(1, "one"), (2, "two")], "u": []}, []),
    "65-pass-pg-crlf-and-inherits/inherits.sql": (
        {"one": [("a",), ("",), (None,)], "p": [(1, "x")], "k": [(2, "y", "z")]},
        [],
    ),
    "66-pass-mysql-hex-bit-escapes/input.sql": (
        {
            "t": [
                (1, 0, 65, "a'b\\c\\%d\\_eqf"),
                (2, 1, None, "dq \"q\" 'z'"),
                (3, 1, 5, "nat"),
                (4, 1, 257, "intro"),
                (5, None, None, "tab\there\nnl\x1aw"),
            ]
        },
        [],
    ),
}
"""The rows of each table and the foreign keys, all without a warning that counts."""

REFUSED = {
    "03-trigger-before-rows/mysql.sql": (5, "the trigger or rule ins_film of table film fires"),
    "03-trigger-before-rows/postgres.sql": (4, "the trigger or rule tr of table public.t fires"),
    "06-pg-default-expressions/concat.sql": (3, "leaves out column code, whose default the database would compute"),
    "06-pg-default-expressions/concat_nextval.sql": (4, "leaves out column code, whose default"),
    "10-values-that-types-change/mysql.sql": (3, "column m, is written as the number 1e3"),
    "10-values-that-types-change/postgres.sql": (3, "column a, is cast by ::varchar(2), which may change it"),
    "12-pg-create-schema-with-tables/input.sql": (2, "statements within CREATE SCHEMA are not read"),
    "13-definition-syntax/column_no_comma.sql": (3, "b is not understood here"),
    "13-definition-syntax/fk_no_comma.sql": (5, "FOREIGN is not understood here"),
    "13-definition-syntax/key_of_no_column.sql": (2, "names ident, which is not one of its columns"),
    "33-pg-names-that-differ-in-case/columns.sql": (2, "the columns N and n of table public.t differ in the case"),
    "33-pg-names-that-differ-in-case/tables.sql": (3, "public.Foo and public.foo differ in the case of letters alone"),
}
"""The line and the words of the refusal."""


@pytest.mark.parametrize("case", READ)
def test_read_as_the_server_reads_it(case: str) -> None:
    expected, keys = READ[case]
    source = load_source(CASES / case)

    assert {name: rows(source, name) for name in source.tables} == expected
    assert [key.label for key in source.schema.foreign_keys] == keys
    assert not [warning.message for warning in source.warnings if warning.count]


@pytest.mark.parametrize("case", REFUSED)
def test_refused_by_name_and_line(case: str) -> None:
    line, words = REFUSED[case]
    with pytest.raises(SourceError) as caught:
        load_source(CASES / case)

    assert caught.value.where["line"] == line
    assert words in caught.value.message


@pytest.mark.parametrize(("case", "left"), [("mysql.sql", ["a@x", "b@x"]), ("postgres.sql", ["X"])])
def test_a_key_of_a_computed_column_goes_with_it(case: str, left: list[str]) -> None:
    path = CASES / "23-unique-on-generated-column" / case
    source = load_source(path, SourceOptions.from_options({"unsupported": "skip"}))

    assert source.tables["t"].columns[source.schema.table("t").column_names[1]].to_list() == left
    [warning] = [each for each in source.warnings if each.count]
    assert warning.code is WarningCode.UNSUPPORTED_SKIPPED
    assert ", and with it the unique key" in warning.message


def test_the_inputs_are_those_of_the_corpus(corpus: Path) -> None:
    for case in [*READ, *REFUSED]:
        assert (CASES / case).read_bytes() == (corpus / "cases-2" / case).read_bytes(), case
