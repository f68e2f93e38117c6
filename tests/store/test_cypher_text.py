"""Cypher statements: every file is documented and used, and identifiers are escaped."""

import re
from importlib.resources import files
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

import app.store
from app.store.servers.cypher_text import filled, quoted
from cypher import statement

NAMES = sorted(path.name.removesuffix(".cypher") for path in files("cypher").iterdir() if path.name.endswith(".cypher"))
SOURCES = "".join(path.read_text(encoding="utf-8") for path in Path(app.store.__file__).parent.rglob("*.py"))


@pytest.mark.parametrize("name", NAMES)
def test_every_file_says_what_it_takes_and_returns_and_is_used(name: str) -> None:
    text = (files("cypher") / f"{name}.cypher").read_text(encoding="utf-8")
    head = "".join(line for line in text.splitlines(keepends=True) if line.startswith("//"))
    assert "// Parameters: " in head
    assert "// Returns: " in head
    body = statement(name)
    for parameter in set(re.findall(r"\$\w+", body)) - {"$columns"}:
        assert parameter in head
    for placeholder in set(re.findall(r"__[A-Z]+__", body)):
        assert placeholder in head
    assert f'filled("{name}"' in SOURCES


def test_a_placeholder_that_is_not_filled_is_an_error() -> None:
    with pytest.raises(KeyError, match="LABEL"):
        filled("count_label")


def test_a_name_that_looks_like_a_placeholder_stays_a_name() -> None:
    assert filled("count_label", LABEL=quoted("__LABEL__")) == "MATCH (n:`__LABEL__`) RETURN count(n) AS count"


@given(st.text(min_size=1))
def test_a_quoted_name_is_one_identifier(name: str) -> None:
    """Undoes, in Cypher's own order, what Cypher does: \\uXXXX first, then the backticks."""
    inner = re.sub(r"\\u([0-9A-Fa-f]{4})", lambda code: chr(int(code[1], 16)), quoted(name))
    assert re.fullmatch(r"`(?:[^`]|``)*`", inner)
    assert inner[1:-1].replace("``", "`") == name
