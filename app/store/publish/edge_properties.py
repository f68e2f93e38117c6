"""What relationships hold: the fields of rows that are edges, fields that moved to edges, and positions."""

from collections.abc import Mapping, Sequence

import numpy as np

from app.graph.model.property_graph import EdgeTable
from app.graph.model.row_edges import RelocatedAttribute
from app.tables.column import Column, Kind, concatenated, null_column


def edge_properties(edges: EdgeTable) -> Mapping[str, Column]:
    """The properties of an edge table's relationships, a column each; NULL if an edge does not have one."""
    moved: dict[str, list[RelocatedAttribute]] = {}
    for part in edges.relocated:
        moved.setdefault(part.name, []).append(part)
    return {**edges.mark.fields, **{name: _spread(parts, len(edges)) for name, parts in moved.items()}}


def _spread(parts: Sequence[RelocatedAttribute], count: int) -> Column:
    """One column for all edges; no edge has a field of one name twice."""
    values = concatenated([*(part.values for part in parts), null_column(1, Kind.INT64)])
    at = np.full(count, len(values) - 1)
    at[np.concatenate([part.edges for part in parts])] = np.arange(len(values) - 1)
    return values.take(at)
