"""Materialized paths as an entry: only if they hold exactly the paths of the adjacency."""

from collections.abc import Sequence
from dataclasses import dataclass

from app.graph.derivation.paths import PathStep, PointersOf, path_fault
from app.graph.model.adjacency import Pointers
from app.graph.model.property_graph import EdgeTable, PropertyGraph
from app.graph.model.rows import row_locations
from app.tables.dictionary import IntArray


@dataclass(frozen=True, eq=False, slots=True)
class PathIndex:
    """Each edge of a path as a row; `stops[i]` points from the edges to the rows where i hops have been made."""

    type: str
    edges: int
    stops: tuple[Pointers, ...]


def path_index(graph: PropertyGraph, steps: tuple[PathStep, ...], pointers: PointersOf) -> PathIndex | None:
    """The index of a complete materialized path along these steps, if there is one."""
    for edges in graph.paths(steps):
        stops = (edges.sources, *edges.mark.arrays, edges.targets)
        if not path_fault(steps, stops, pointers):
            return _index(graph, edges, steps, stops)
    return None


def _index(graph: PropertyGraph, edges: EdgeTable, steps: Sequence[PathStep], stops: Sequence[IntArray]) -> PathIndex:
    tables = [steps[0].source_table, *(step.target_table for step in steps)]
    counts = [row_locations(graph, table).count for table in tables]
    pointers = tuple(Pointers(stop, count) for stop, count in zip(stops, counts, strict=True))
    return PathIndex(edges.type, len(edges), pointers)
