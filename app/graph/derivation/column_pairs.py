"""Pairs of rows whose columns hold equal values: what an edge of a column join says."""

import numpy as np

from app.budget import RowLimit
from app.graph.model.adjacency import Pointers
from app.graph.model.property_graph import PropertyGraph
from app.graph.model.rows import resolve_column, row_locations
from app.tables.dictionary import BoolArray, IntArray
from app.tables.matching import KeyCodes, combined_codes, reference_column
from app.tables.schema import ForeignKey


def join_codes(graph: PropertyGraph, key: ForeignKey) -> KeyCodes:
    """Codes of the columns of both tables under `parent = +child`: equal for equal values, negative for no partner."""
    child, parent = row_locations(graph, key.table).schema, row_locations(graph, key.ref_table).schema
    own = [child.column(name) for name in key.columns]
    return combined_codes(
        [reference_column(resolve_column(graph, child.name, column.name), column) for column in own],
        [
            reference_column(resolve_column(graph, parent.name, name), column)
            for column, name in zip(own, key.ref_columns, strict=True)
        ],
        [parent.column(name) for name in key.ref_columns],
    )


def count_pairs(codes: KeyCodes) -> int:
    """How many pairs there are, without building any."""
    partners = np.bincount(codes.parent[codes.parent >= 0], minlength=codes.size)
    return int(partners[codes.child[codes.child >= 0]].sum())


def equal_pairs(codes: KeyCodes, limit: RowLimit) -> tuple[IntArray, IntArray]:
    """All pairs as rows of the child and of the parent, ascending; `QueryLimitError` if there are too many."""
    children = np.flatnonzero(codes.child >= 0)
    partners = Pointers(codes.parent, codes.size).adjacency
    kept, parents = partners.expand(codes.child[children], limit)
    return (children.repeat(len(parents)) if kept is None else children[kept]), parents


def are_equal(codes: KeyCodes, children: IntArray, parents: IntArray) -> BoolArray:
    """For each pair of rows whether their values are equal."""
    found = codes.child[children]
    return np.asarray((found >= 0) & (found == codes.parent[parents]))
