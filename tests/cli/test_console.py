"""What reaches a terminal: text as it is, never markup, never control characters."""

import io
import json

from hypothesis import given
from hypothesis import strategies as st

from app.cli.console import Terminal, printable


def shown(text: str) -> str:
    out = io.StringIO()
    Terminal(out, io.StringIO()).print(text)
    return out.getvalue()


@given(text=st.text())
def test_nothing_that_acts_on_a_terminal_gets_through(text: str) -> None:
    assert all(character.isprintable() or character == "\n" for character in printable(text))


@given(text=st.text(alphabet=st.characters(codec="utf-8", categories=("L", "N", "P", "S"))))
def test_ordinary_text_is_shown_as_it_is(text: str) -> None:
    assert shown(text) == text + "\n"


def test_markup_in_data_stays_text() -> None:
    for text in ("[red]x[/red]", "[/]", "[link=x]", ":smile:", "a\\[b]", "x" * 500):
        assert shown(text) == text + "\n"


def test_rows_of_a_pipe_are_separated_by_tabs() -> None:
    out = io.StringIO()
    rows = [["[bold]a", 1, None], ["tab\there\nand line", 2.5, {"b": [True]}]]
    Terminal(out, io.StringIO()).print_rows(["name", "n", "x"], rows)
    assert out.getvalue() == ('name\tn\tx\n[bold]a\t1\tnull\ntab\\there\\nand line\t2.5\t{"b":[true]}\n')


@given(text=st.text())
def test_json_is_one_line_of_ascii(text: str) -> None:
    out = io.StringIO()
    Terminal(out, io.StringIO()).print_json({"text": text})
    assert json.loads(out.getvalue()) == {"text": text}
    assert out.getvalue().isascii()
    assert out.getvalue().count("\n") == 1
