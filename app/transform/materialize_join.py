"""materialize_join: whole foreign-key paths of 2 or 3 hops become edges."""

from itertools import pairwise
from typing import Literal

from pydantic import Field

from app.budget import RowLimit
from app.errors import ForeignKeyInvalidError, TransformError
from app.graph.marks import MaterializedPathMark, PathStep
from app.graph.names import next_free
from app.graph.paths import count_paths, enumerate_paths
from app.graph.property_graph import EdgeTable, PropertyGraph
from app.tables.schema import ForeignKey
from app.transform.strategy import Arguments, Strategy, schema_of

MAX_PATHS = 50_000_000
"""Paths that may be built at all; the growth limit of a build is far lower."""


class Step(Arguments):
    """One hop along a declared foreign key."""

    table: str
    columns: tuple[str, ...]
    ref_table: str
    ref_columns: tuple[str, ...]
    direction: Literal["forward", "reverse"]


class MaterializeJoinArguments(Arguments):
    """`path` is 2 or 3 hops, each beginning where the one before it ends."""

    path: tuple[Step, ...] = Field(min_length=2, max_length=3)
    edge_type: str | None = Field(default=None, min_length=1, max_length=200)


class MaterializeJoin(Strategy[MaterializeJoinArguments]):
    """Adds an edge for each path, with its inner nodes and multiplicity.

    Orders and their customers' countries, before: `order -> customer -> country`; after: also `order => country`,
    one edge for each path, which keeps the customer it runs through.
    """

    name = "materialize_join"
    arguments = MaterializeJoinArguments

    def added_size(self, graph: PropertyGraph, arguments: MaterializeJoinArguments) -> int:
        """One edge a path."""
        return count_paths(graph, declared_path(graph, arguments))

    def apply(self, graph: PropertyGraph, arguments: MaterializeJoinArguments) -> PropertyGraph:
        """The graph with the path's edges; the same graph where they are there already, or where there is no path."""
        path = declared_path(graph, arguments)
        if any(isinstance(edges.mark, MaterializedPathMark) and edges.mark.path == path for edges in graph.paths()):
            return graph
        sources, *inner, targets = enumerate_paths(graph, path, RowLimit(MAX_PATHS))
        if len(sources) == 0:
            return graph
        edges = EdgeTable(
            arguments.edge_type or _default_type(graph, path),
            graph.rows_of(path[0].source_table).label,
            graph.rows_of(path[-1].target_table).label,
            sources,
            targets,
            MaterializedPathMark(path, tuple(inner)),
        )
        return graph.with_tables(edges=[edges])


def declared_path(graph: PropertyGraph, arguments: MaterializeJoinArguments) -> tuple[PathStep, ...]:
    """The path with its declared foreign keys; `TransformError` where it is not one connected path of them."""
    schema = schema_of(graph)
    try:
        path = tuple(PathStep(schema.foreign_key(_key(step)), step.direction == "forward") for step in arguments.path)
    except ForeignKeyInvalidError as error:
        raise TransformError(f"materialize_join: {error.message}", hint=error.hint, tool="materialize_join") from error
    for before, after in pairwise(path):
        if before.target_table != after.source_table:
            raise TransformError(
                f"materialize_join: a hop ends at {before.target_table}, the next begins at {after.source_table}.",
                tool="materialize_join",
            )
    return path


def _key(step: Step) -> ForeignKey:
    return ForeignKey(step.table, step.columns, step.ref_table, step.ref_columns)


def _default_type(graph: PropertyGraph, path: tuple[PathStep, ...]) -> str:
    name = "_".join(graph.foreign_key_edges(step.foreign_key).type for step in path)
    return next_free(f"{name}_PATH", {edges.type for edges in graph.edge_tables})
