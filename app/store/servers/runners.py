"""How statements run: each in a transaction of its own, over several connections at a time, or all in one."""

from collections import deque
from collections.abc import Iterable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from typing import Any

import neo4j
from typing_extensions import override

from app.store.servers.server import Rows, Run, Work

_CONNECTIONS = 2


class BatchRunner(Run):
    """Runs each statement in a transaction of its own, repeated by the driver on transient errors."""

    def __init__(self, driver: neo4j.Driver, database: str) -> None:
        self._driver, self._database = driver, database

    @override
    def __call__(self, statement: str, parameters: dict[str, Any], /) -> Rows:
        with self._driver.session(
            database=self._database, notifications_min_severity=neo4j.NotificationMinimumSeverity.OFF
        ) as session:
            return session.execute_write(lambda tx: tx.run(statement, parameters).values())

    @override
    def each(self, work: Iterable[Work], /) -> Iterator[Rows]:
        # Neo4j plans or runs a statement while it commits the one before.
        waiting: deque[Future[Rows]] = deque()
        with ThreadPoolExecutor(_CONNECTIONS, "publish") as pool:
            try:
                for statement, parameters in work:
                    if len(waiting) > _CONNECTIONS:
                        yield waiting.popleft().result()
                    waiting.append(pool.submit(self, statement, parameters))
                while waiting:
                    yield waiting.popleft().result()
            except BaseException:
                pool.shutdown(cancel_futures=True)
                raise


class TransactionRunner(Run):
    """Runs each statement in one transaction, which takes one at a time."""

    def __init__(self, transaction: neo4j.ManagedTransaction) -> None:
        self._transaction = transaction

    @override
    def __call__(self, statement: str, parameters: dict[str, Any], /) -> Rows:
        return self._transaction.run(statement, parameters).values()

    @override
    def each(self, work: Iterable[Work], /) -> Iterator[Rows]:
        return (self(statement, parameters) for statement, parameters in work)
