"""Which types the values of each property have, exactly: nothing is sampled.

Neo4j's own scan names properties and Java types several times faster than a statement can. Only what has several
types, or one that is not known here, is counted by a statement.
"""

from collections import Counter

from app.store.servers.cypher_text import filled, quoted
from app.store.servers.server import Rows, Slot
from app.store.skeleton.text import PropertyTypes

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


def read_property_types(slot: Slot) -> PropertyTypes:
    """The properties of nodes and relationships by name, each with its types, the most frequent first."""
    on_nodes = _java_types(slot.rows(filled("node_properties")))
    on_edges = _java_types(slot.rows(filled("relationship_properties")))
    return {
        name: _known(on_nodes.get(name, set()) | on_edges.get(name, set()))
        or _counted(slot, name, on_nodes=name in on_nodes, on_edges=name in on_edges)
        for name in sorted({*on_nodes, *on_edges})
    }


def _java_types(rows: Rows) -> dict[str, set[str]]:
    found: dict[str, set[str]] = {}
    for name, types in rows:
        found.setdefault(name, set()).update(types)
    return found


def _known(java_types: set[str]) -> tuple[str, ...]:
    """The one type, in Cypher's words; nothing if there are several or it is not known."""
    return tuple(_CYPHER_TYPES[name] for name in java_types if len(java_types) == 1 and name in _CYPHER_TYPES)


def _counted(slot: Slot, name: str, *, on_nodes: bool, on_edges: bool) -> tuple[str, ...]:
    rows = slot.rows(filled("node_value_types", NAME=quoted(name))) if on_nodes else []
    rows += slot.rows(filled("relationship_value_types", NAME=quoted(name))) if on_edges else []
    counts: Counter[str] = Counter()
    for value_type, count in rows:
        counts[str(value_type).removesuffix(" NOT NULL")] += count
    return tuple(sorted(counts, key=lambda value_type: (-counts[value_type], value_type)))
