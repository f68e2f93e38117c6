"""Triggers and rules on INSERT: one that stands before rows changes what becomes of them, so these are refused.

Dump tools write triggers after the rows of their tables, where they change nothing that is there.
"""

from app.sources.dialect import Dialect
from app.sources.sql.definitions.model import SqlTable, Trigger
from app.sources.sql.definitions.namespace import Namespace
from app.sources.sql.lexing.cursor import Cursor
from app.sources.sql.statements.splitter import Statement
from app.values import fold_identifier

_HINT = "Put it after the rows of its table, as dump tools do, or dump the filled database again."


def note_trigger(name: str, cursor: Cursor, statement: Statement, namespace: Namespace) -> None:
    """Note a trigger or rule, whose name is behind, with its table if it fires when rows are inserted."""
    fires = False
    while not cursor.at_end and cursor.word not in ("ON", "TO"):
        fires = cursor.take().word == "INSERT" or fires
    if cursor.dialect is Dialect.POSTGRES and cursor.accept("ON INSERT"):
        fires = True
    if fires and cursor.accept("ON", "TO"):
        table = namespace.table(cursor.table_name(""))
        if table is not None:
            table.triggers.append(Trigger(name, statement.script, statement.start))


def drop_triggers(name: str, namespace: Namespace) -> None:
    """Forget the triggers and rules of a name."""
    for table in namespace.tables.values():
        table.triggers = [each for each in table.triggers if fold_identifier(each.name) != fold_identifier(name)]


def refuse_triggers(statement: Statement, table: SqlTable) -> None:
    """Raise `SqlUnsupportedError` if rows of the statement would wake a trigger of their table or partition."""
    awake = [each for owner in (table, table.whole) for each in owner.triggers if each.is_enabled]
    if statement.settings.triggers_fire and awake:
        reason = f"the trigger or rule {awake[0].name} of table {table.name.label} fires when rows are inserted"
        raise awake[0].script.unsupported(awake[0].at, reason, hint=_HINT, table=table.name.label)
