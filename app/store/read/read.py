"""The guarded read: a statement that nobody reviewed, run so that it can only read, within limits, and explained."""

import json
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import neo4j
from neo4j.exceptions import DriverError, Neo4jError

from app.errors import CypherInvalidError
from app.store.read.direction import direction_hints
from app.store.read.json_values import Json, to_json
from app.store.read.plan_guard import Plan, check_plan
from app.store.servers.driver import driver_errors
from app.store.servers.server import Slot

DEFAULT_MAX_ROWS = 1_000
DEFAULT_MAX_BYTES = 1_000_000
DEFAULT_TIMEOUT_SECONDS = 30.0
_FETCH_SIZE = 500
_HINT_SECONDS = 2.0


@dataclass(frozen=True, slots=True)
class ReadResult:
    """An answer as JSON values; `truncated` says that there were more rows than the limits let through."""

    columns: tuple[str, ...]
    rows: tuple[tuple[Json, ...], ...]
    truncated: bool
    notifications: tuple[dict[str, str], ...]
    hints: tuple[str, ...]

    def to_dict(self) -> dict[str, Json]:
        """The answer as one JSON object."""
        return {
            "columns": list(self.columns),
            "rows": [list(row) for row in self.rows],
            "truncated": self.truncated,
            "notifications": list(self.notifications),
            "hints": list(self.hints),
        }


def read_cypher(
    slot: Slot,
    query: str,
    parameters: Mapping[str, Any] | None = None,
    *,
    max_rows: int = DEFAULT_MAX_ROWS,
    max_bytes: int = DEFAULT_MAX_BYTES,
    timeout: float = DEFAULT_TIMEOUT_SECONDS,
) -> ReadResult:
    """Run one reading statement; at most `max_rows` rows and about `max_bytes` bytes of JSON leave the server.

    `CypherRefusedError` says why a statement was not run, `CypherInvalidError` what Neo4j says against it,
    `CypherTimeoutError` that it took over `timeout` seconds on the server.
    """
    values = dict(parameters or {})
    with driver_errors(slot.uri), slot.session(_FETCH_SIZE) as session:
        plan, notifications = _explained(session, slot.database, query, values, timeout)
        columns, rows, truncated = _answer(session, query, values, (max_rows, max_bytes), timeout)
        hints = _hints(session, plan)
    return ReadResult(columns, rows, truncated, notifications, hints)


def _explained(
    session: neo4j.Session, database: str, query: str, values: dict[str, Any], timeout: float
) -> tuple[Plan, tuple[dict[str, str], ...]]:
    with session.begin_transaction(timeout=timeout) as transaction:
        summary = _run(transaction, f"EXPLAIN {query}", values).consume()
    check_plan(summary.plan, summary.query_type, database)
    assert summary.plan is not None, "check_plan refuses what has no plan"
    return summary.plan, _notifications(summary)


def _run(transaction: neo4j.Transaction, query: str, values: dict[str, Any]) -> neo4j.Result:
    try:
        return transaction.run(query, values)
    except (OverflowError, TypeError, ValueError) as error:
        raise CypherInvalidError(f"A parameter cannot be sent to Neo4j: {error}") from error


def _answer(
    session: neo4j.Session, query: str, values: dict[str, Any], limits: tuple[int, int], timeout: float
) -> tuple[tuple[str, ...], tuple[tuple[Json, ...], ...], bool]:
    with session.begin_transaction(timeout=timeout) as transaction:
        result = _run(transaction, query, values)
        rows, truncated = _limited(result, *limits)
        return tuple(result.keys()), rows, truncated


def _limited(result: neo4j.Result, max_rows: int, max_bytes: int) -> tuple[tuple[tuple[Json, ...], ...], bool]:
    rows: list[tuple[Json, ...]] = []
    held = 0
    for record in result:
        row = tuple(map(to_json, record.values()))
        held += len(json.dumps(row, ensure_ascii=False).encode("utf-8"))
        if len(rows) >= max_rows or held > max_bytes:
            return tuple(rows), True
        rows.append(row)
    return tuple(rows), False


def _notifications(summary: neo4j.ResultSummary) -> tuple[dict[str, str], ...]:
    """What Neo4j warns of, such as labels, types and properties that do not exist."""
    return tuple(
        {"code": status.gql_status, "severity": status.raw_severity or "", "message": status.status_description}
        for status in summary.gql_status_objects
        if status.is_notification
    )


def _hints(session: neo4j.Session, plan: Plan) -> tuple[str, ...]:
    """Hints are a courtesy: if they take too long there are none."""
    try:
        with session.begin_transaction(timeout=_HINT_SECONDS) as transaction:
            return direction_hints(transaction, plan)
    except (Neo4jError, DriverError):
        return ()
