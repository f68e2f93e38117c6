"""How many relationships connect which labels: exact, and from the count store if that says it.

The count store knows how many relationships of a type begin at each label and how many end at each. If every node
has one label, and either side of a type has only one, that is the whole answer; anything else is scanned.
"""

from collections.abc import Iterator, Sequence
from typing import TypeAlias

from app.store.servers.cypher_text import filled, quoted
from app.store.servers.server import Rows, Slot

Connection: TypeAlias = tuple[str, list[str], list[str], int]
"""Relationship type, labels of the source, labels of the target, count."""

_WORTHWHILE_EDGES = 20_000
_MOST_LABELS = 40
"""A scan of fewer edges, or planning a statement over more labels, takes less time than the other way."""


def count_connections(slot: Slot, types: Sequence[str], label_sets: Sequence[Sequence[str]]) -> Iterator[Connection]:
    """All connections of these types in a database whose nodes have these label sets."""
    labels = [labels[0] for labels in label_sets if len(labels) == 1]
    is_plain = len(labels) == len(label_sets) <= _MOST_LABELS
    for name in types:
        stored = _stored(slot, name, labels) if is_plain else None
        for sources, targets, count in _scanned(slot, name) if stored is None else stored:
            yield name, sources, targets, count


def _scanned(slot: Slot, type_name: str) -> Rows:
    return slot.rows(filled("label_set_pairs", TYPE=quoted(type_name)))


def _stored(slot: Slot, type_name: str, labels: Sequence[str]) -> Rows | None:
    """What the count store says, None if a scan is quicker or it leaves open what is connected with what."""
    total = int(slot.rows(filled("count_type", TYPE=quoted(type_name)))[0][0])
    if total < _WORTHWHILE_EDGES:
        return None
    edge = f"-[:{quoted(type_name)}]->"
    starts = ", ".join(f"COUNT {{ (:{quoted(label)}){edge}() }}" for label in labels)
    ends = ", ".join(f"COUNT {{ (){edge}(:{quoted(label)}) }}" for label in labels)
    sides = slot.rows(filled("label_counts_of_type", STARTS=starts, ENDS=ends))[0]
    sources, targets = ([(label, n) for label, n in zip(labels, side, strict=True) if n] for side in sides)
    if 1 not in (len(sources), len(targets)) or {sum(n for _, n in side) for side in (sources, targets)} != {total}:
        return None
    return [[[source], [target], min(begin, end)] for source, begin in sources for target, end in targets]
