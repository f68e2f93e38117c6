"""The query cases: plans with their exact answers, or with the reason why the DSL cannot say them."""

import json
from dataclasses import dataclass
from pathlib import Path
from typing import Any

CASES = Path(__file__).parent.parent / "cases"
QUERY_CASES = ("28-query-nulls", "29-query-division-avg-order")


@dataclass(frozen=True)
class CaseQuery:
    """One query of a case: `answer` has its rows in order, or `refused` its reason."""

    case: str
    name: str
    document: dict[str, Any]
    answer: list[tuple[Any, ...]] | None
    refused: str | None

    def __str__(self) -> str:
        return f"{self.case[:2]}-{self.name}"


def case_sql(case: str) -> str:
    """The SQL text of a case's source."""
    return (CASES / case / "input.sql").read_text(encoding="utf-8")


def case_queries() -> list[CaseQuery]:
    """All queries of the query cases."""
    return [_query(case, entry) for case in QUERY_CASES for entry in json.loads(_plans(case))]


def answered_queries() -> list[CaseQuery]:
    """Those that the DSL can say."""
    return [query for query in case_queries() if query.refused is None]


def refused_queries() -> list[CaseQuery]:
    """Those that it cannot say."""
    return [query for query in case_queries() if query.refused is not None]


def _plans(case: str) -> str:
    return (CASES / case / "plans.json").read_text(encoding="utf-8")


def _query(case: str, entry: dict[str, Any]) -> CaseQuery:
    answer = entry.get("answer")
    rows = None if answer is None else [tuple(row) for row in answer]
    return CaseQuery(case, entry["query"], entry["plan"], rows, entry.get("refused"))
