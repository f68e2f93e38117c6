"""What a store offers, whether embedded or external: slots to read, and the replacement of a graph."""

from collections.abc import Callable, Iterable, Iterator
from contextlib import AbstractContextManager
from dataclasses import dataclass, field
from typing import Any, Protocol, TypeAlias

import neo4j

Rows: TypeAlias = list[list[Any]]

Work: TypeAlias = tuple[str, dict[str, Any]]
"""A statement and its parameters."""


class Run(Protocol):
    """Runs statements with their parameters in read-write transactions and returns all of their rows."""

    def __call__(self, statement: str, parameters: dict[str, Any], /) -> Rows:
        """The rows of one statement."""
        ...

    def each(self, work: Iterable[Work], /) -> Iterator[Rows]:
        """The rows of each statement, in their order; a few may run at the same time, so none may need another."""
        ...


@dataclass(frozen=True, slots=True)
class Slot:
    """One database that holds one published graph, open for reading."""

    graph: str
    revision: str
    uri: str
    database: str
    driver: neo4j.Driver = field(repr=False)

    def session(self, fetch_size: int = 1000) -> neo4j.Session:
        """A session that may only read; `fetch_size` rows are fetched at a time."""
        return self.driver.session(database=self.database, default_access_mode=neo4j.READ_ACCESS, fetch_size=fetch_size)

    def rows(self, statement: str, **parameters: object) -> Rows:
        """All rows of one of our own reading statements."""
        with self.session() as session:
            return session.execute_read(lambda tx: tx.run(statement, parameters).values())


@dataclass(frozen=True, slots=True)
class Counts:
    """What a database holds, as it says itself."""

    nodes: int
    edges: int
    nodes_by_label: dict[str, int]
    edges_by_type: dict[str, int]


@dataclass(frozen=True, slots=True)
class Receipt:
    """A published graph: where it is and what was read back from there."""

    name: str
    uri: str
    database: str
    revision: str
    graph_sha256: str
    nodes: int
    edges: int
    nodes_by_label: dict[str, int]
    edges_by_type: dict[str, int]


@dataclass(frozen=True, slots=True)
class Replacement:
    """A graph to be written in place of whatever has its name.

    `write` fills an empty database and returns the counts that it read back; `elements` is nodes and edges together.
    """

    name: str
    graph_sha256: str
    elements: int
    write: Callable[[Run], Counts]


class Neo4jServer(Protocol):
    """A place where graphs are published by name."""

    def slot(self, graph: str) -> AbstractContextManager[Slot]:
        """The slot of a published graph; `NotPublishedError`, `UnreachableError`, `SlotPublishingError`."""
        ...

    def replace(self, replacement: Replacement, *, evict: bool = False) -> Receipt:
        """Write a graph, and only when it is whole let it take the place of the old one.

        `evict` also replaces what an external database holds under another name; without it that is a
        `SlotOccupiedError`.
        """
        ...

    def receipts(self) -> tuple[Receipt, ...]:
        """The receipts of the published graphs, by name."""
        ...

    def close(self) -> None:
        """Let go of the server."""
        ...
