"""Which types the values of each property have, exactly: nothing is sampled.

Neo4j's own scan names properties and Java types several times faster than a statement can. Only what has several
types, or one that is not known here, is counted by a statement.
"""

from collections import Counter

from app.store.cypher_text import filled, quoted
from app.store.server import Slot
from app.store.skeleton_text import PropertyTypes

_CYPHER_TYPES = {
    "Boolean": "BOOLEAN",
    "Long": "INTEGER",
    "Double": "FLOAT",
    "String": "STRING",
    "Date": "DATE",
    "LocalTime": "LOCAL TIME",
    "Time": "ZONED TIME",
    "LocalDateTime": "LOCAL DATETIME",
    "DateTime": "ZONED DATETIME",
    "Duration": "DURATION",
    "Point": "POINT",
}
_LISTINGS = {"node_properties": "node_value_types", "relationship_properties": "relationship_value_types"}
"""What lists properties, and what counts the types of one of them."""


def read_property_types(slot: Slot) -> PropertyTypes:
    """The properties of nodes and relationships by name, each with its types, the most frequent first."""
    java_types: dict[str, set[str]] = {}
    counters: dict[str, list[str]] = {}
    for listing, counter in _LISTINGS.items():
        rows = slot.rows(filled(listing))
        for name, types in rows:
            java_types.setdefault(name, set()).update(types)
        for name in {row[0] for row in rows}:
            counters.setdefault(name, []).append(counter)
    return {name: _known(java_types[name]) or _counted(slot, name, counters[name]) for name in sorted(java_types)}


def _known(java_types: set[str]) -> tuple[str, ...]:
    """The one type, in Cypher's words; nothing where there are several or it is not known."""
    return tuple(_CYPHER_TYPES[name] for name in java_types if len(java_types) == 1 and name in _CYPHER_TYPES)


def _counted(slot: Slot, name: str, counters: list[str]) -> tuple[str, ...]:
    counts: Counter[str] = Counter()
    for counter in counters:
        for value_type, count in slot.rows(filled(counter, NAME=quoted(name))):
            counts[str(value_type).removesuffix(" NOT NULL")] += count
    return tuple(sorted(counts, key=lambda value_type: (-counts[value_type], value_type)))
