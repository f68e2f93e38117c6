"""Primary, unique and foreign keys, wherever a script declares them, and the constraints beside them."""

from dataclasses import replace

from app.sources.dialect import Dialect
from app.sources.sql.definitions.model import Constraint, Rule, SqlTable
from app.sources.sql.definitions.namespace import Namespace
from app.sources.sql.lexing.cursor import Cursor
from app.sources.sql.lexing.names import TableName
from app.sources.sql.lexing.tokens import TokenKind

MYSQL_INDEXES = (
    "KEY",
    "INDEX",
    "FULLTEXT KEY",
    "FULLTEXT INDEX",
    "FULLTEXT",
    "SPATIAL KEY",
    "SPATIAL INDEX",
    "SPATIAL",
)
_STARTS = frozenset({"CONSTRAINT", "PRIMARY", "UNIQUE", "FOREIGN", "CHECK"})
_ACTIONS = ("NO ACTION", "RESTRICT", "CASCADE", "SET NULL", "SET DEFAULT")
_TIMING = ("NOT DEFERRABLE", "DEFERRABLE", "INITIALLY DEFERRED", "INITIALLY IMMEDIATE", "NOT VALID", "NO INHERIT")
_ENFORCING = ("NOT ENFORCED", "ENFORCED")


def starts_constraint(cursor: Cursor) -> bool:
    """Whether a table's element is a constraint or an index; PERIOD and the like are names unless more words follow."""
    word, following = cursor.word, cursor.peek().word
    if word in _STARTS:
        return True
    if cursor.dialect is Dialect.MYSQL:
        return word in ("KEY", "INDEX", "FULLTEXT", "SPATIAL") or (word == "PERIOD" and following == "FOR")
    return cursor.dialect is Dialect.POSTGRES and word == "EXCLUDE" and following in ("USING", "(")


def read_constraint(cursor: Cursor, namespace: Namespace, table: TableName) -> Constraint:
    """A constraint or index of a table, with or without a name, up to the end of the element."""
    name = _constraint_name(cursor)
    at = cursor.at
    constraint = replace(_constraint(cursor, namespace, table), script=cursor.script, at=at)
    cursor.expect_end()
    return replace(constraint, name=name) if name else constraint


def _constraint_name(cursor: Cursor) -> str:
    """What CONSTRAINT names; MySQL lets the name be left out."""
    is_nameless = cursor.dialect is Dialect.MYSQL and cursor.peek().word in _STARTS
    if not cursor.accept("CONSTRAINT") or is_nameless:
        return ""
    return cursor.name()


def _constraint(cursor: Cursor, namespace: Namespace, table: TableName) -> Constraint:
    if cursor.accept("PRIMARY KEY"):
        return _primary_key(cursor)
    if cursor.accept("UNIQUE"):
        return _unique_key(cursor)
    if cursor.accept("FOREIGN KEY"):
        return _foreign_key(cursor, namespace, table)
    if cursor.accept("CHECK"):
        # It constrains what may be written, and says nothing about rows that are there.
        cursor.group()
        skip_timing(cursor)
        return Constraint(Rule.OTHER)
    return _index(cursor) if cursor.dialect is Dialect.MYSQL else _exclusion(cursor)


def _primary_key(cursor: Cursor) -> Constraint:
    _skip_index_name(cursor)
    if cursor.word != "(":
        raise cursor.refusal("a primary key must name its columns")
    columns = _constrained_columns(cursor)
    if columns is None:
        raise cursor.refusal("a primary key must name its columns")
    skip_index_options(cursor)
    return Constraint(Rule.PRIMARY, columns=columns)


def _unique_key(cursor: Cursor) -> Constraint:
    cursor.accept("NULLS NOT DISTINCT", "NULLS DISTINCT")
    cursor.accept("KEY", "INDEX")
    name = _skip_index_name(cursor)
    if cursor.word != "(":
        raise cursor.refusal("a unique key must name its columns")
    columns = _constrained_columns(cursor)
    skip_index_options(cursor)
    return Constraint(Rule.PARTIAL if columns is None else Rule.UNIQUE, name, columns or ())


def _index(cursor: Cursor) -> Constraint:
    """An index of MySQL, which finds rows and says nothing about them, or the period of a versioned table."""
    if cursor.accept("PERIOD FOR"):
        cursor.name()
        cursor.group()
        return Constraint(Rule.OTHER)
    if not cursor.accept(*MYSQL_INDEXES):
        raise cursor.refusal("a constraint or an index is wanted")
    name = _skip_index_name(cursor)
    key_columns(cursor)
    skip_index_options(cursor)
    return Constraint(Rule.OTHER, name)


def _exclusion(cursor: Cursor) -> Constraint:
    cursor.expect("EXCLUDE")
    if cursor.accept("USING"):
        cursor.name()
    cursor.group()
    skip_index_options(cursor)
    if cursor.accept("WHERE"):
        cursor.group()
    skip_timing(cursor)
    return Constraint(Rule.PARTIAL)


def _skip_index_name(cursor: Cursor) -> str:
    """The name that MySQL may give to an index, and the method of the index."""
    name = ""
    if cursor.dialect is Dialect.MYSQL and cursor.at_name and cursor.word != "USING":
        name = cursor.name()
    if cursor.dialect is Dialect.MYSQL and cursor.word == "USING":
        _skip_method(cursor)
    return name


def _skip_method(cursor: Cursor) -> None:
    """How MySQL finds rows by an index."""
    if not cursor.accept("USING BTREE", "USING HASH", "USING RTREE"):
        raise cursor.refusal("a method of an index is wanted")


def skip_index_options(cursor: Cursor) -> None:
    """How an index is kept, and when it is checked: nothing of it says what rows mean."""
    while not cursor.at_end:
        if cursor.accept("USING INDEX TABLESPACE", "TABLESPACE", "WITH PARSER"):
            cursor.name()
        elif cursor.word == "USING":
            _skip_method(cursor)
        elif cursor.accept("COMMENT"):
            cursor.text()
        elif cursor.accept("KEY_BLOCK_SIZE", "ENGINE_ATTRIBUTE", "SECONDARY_ENGINE_ATTRIBUTE", "CLUSTERING"):
            cursor.accept("=")
            cursor.take()
        elif cursor.accept("INCLUDE", "WITH"):
            cursor.group()
        elif cursor.accept("ON CONFLICT"):
            cursor.name()
        elif not (cursor.accept("VISIBLE", "INVISIBLE", "IGNORED", "NOT IGNORED") or _accept_timing(cursor)):
            return


def key_columns(cursor: Cursor) -> tuple[str, ...] | None:
    """The columns in the brackets that come next; None if one is an expression.

    A key on a part of a text is one on all of it: values with different beginnings are different.
    """
    columns = []
    for part in cursor.elements_of_group():
        if not part.at_name or part.peek().word == ".":
            return None
        columns.append(part.name())
        if part.word == "(":
            if part.peek().kind is not TokenKind.NUMBER:
                return None
            part.group()
        if part.accept("COLLATE"):
            part.dotted_name()
        if part.dialect is Dialect.POSTGRES and part.at_name and part.word not in ("ASC", "DESC", "NULLS"):
            part.dotted_name()  # an operator class, which says how to sort
        while part.accept("ASC", "DESC", "NULLS FIRST", "NULLS LAST", "AUTOINCREMENT"):
            pass
        part.expect_end()
    return tuple(columns)


def _constrained_columns(cursor: Cursor) -> tuple[str, ...] | None:
    """The columns of a key; what says how they are sorted may stand there in all databases but PostgreSQL."""
    return _plain_columns(cursor) if cursor.dialect is Dialect.POSTGRES else key_columns(cursor)


def _plain_columns(cursor: Cursor) -> tuple[str, ...]:
    """The columns in the brackets that come next, with nothing beside their names."""
    columns = []
    for part in cursor.elements_of_group():
        columns.append(part.name())
        part.expect_end()
    return tuple(columns)


def _foreign_key(cursor: Cursor, namespace: Namespace, table: TableName) -> Constraint:
    index = cursor.name() if cursor.dialect is Dialect.MYSQL and cursor.at_name else ""
    columns = _plain_columns(cursor)
    cursor.expect("REFERENCES")
    return replace(referenced(cursor, namespace, table), name=index, columns=columns)


def referenced(cursor: Cursor, namespace: Namespace, table: TableName) -> Constraint:
    """The table and columns after REFERENCES; actions and timing change no row that is there.

    A name without a schema is one of the database of the referring `table` in MySQL, whatever USE says.
    """
    parent = cursor.table_name(table.schema if cursor.dialect is Dialect.MYSQL else "")
    targets = _plain_columns(cursor) if cursor.word == "(" else ()
    while cursor.accept("ON DELETE", "ON UPDATE", "MATCH") or _accept_timing(cursor):
        before = cursor.peek(-1).word
        if before == "MATCH":
            cursor.name()
        elif before in ("DELETE", "UPDATE"):
            _skip_action(cursor)
    found = namespace.table(parent)
    return Constraint(Rule.REFERENCE, parent=namespace.made(parent) if found is None else found.name, targets=targets)


def _skip_action(cursor: Cursor) -> None:
    if not cursor.accept(*_ACTIONS):
        raise cursor.refusal("an action of a foreign key is wanted")
    if cursor.word == "(":
        cursor.group()


def _accept_timing(cursor: Cursor) -> bool:
    return cursor.accept(*_TIMING, *_ENFORCING)


def skip_timing(cursor: Cursor) -> None:
    """When a constraint is checked, and whether: it says nothing about rows that are there."""
    while _accept_timing(cursor):
        pass


def add_constraint(table: SqlTable, constraint: Constraint) -> None:
    """Give a table a constraint; `SqlInvalidError` for columns that it does not have, or a second primary key."""
    script, at = constraint.script or table.script, constraint.at if constraint.script else table.at
    for name in constraint.columns:
        if table.column(name) is None and table.columns:
            raise script.invalid(at, f"a key of table {table.name.label} names {name}, which is not one of its columns")
    if constraint.rule is Rule.PRIMARY and table.primary_key:
        raise script.invalid(at, f"table {table.name.label} has two primary keys")
    spelled = tuple(column.name if (column := table.column(name)) else name for name in constraint.columns)
    table.constraints.append(replace(constraint, columns=spelled))
