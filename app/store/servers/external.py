"""A Neo4j of the user's own, whose one configured database holds one published graph at a time.

A small graph replaces the old one in a single transaction. A larger one is written in batches while a node marks the
database as `publishing`: guarded reads are refused by name until it is whole, and publishing again completes it.
"""

import uuid
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import asdict, dataclass
from typing import Any

import neo4j
from typing_extensions import override

from app.errors import SlotOccupiedError, SlotPublishingError
from app.store.servers.config import StoreSettings
from app.store.servers.cypher_text import filled
from app.store.servers.driver import open_driver
from app.store.servers.pointer import external_folder, folder_name, move_pointer, not_published, read_pointer
from app.store.servers.runners import BatchRunner, TransactionRunner
from app.store.servers.server import Counts, Neo4jServer, Receipt, Replacement, Rows, Run, Slot

ELEMENTS_A_TRANSACTION = 50_000
"""Up to this many elements, old and new together, are replaced in one transaction."""

_DELETED_A_BATCH = 10_000


@dataclass(frozen=True, slots=True)
class _Occupant:
    """What the database holds: a graph of ours by name (None: not ours), its elements, whether it is half written."""

    graph: str | None
    elements: int
    half: bool


class ExternalServer(Neo4jServer):
    """The graph published into an external database; which one that is, is kept in the data directory."""

    def __init__(self, settings: StoreSettings, transaction_elements: int = ELEMENTS_A_TRANSACTION) -> None:
        assert settings.uri is not None, "an external server has an address"
        self._settings, self._uri = settings, settings.uri
        self._transaction_elements = transaction_elements

    @override
    @contextmanager
    def slot(self, graph: str) -> Iterator[Slot]:
        folder_name(graph)
        with self._driver() as (driver, database):
            receipt = read_pointer(external_folder(self._settings))
            slot = Slot(graph, receipt.revision if receipt else "", self._uri, database, driver)
            _refuse_half(slot)
            if receipt is None or receipt.name != graph:
                raise not_published(graph)
            yield slot

    @override
    def replace(self, replacement: Replacement, *, evict: bool = False) -> Receipt:
        folder_name(replacement.name)
        with self._driver() as (driver, database):
            run = BatchRunner(driver, database)
            occupant = self._occupant(run)
            _refuse_other(occupant, replacement.name, database, evict)
            revision = uuid.uuid4().hex
            if occupant.half or occupant.elements + replacement.elements > self._transaction_elements:
                counts = _replace_marked(run, replacement, revision)
            else:
                counts = _replace_at_once(driver, database, replacement)
            receipt = self._receipt(replacement, database, revision, counts)
            move_pointer(external_folder(self._settings), receipt)
            return receipt

    @override
    def receipts(self) -> tuple[Receipt, ...]:
        receipt = read_pointer(external_folder(self._settings))
        return () if receipt is None else (receipt,)

    def close(self) -> None:
        """Do nothing: connections are open only while they are used."""

    @contextmanager
    def _driver(self) -> Iterator[tuple[neo4j.Driver, str]]:
        settings = self._settings
        with open_driver(self._uri, settings.username, settings.password) as driver:
            yield driver, settings.database or _home_database(driver)

    def _occupant(self, run: Run) -> _Occupant:
        elements = int(run(filled("count_nodes"), {})[0][0]) + int(run(filled("count_edges"), {})[0][0])
        marks = run(filled("publishing_mark"), {})
        if marks:
            return _Occupant(str(marks[0][0]), elements, half=True)
        receipt = read_pointer(external_folder(self._settings))
        return _Occupant(receipt.name if receipt else None, elements, half=False)

    def _receipt(self, replacement: Replacement, database: str, revision: str, counts: Counts) -> Receipt:
        return Receipt(
            name=replacement.name,
            uri=self._uri,
            database=database,
            revision=revision,
            graph_sha256=replacement.graph_sha256,
            **asdict(counts),
        )


def _home_database(driver: neo4j.Driver) -> str:
    with driver.session() as session:
        return session.run("RETURN 1").consume().database or "neo4j"


def _refuse_half(slot: Slot) -> None:
    marks = slot.rows(filled("publishing_mark"))
    if marks:
        raise SlotPublishingError(
            f"Database {slot.database} holds a part of {marks[0][0]} only: its publish did not end.",
            hint=f"Wait for it, or publish {marks[0][0]} again to complete it.",
            graph=marks[0][0],
            database=slot.database,
        )


def _refuse_other(occupant: _Occupant, graph: str, database: str, evict: bool) -> None:
    if occupant.elements and occupant.graph != graph and not evict:
        holds = f"the graph {occupant.graph}" if occupant.graph else "data that Graphwright did not publish"
        raise SlotOccupiedError(
            f"Database {database} holds {holds}; publishing {graph} would delete it.",
            hint="Use another database (NEO4J_DATABASE), empty this one, or publish under the same name.",
            graph=graph,
            database=database,
        )


def _replace_at_once(driver: neo4j.Driver, database: str, replacement: Replacement) -> Counts:
    def work(transaction: neo4j.ManagedTransaction) -> Counts:
        run = TransactionRunner(transaction)
        _empty(run)
        return replacement.write(run)

    return _executed(driver, database, work)


def _executed(driver: neo4j.Driver, database: str, work: Callable[[neo4j.ManagedTransaction], Counts]) -> Counts:
    with driver.session(database=database, notifications_min_severity=neo4j.NotificationMinimumSeverity.OFF) as session:
        return session.execute_write(work)


def _replace_marked(run: Run, replacement: Replacement, revision: str) -> Counts:
    run(filled("mark_publishing"), {"graph": replacement.name, "revision": revision})
    _empty(run)
    counts = replacement.write(_WithoutMark(run))
    run(filled("unmark_publishing"), {})
    return counts


class _WithoutMark:
    """The same runner, with the marking node left out of the count of all nodes."""

    def __init__(self, run: Run) -> None:
        self._run, self.each = run, run.each
        self._count_nodes = filled("count_nodes")

    def __call__(self, statement: str, parameters: dict[str, Any], /) -> Rows:
        rows = self._run(statement, parameters)
        return [[int(rows[0][0]) - 1]] if statement == self._count_nodes else rows


def _empty(run: Run) -> None:
    while run(filled("delete_nodes"), {"limit": _DELETED_A_BATCH})[0][0]:
        pass
