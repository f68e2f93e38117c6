"""Building blocks of generated plans."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any, TypeAlias

from app.workload.generation.categories import Category
from app.workload.generation.paths import Hop

Document: TypeAlias = dict[str, Any]

ROOT = "t0"


@dataclass(frozen=True, slots=True)
class Candidate:
    """A plan that could be asked, without its id; a poor one is asked only when a table has nothing better."""

    category: Category
    root: str
    document: Document
    is_poor: bool = False


def candidate(category: Category, root: str, question: str, *, is_poor: bool = False, **parts: Any) -> Candidate:
    """A candidate with these parts of a plan."""
    return Candidate(category, root, {"question": question, "root": {"table": root, "alias": ROOT}, **parts}, is_poor)


def aggregation(function: str, column: str, name: str) -> Document:
    """An aggregate output."""
    return {"function": function, "column": column, "as": name}


COUNT_ROWS = aggregation("count", "*", "row_count")


def comparison(column: str, op: str, value: object = None) -> Document:
    """A filter; without a value a null test."""
    return {"column": column, "op": op} if value is None else {"column": column, "op": op, "value": value}


def ascending(names: Iterable[str]) -> list[Document]:
    """An order by these outputs."""
    return [{"column": name, "direction": "asc"} for name in names]


def descending(first: str, names: Iterable[str]) -> list[Document]:
    """An order by one output from the greatest down, then by the others."""
    return [{"column": first, "direction": "desc"}, *ascending(name for name in names if name != first)]


def joins(hops: Sequence[Hop], kind: str = "inner") -> list[Document]:
    """A chain of joins t0 - t1 - t2 …; `kind` is the type of all."""
    return [
        {
            "from": f"t{number}",
            "table": hop.target,
            "alias": f"t{number + 1}",
            "foreign_key": hop.key.to_dict(),
            "direction": "forward" if hop.forward else "reverse",
            "type": kind,
        }
        for number, hop in enumerate(hops)
    ]


def spoken(value: object) -> str:
    """A constant as questions show it."""
    return f"'{value}'" if isinstance(value, str) else str(value)
