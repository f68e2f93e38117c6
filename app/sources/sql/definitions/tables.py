"""One CREATE TABLE: columns, constraints and options."""

from dataclasses import replace

from app.sources.dialect import Dialect
from app.sources.sql.definitions.columns import read_column
from app.sources.sql.definitions.keys import add_constraint, read_constraint, starts_constraint
from app.sources.sql.definitions.model import FOREIGN_ENGINES, MOST_COLUMNS, Constraint, SqlTable
from app.sources.sql.definitions.namespace import Namespace
from app.sources.sql.lexing.cursor import Cursor
from app.sources.sql.lexing.names import word_set
from app.sources.sql.lexing.tokens import Token, TokenKind
from app.values import fold_identifier

_ELSEWHERE = ("AS", "SELECT", "LIKE", "OF", "IGNORE", "REPLACE", "WITH")
_IGNORED_OPTIONS = word_set(
    # How MySQL keeps rows: where, how tightly, and what it counts about them.
    """
    AUTOEXTEND_SIZE AVG_ROW_LENGTH CHECKSUM COMPRESSION DELAY_KEY_WRITE ENCRYPTED ENCRYPTION ENCRYPTION_KEY_ID
    ENGINE_ATTRIBUTE IETF_QUOTES INSERT_METHOD ITEMS KEY_BLOCK_SIZE MAX_ROWS MIN_ROWS PACK_KEYS PAGE_CHECKSUM
    PAGE_COMPRESSED PAGE_COMPRESSION_LEVEL PASSWORD ROW_FORMAT SECONDARY_ENGINE SECONDARY_ENGINE_ATTRIBUTE
    STATS_AUTO_RECALC STATS_PERSISTENT STATS_SAMPLE_PAGES STORAGE TABLESPACE TRANSACTIONAL
    """
)


def read_table(cursor: Cursor, table: SqlTable, namespace: Namespace) -> None:
    """Read everything after the table's name into `table`."""
    if cursor.accept("PARTITION OF"):
        _read_partition(cursor, table, namespace)
        return
    if cursor.word != "(":
        raise cursor.refusal(f"table {table.name.label} is not defined by its columns")
    body = cursor.group()
    _read_options(cursor, table, namespace)
    _read_elements(cursor, body, table, namespace)
    if not table.columns:
        raise cursor.script.unsupported(table.at, f"table {table.name.label} has no columns")


def _read_partition(cursor: Cursor, table: SqlTable, namespace: Namespace) -> None:
    name = cursor.table_name("")
    whole = namespace.table(name)
    if whole is None or whole is table:
        raise cursor.script.invalid(table.at, f"there is no table {name.label} of which this is a partition")
    table.partition_of = whole
    if cursor.word == "(":
        for element in cursor.elements_of_group():
            if starts_constraint(element):
                add_constraint(table, read_constraint(element, namespace, table.name))
            else:
                raise element.refusal("a column of a partition has rules of its own")
    if not cursor.accept("DEFAULT"):
        cursor.expect("FOR VALUES")
        while cursor.accept("FROM", "TO", "IN", "WITH"):
            cursor.group()
    _read_options(cursor, table, namespace)


def _read_elements(cursor: Cursor, body: list[Token], table: SqlTable, namespace: Namespace) -> None:
    inherited = {fold_identifier(column.name) for column in table.columns}
    constraints: list[Constraint] = []
    for element in cursor.elements(body) if body or not inherited else ():
        if element.word == "LIKE" and cursor.dialect is not Dialect.SQLITE:
            raise element.refusal(f"table {table.name.label} takes its columns from elsewhere")
        if starts_constraint(element):
            constraints.append(read_constraint(element, namespace, table.name))
            continue
        _refuse_second(element, table, inherited)
        read_column(element, table, namespace)
        if len(table.columns) > MOST_COLUMNS:
            raise element.refusal(f"table {table.name.label} has more than {MOST_COLUMNS:,} columns")
    for constraint in constraints:
        add_constraint(table, constraint)


def _refuse_second(element: Cursor, table: SqlTable, inherited: set[str]) -> None:
    """Refuse a column that is there already, unless it is inherited; names may differ in the case of letters."""
    if not element.at_name:
        raise element.refusal("a column is wanted")
    name = element.copy().name()
    known = table.column(name)
    if known is None or fold_identifier(name) in inherited:
        return
    if known.name == name:
        raise element.refusal(f"table {table.name.label} has two columns {name}")
    reason = f"the columns {known.name} and {name} of table {table.name.label} differ in the case of letters alone"
    raise element.script.unsupported(
        element.at, reason, hint="Rename one of them: names here differ in more than case."
    )


def _read_options(cursor: Cursor, table: SqlTable, namespace: Namespace) -> None:
    """What stands after the columns."""
    collation, charset = "", namespace.collations.get(fold_identifier(table.name.schema), "")
    first = cursor.at
    while not cursor.at_end:
        if cursor.at > first and cursor.dialect is not Dialect.POSTGRES and cursor.accept(",") and cursor.at_end:
            raise cursor.refusal("an option is wanted")
        if cursor.accept("DEFAULT COLLATE", "COLLATE"):
            collation = _value(cursor).lower()
        elif cursor.accept("DEFAULT CHARSET", "DEFAULT CHARACTER SET", "CHARSET", "CHARACTER SET"):
            charset = _value(cursor).lower()
        elif cursor.accept("COMMENT"):
            table.comments[""] = _value(cursor)
        elif not _read_option(cursor, table, namespace):
            if cursor.word in _ELSEWHERE:
                raise cursor.refusal(f"table {table.name.label} takes its columns from elsewhere")
            cursor.expect_end()
    table.collation = collation or charset


def _read_option(cursor: Cursor, table: SqlTable, namespace: Namespace) -> bool:
    if cursor.accept("PARTITION BY"):
        _skip_partitioning(cursor)
        return True
    readers = {
        Dialect.MYSQL: _read_mysql_option,
        Dialect.POSTGRES: _read_postgres_option,
        Dialect.SQLITE: _read_sqlite_option,
    }
    return readers[cursor.dialect](cursor, table, namespace)


def _skip_partitioning(cursor: Cursor) -> None:
    """Where rows lie, which changes none of them; MySQL lists the partitions in brackets."""
    cursor.accept("LINEAR")
    if cursor.accept("SYSTEM_TIME"):
        cursor.rest()
        return
    if not cursor.accept("RANGE", "LIST", "HASH", "KEY"):
        raise cursor.refusal("a way of partitioning is wanted")
    if cursor.accept("ALGORITHM ="):
        cursor.integer()
    cursor.accept("COLUMNS")
    cursor.group()
    if cursor.dialect is not Dialect.MYSQL:
        return
    while cursor.accept("PARTITIONS", "SUBPARTITIONS"):
        cursor.integer()
    if cursor.accept("SUBPARTITION BY"):
        _skip_partitioning(cursor)
    elif cursor.word == "(":
        cursor.group()


def _read_mysql_option(cursor: Cursor, table: SqlTable, _: Namespace) -> bool:
    if cursor.accept("ENGINE", "TYPE"):
        engine = _value(cursor).lower()
        if engine in FOREIGN_ENGINES:
            raise cursor.refusal(f"rows of a table with the engine {engine} are kept elsewhere")
    elif cursor.accept("AUTO_INCREMENT"):
        cursor.accept("=")
        table.next_number = max(1, cursor.integer())
    elif cursor.accept("DATA DIRECTORY", "INDEX DIRECTORY", "CONNECTION", "UNION"):
        _skip_value(cursor)
    elif cursor.token.meaning.upper() in _IGNORED_OPTIONS and cursor.at_name:  # an engine's own options stand in quotes
        cursor.take()
        _skip_value(cursor)
    elif cursor.accept("SEQUENCE"):
        raise cursor.refusal("a sequence that is written as a table is not read")
    elif not cursor.accept("WITH SYSTEM VERSIONING", "START TRANSACTION"):
        return False
    return True


def _skip_value(cursor: Cursor) -> None:
    cursor.accept("=")
    if cursor.word == "(":
        cursor.group()
    else:
        cursor.take()


def _read_postgres_option(cursor: Cursor, table: SqlTable, namespace: Namespace) -> bool:
    if cursor.accept("INHERITS"):
        for part in cursor.elements_of_group():
            _inherit(part, table, namespace)
    elif cursor.accept("WITH") and cursor.word == "(":
        for part in cursor.elements_of_group():
            part.dotted_name()
            if part.accept("="):
                part.take()
            part.expect_end()
    elif cursor.accept("USING", "TABLESPACE"):
        cursor.name()
    elif not cursor.accept("WITHOUT OIDS", "ON COMMIT PRESERVE ROWS"):
        return False
    return True


def _inherit(cursor: Cursor, table: SqlTable, namespace: Namespace) -> None:
    name = namespace.made(cursor.table_name(""))
    parent = namespace.table(name)
    if parent is None:
        raise cursor.refusal(f"table {table.name.label} inherits from {name.label}, which is not defined before it")
    for column in parent.columns:
        if table.column(column.name) is None:
            table.put(replace(column))


def _read_sqlite_option(cursor: Cursor, table: SqlTable, _: Namespace) -> bool:
    if cursor.accept("STRICT"):
        table.is_strict = True
        return True
    return cursor.accept("WITHOUT ROWID")


def _value(cursor: Cursor) -> str:
    cursor.accept("=")
    if cursor.token.kind not in (TokenKind.WORD, TokenKind.NAME, TokenKind.TEXT, TokenKind.NUMBER):
        raise cursor.refusal("a value is wanted")
    return cursor.take().meaning
