"""Every value that Neo4j returns as JSON that loses nothing.

Null, booleans, strings, finite numbers and lists are themselves, integers in full. Everything else is an object with
`$type`; a map that has such a key itself is wrapped the same way, so that the two are never confused.
"""

import base64
import math
from collections.abc import Callable, Mapping
from datetime import date
from typing import Any, TypeAlias

from neo4j.graph import Node, Path, Relationship
from neo4j.spatial import Point
from neo4j.time import Date, DateTime, Duration, Time

Json: TypeAlias = Any

_TYPE = "$type"


def to_json(value: object) -> Json:
    """The value as JSON.

    >>> to_json([2**62, float("inf"), {"a": b"x"}])
    [4611686018427387904, {'$type': 'float', 'value': 'Infinity'}, {'a': {'$type': 'bytes', 'value': 'eA=='}}]
    """
    if value is None or isinstance(value, (bool, int, str)):
        return value
    for types, convert in _CONVERTERS:
        if isinstance(value, types):
            return convert(value)
    return {_TYPE: type(value).__name__, "value": str(value)}


def _float(value: float) -> Json:
    if math.isfinite(value):
        return value
    name = "NaN" if math.isnan(value) else "Infinity" if value > 0 else "-Infinity"
    return {_TYPE: "float", "value": name}


def _map(value: Mapping[str, Any]) -> Json:
    converted = {key: to_json(item) for key, item in value.items()}
    return {_TYPE: "map", "value": converted} if _TYPE in converted else converted


def _node(node: Node) -> Json:
    return {_TYPE: "node", "id": node.element_id, "labels": sorted(node.labels), "properties": _map(dict(node))}


def _relationship(edge: Relationship) -> Json:
    return {
        _TYPE: "relationship",
        "id": edge.element_id,
        "type": edge.type,
        "source": edge.start_node.element_id if edge.start_node else None,
        "target": edge.end_node.element_id if edge.end_node else None,
        "properties": _map(dict(edge)),
    }


def _path(path: Path) -> Json:
    edges = [_relationship(edge) for edge in path.relationships]
    return {_TYPE: "path", "nodes": [_node(node) for node in path.nodes], "relationships": edges}


def _point(point: Point) -> Json:
    return {_TYPE: "point", "srid": point.srid, "coordinates": [_float(float(part)) for part in point]}


def _date_time(value: DateTime) -> Json:
    text = {_TYPE: "datetime", "value": value.iso_format()}
    zone = getattr(value.tzinfo, "key", None) or getattr(value.tzinfo, "zone", None)
    return {**text, "zone": zone} if zone else text


def _text(name: str) -> Callable[[Any], Json]:
    return lambda value: {_TYPE: name, "value": value.iso_format()}


_CONVERTERS: tuple[tuple[tuple[type, ...], Callable[[Any], Json]], ...] = (
    ((float,), _float),
    ((Node,), _node),
    ((Relationship,), _relationship),
    ((Path,), _path),
    ((Point,), _point),
    ((Duration,), _text("duration")),
    ((list,), lambda value: [to_json(item) for item in value]),
    ((Mapping,), _map),
    ((bytes, bytearray), lambda value: {_TYPE: "bytes", "value": base64.b64encode(value).decode("ascii")}),
    ((DateTime,), _date_time),
    ((Date,), _text("date")),
    ((Time,), _text("time")),
    ((date,), lambda value: {_TYPE: "date", "value": value.isoformat()}),
)
