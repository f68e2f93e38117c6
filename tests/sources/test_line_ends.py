"""Texts with line ends in SQL text: the notation of the sqlite3 shell's `.dump` is a literal, and no other call is."""

import shutil
import subprocess
from pathlib import Path
from tempfile import TemporaryDirectory

import apsw
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from app.errors import SqlUnsupportedError
from app.inspect.preview.model import shown_cell
from app.inspect.preview.script.preview_script import SqlPreview
from app.sources.dialect import Dialect
from app.sources.load import load_source
from app.sources.sql.lexing.script import Script
from app.sources.sql.lexing.tokens import TokenBudget
from tests.support.shell_dump import dumped_text

TABLE = "CREATE TABLE t(id INTEGER PRIMARY KEY, v TEXT);\n"
PARTS = [
    "\n",
    "\r",
    "\r\n",
    "\\",
    "n",
    "r",
    "\\n",
    "\\r",
    "\\012",
    "\\015",
    "(\\n0)",
    "(\\r0)",
    "(\\n1)",
    "(",
    "0)",
    "12",
]
PARTS += ["'", "''", ",", ";", "--", "/*", "char(10)", "replace(", "é", "😀", " "]
TEXTS = st.lists(st.sampled_from(PARTS) | st.text("\n\r\\nr015()'x", max_size=3), max_size=12).map("".join)


def loaded(script: str) -> list[object]:
    with TemporaryDirectory() as folder:
        path = Path(folder) / "x.sql"
        path.write_text(script, encoding="utf-8", newline="")
        return load_source(path).tables["t"].columns["v"].to_list()


def script_of(literals: list[str]) -> str:
    return TABLE + "".join(f"INSERT INTO t VALUES({row},{literal});\n" for row, literal in enumerate(literals))


def preview_of(script: str, budget: TokenBudget | None = None) -> SqlPreview:
    found = SqlPreview(Dialect.SQLITE, budget)
    found.add(Script("x.sql", script))
    return found


@given(st.lists(TEXTS, max_size=5))
@example(["x\ny", "p\r\nq", "\n", "\r", "\\n\n", "\\n\\012\n", "\\n\\012(\\n0)\n\\r\\015\rit's", "\\\nn"])
def test_texts_come_back_from_the_notation_of_the_shell(texts: list[str]) -> None:
    script = script_of([dumped_text(text) for text in texts])

    assert loaded(script) == texts
    (table,) = preview_of(script).tables
    assert [row[1] for row in table.rows] == [shown_cell(text) for text in texts[:5]]


@pytest.mark.parametrize(
    "literal",
    [
        r"REPLACE('a\nb','\n',CHAR(10))",
        "replace ( 'a\\nb' ,\n'\\n'\t, char ( 10 ) )",
        r"replace('a(\n4294967295)b','(\n4294967295)',char(10))",
    ],
)
def test_case_and_space_mean_nothing(literal: str) -> None:
    script = script_of(["'x'", literal])

    assert loaded(script) == ["x", "a\nb"]
    (table,) = preview_of(script).tables
    assert [row[1] for row in table.rows] == ["x", "a\nb"]


@pytest.mark.parametrize(
    "call",
    [
        "replace('a','b','c')",
        "replace('a','b',char(10))",
        "replace('a','',char(10))",
        r"replace('a\n','\n','x')",
        r"replace('a\n','\n',char(65))",
        r"replace('a\n','\n',char(13))",
        r"replace('a\r','\r',char(10))",
        r"replace('a\n','\n',char(10,10))",
        r"replace('a\n','\n',char(010))",
        r"replace('a\n','\n',char('10'))",
        r"replace('a\n','\N',char(10))",
        r"replace('a\n','(\n)',char(10))",
        r"replace('a\n',x'5c6e',char(10))",
        r"replace(x'5c6e','\n',char(10))",
        r"replace(1,'\n',char(10))",
        r"replace(v,'\n',char(10))",
        r"replace('a\n','\n',char(10),1)",
        r"replace(replace('a\n','\n',char(10)),'\r',char(13))",
        r"replace(replace('a\n','\n',char(10)),'\n',char(10))",
        r"replace(replace('a\r','\r',char(13)),'\r',char(13))",
        r"replace(replace(replace('a\r','\r',char(13)),'\r',char(13)),'\n',char(10))",
        r"trim(replace('a\n','\n',char(10)))",
        r"""("replace"('a\n','\n',char(10)))""",
        r"""main.replace('a\n','\n',char(10))""",
        "char(10)",
        "hex('a')",
    ],
)
def test_near_misses_are_refused(call: str) -> None:
    script = script_of([r"replace('a\nb','\n',char(10))", call])

    with pytest.raises(SqlUnsupportedError, match="line 3: INSERT … VALUES takes literals") as caught:
        loaded(script)
    assert caught.value.where == {"file": "x.sql", "line": 3, "table": "t", "column": "v"}
    (table,) = preview_of(script).tables
    assert [row[1] for row in table.rows] == ["a\nb"]


@pytest.mark.parametrize("after", [" || 'b'", " COLLATE NOCASE", " + 1"])
def test_no_expression_may_follow(after: str) -> None:
    with pytest.raises(Exception, match="line 2: ") as caught:
        loaded(script_of([r"replace('a\nb','\n',char(10))" + after]))
    assert caught.value.where == {"file": "x.sql", "line": 2, "table": "t", "column": "v"}


def test_unistr_is_refused_with_the_way_out() -> None:
    with pytest.raises(SqlUnsupportedError, match=r"line 2: .*not a function call, at: unistr") as caught:
        loaded(script_of([r"unistr('two\u000alines')"]))
    assert ".dump --newlines" in caught.value.hint
    with pytest.raises(SqlUnsupportedError) as caught:
        loaded(script_of(["hex('a')"]))
    assert ".dump" not in caught.value.hint


def test_the_preview_cuts_what_it_shows_and_not_what_it_reads() -> None:
    text = r"\n\012" + "".join(rf"(\n{number})" for number in range(100)) + "\n" * 400 + "x"
    (table,) = preview_of(script_of([dumped_text(text[::-1][:401]), dumped_text(text)])).tables
    assert [row[1] for row in table.rows] == [shown_cell(text[::-1][:401]), shown_cell(text)]


def test_rows_with_line_ends_take_no_words_of_the_preview() -> None:
    found = preview_of(script_of([dumped_text("a\r\nb")] * 1_000), TokenBudget(1_000))

    assert found.tables[0].row_count == 1_000
    assert found.warnings == ()


def test_other_dialects_have_no_such_literal() -> None:
    found = SqlPreview(Dialect.MYSQL)
    found.add(Script("x.sql", script_of([dumped_text("a\nb")])))

    assert found.tables[0].rows == ()
    assert "a literal value is wanted, at: replace(" in found.warnings[0].message


LINES = ["x\ny", "p\r\nq", "\\n\n", "\\n\\012(\\n0)\n\\r\\015\r\nit's", "\n", "\\\nn", "plain", ""]


def shell_dump(folder: Path, texts: list[str], command: str) -> str:
    """What the sqlite3 shell of this machine writes; the test is skipped where there is none."""
    shell = shutil.which("sqlite3")
    if shell is None:
        pytest.skip("there is no sqlite3 shell")
    database = folder / "x.db"
    connection = apsw.Connection(str(database))
    connection.execute(TABLE)
    connection.executemany("INSERT INTO t VALUES(?, ?)", enumerate(texts))
    connection.close()
    written = subprocess.run([shell, database, command], check=True, capture_output=True).stdout
    return written.decode()


def test_dumps_of_the_shell_load(tmp_path: Path) -> None:
    texts = [*LINES, "\r", "\\r\r", "\\r\\015(\\r0)\r"]
    script = shell_dump(tmp_path, texts, ".dump")
    if "unistr(" in script:
        pytest.skip("this shell writes unistr")

    assert [dumped_text(text) in script for text in texts] == [True] * len(texts)
    assert loaded(script) == texts


def test_dumps_of_the_shell_with_line_ends_as_they_are_load(tmp_path: Path) -> None:
    assert loaded(shell_dump(tmp_path, LINES, ".dump --newlines")) == LINES
