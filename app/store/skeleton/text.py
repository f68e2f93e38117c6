"""How a skeleton is written: each name on one line and escaped, so that nothing in the data can write into a prompt."""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TypeAlias

import pandas as pd

from app.store.servers.cypher_text import quoted

PropertyTypes: TypeAlias = dict[str, tuple[str, ...]]


@dataclass(frozen=True, eq=False, slots=True)
class GraphStructure:
    """All that a skeleton is made of.

    `node_counts` has columns labels, count; `edge_counts` has source, type, target, count; label sets are text such as
    `A&B`. `property_types` lists the types that each property's values have, the most frequent first.
    """

    revision: str
    node_counts: pd.DataFrame
    edge_counts: pd.DataFrame
    property_types: PropertyTypes


@dataclass(frozen=True, eq=False, slots=True)
class Ranked:
    """The connections worth showing, and for each source what was left out of it (columns pairs, edges)."""

    shown: pd.DataFrame
    tails: pd.DataFrame


_PLAIN = re.compile(r"[^\W\d]\w*")
_TYPE_WORDS = re.compile(r"[A-Z]+(?: [A-Z]+)*")
_UNLABELLED = "(no label)"
_PROPERTIES_A_LINE = 6
_MAX_PROPERTIES = 200


def displayed(name: str) -> str:
    r"""A name as it can be copied into Cypher: plain, or quoted with everything unprintable as \uXXXX.

    >>> displayed("Track"), displayed("Order Details"), displayed("a`b")
    ('Track', '`Order Details`', '`a``b`')
    >>> print(displayed("a\nb"))
    `a\u000Ab`
    """
    if _PLAIN.fullmatch(name):
        return name
    return "".join(char if char.isprintable() else _unicode_escape(char) for char in quoted(name))


def _unicode_escape(char: str) -> str:
    units = char.encode("utf-16-be", "surrogatepass").hex().upper()
    return "".join(f"\\u{units[start : start + 4]}" for start in range(0, len(units), 4))


def label_set(labels: Sequence[str]) -> str:
    """The labels of a node as one text, in order.

    >>> label_set(["Test", "Node"]), label_set([])
    ('Node&Test', '(no label)')
    """
    return "&".join(displayed(label) for label in sorted(labels)) or _UNLABELLED


def type_name(value_type: str) -> str:
    """A type as Neo4j's valueType() words it, in the skeleton's words.

    >>> type_name("INTEGER NOT NULL"), type_name("LIST<STRING NOT NULL> NOT NULL"), type_name("ZONED DATETIME")
    ('Integer', 'List<String>', 'ZonedDatetime')
    """
    bare = value_type.replace(" NOT NULL", "")
    return _TYPE_WORDS.sub(lambda words: words.group().title().replace(" ", ""), bare)


def skeleton_text(structure: GraphStructure, ranked: Ranked, min_count: int, top_n: int) -> str:
    """The whole text: a block for each label set, the properties, and the footer that points at the tools."""
    blocks = ["\n".join(block) for block in _blocks(structure, ranked)]
    return "\n\n".join([*blocks, *_properties(structure.property_types), _footer(min_count, top_n)]) + "\n"


def _blocks(structure: GraphStructure, ranked: Ranked) -> list[list[str]]:
    lines = {labels: [f"{labels} (n={count})"] for labels, count in structure.node_counts.itertuples(index=False)}
    for source, type_, target, count in ranked.shown.itertuples(index=False):
        lines[source].append(f"  -[{displayed(type_)}]-> {target} ({count} edges)")
    for source, pairs, edges in ranked.tails.itertuples():
        lines[source].append(f"  … +{pairs} pairs, {edges} edges")
    return list(lines.values())


def _properties(property_types: PropertyTypes) -> list[str]:
    if not property_types:
        return []
    listed = [f"{displayed(name)}: {'|'.join(map(type_name, types))}" for name, types in property_types.items()]
    if len(listed) > _MAX_PROPERTIES:
        listed[_MAX_PROPERTIES:] = [f"… +{len(listed) - _MAX_PROPERTIES} properties"]
    starts = range(0, len(listed), _PROPERTIES_A_LINE)
    lines = ["  " + "   ".join(listed[start : start + _PROPERTIES_A_LINE]) for start in starts]
    return ["\n".join(["Properties:", *lines])]


def _footer(min_count: int, top_n: int) -> str:
    return (
        f"[Skeleton: top {top_n} connections per node type with ≥{min_count} edges.\n"
        "Use get_node_label_counts, get_edge_type_counts, get_property_types tools\nfor full exploration.]"
    )
