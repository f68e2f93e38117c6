"""The hint for a pattern whose arrow points the wrong way, the commonest mistake of generated Cypher.

Patterns and labels are read off the plan; the database is asked whether a pattern exists as asked, or only turned
round.
"""

import re
from collections import defaultdict
from collections.abc import Iterator
from dataclasses import dataclass

import neo4j

from app.store.read.plan_guard import Plan, details, operator_name, walk
from app.store.servers.cypher_text import filled

_MAX_PATTERNS = 8

_NAME = r"(?:`(?:[^`]|``)+`|\w+)"
_LABELLED = re.compile(rf"({_NAME}):({_NAME})(?!\()")
_NODE = rf"\((?P<{{0}}>{_NAME})?(?::(?P<{{0}}_label>{_NAME}))?\)"
_EDGE = re.compile(
    _NODE.format("left")
    + rf"(?P<to_left><)?-\[(?:{_NAME})?:(?P<type>{_NAME})(?:\*[\d.]*)?\]-(?P<to_right>>)?"
    + _NODE.format("right")
)
_LABEL_OPERATORS = ("Filter", "NodeByLabelScan", "NodeIndexSeek", "NodeIndexScan", "NodeUniqueIndexSeek")


@dataclass(frozen=True, slots=True)
class Pattern:
    """A directed pattern of one relationship; names are quoted as Cypher needs them, labels as `:A`."""

    source: str
    type: str
    target: str

    @property
    def turned(self) -> "Pattern":
        """The same with its arrow turned round."""
        return Pattern(self.target, self.type, self.source)

    def __str__(self) -> str:
        return f"({self.source})-[:{self.type}]->({self.target})"


def direction_hints(transaction: neo4j.Transaction, plan: Plan) -> tuple[str, ...]:
    """A sentence for each directed pattern of the plan that exists only the other way round."""
    return tuple(
        f"There is no {pattern} in this graph, but there is {pattern.turned}: turn the arrow round."
        for pattern in directed_patterns(plan)[:_MAX_PATTERNS]
        if _exists_only_turned(transaction, pattern)
    )


def directed_patterns(plan: Plan) -> list[Pattern]:
    """The directed patterns of one type in a plan that have a label at one end or both."""
    labels = _labels(plan)
    found = dict.fromkeys(pattern for operator in walk(plan) for pattern in _patterns(details(operator), labels))
    return [pattern for pattern in found if pattern.source != pattern.target]


def _labels(plan: Plan) -> dict[str, str]:
    labels: defaultdict[str, str] = defaultdict(str)
    for operator in walk(plan):
        if operator_name(operator) in _LABEL_OPERATORS:
            for variable, label in _LABELLED.findall(details(operator)):
                if not labels[variable]:
                    labels[variable] = f":{label}"
    return labels


def _patterns(text: str, labels: dict[str, str]) -> Iterator[Pattern]:
    for edge in _EDGE.finditer(text):
        left, right = (_end(edge, side, labels) for side in ("left", "right"))
        if edge["to_right"] and not edge["to_left"]:
            yield Pattern(left, edge["type"], right)
        elif edge["to_left"] and not edge["to_right"]:
            yield Pattern(right, edge["type"], left)


def _end(edge: re.Match[str], side: str, labels: dict[str, str]) -> str:
    label = edge[f"{side}_label"]
    return f":{label}" if label else labels.get(edge[side] or "", "")


def _exists_only_turned(transaction: neo4j.Transaction, pattern: Pattern) -> bool:
    statement = filled("direction", SOURCE=pattern.source, TYPE=pattern.type, TARGET=pattern.target)
    forward, backward = transaction.run(statement).values()[0]
    return bool(backward and not forward)
