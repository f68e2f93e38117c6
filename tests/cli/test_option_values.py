"""`--option key=value`: JSON, text and files."""

from pathlib import Path

import pytest

from app.cli.option_values import parse_options
from app.errors import InvalidOptionError


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("query_count=3", {"query_count": 3}),
        ("query-count = 3", {"query_count": 3}),
        ("mode=rules", {"mode": "rules"}),
        ('mode="rules"', {"mode": "rules"}),
        ("min_speedup=0.1", {"min_speedup": 0.1}),
        ("experience_enabled=false", {"experience_enabled": False}),
        ("queries=[]", {"queries": []}),
        ("domain_category=a=b", {"domain_category": "a=b"}),
        ("mode=", {"mode": ""}),
        ("queries=[1", {"queries": "[1"}),
    ],
)
def test_values(text: str, expected: dict[str, object]) -> None:
    assert parse_options([text]) == expected


def test_the_last_of_a_name_wins() -> None:
    assert parse_options(["query_count=1", "query-count=2"]) == {"query_count": 2}


def test_a_file_is_json(tmp_path: Path) -> None:
    file = tmp_path / "plans.json"
    file.write_text('\ufeff[{"id": "ä"}]', encoding="utf-8")
    assert parse_options([f"queries=@{file}"]) == {"queries": [{"id": "ä"}]}


@pytest.mark.parametrize("content", [None, b"{", b"\xff", b"[" * 100_000])
def test_a_file_that_cannot_be_used_is_named(tmp_path: Path, content: bytes | None) -> None:
    file = tmp_path / "plans.json"
    if content is not None:
        file.write_bytes(content)
    with pytest.raises(InvalidOptionError, match="The file for queries") as caught:
        parse_options([f"queries=@{file}"])
    assert caught.value.where == {"option": "queries", "file": str(file)}


@pytest.mark.parametrize("text", ["query_count", "=3", "", " = "])
def test_what_is_no_option(text: str) -> None:
    with pytest.raises(InvalidOptionError, match="key=value"):
        parse_options([text])
