"""Declared types of MySQL and PostgreSQL: what they are called, how values are kept, and how texts compare.

A type that stands in no table here, and that no statement of the script names, is refused.
"""

from collections.abc import Mapping
from dataclasses import replace

from app.sources.dialect import Dialect
from app.sources.sql.definitions.model import SqlType, Storage
from app.sources.sql.lexing.cursor import Cursor
from app.sources.sql.lexing.tokens import Token, TokenKind
from app.values import Affinity, Collation, affinity_of, fold_identifier


def _named(storage: Storage, names: str) -> dict[str, tuple[str, Storage]]:
    """Types that go by their own names, or by another one: `int4=integer`; an underscore stands for a blank."""
    pairs = (each.replace("_", " ").partition("=") for each in names.split())
    return {name: (canonical or name, storage) for name, _, canonical in pairs}


_MYSQL: Mapping[str, tuple[str, Storage]] = {
    **_named(Storage.INTEGER, "tinyint smallint mediumint int=int integer=int bigint serial=bigint year"),
    **_named(
        Storage.INTEGER, "bool=tinyint boolean=tinyint int1=tinyint int2=smallint int3=mediumint int4=int int8=bigint"
    ),
    **_named(Storage.BITS, "bit"),
    **_named(Storage.NUMERIC, "decimal numeric=decimal dec=decimal fixed=decimal"),
    **_named(Storage.REAL, "float float4=float double_precision=double double real=double float8=double"),
    **_named(Storage.TEXT, "date datetime timestamp time json uuid inet4 inet6 enum set"),
    **_named(Storage.TEXT, "char_varying=varchar character_varying=varchar national_varchar=varchar nvarchar=varchar"),
    **_named(Storage.TEXT, "national_character_varying=varchar national_char_varying=varchar nchar_varying=varchar"),
    **_named(Storage.TEXT, "char character=char nchar=char national_char=char national_character=char varchar"),
    **_named(Storage.TEXT, "tinytext=text mediumtext=text longtext=text text long_varchar=text long=text"),
    **_named(Storage.BINARY, "binary varbinary tinyblob blob mediumblob longblob vector char_byte=binary"),
    **_named(Storage.BINARY, "geometry point linestring polygon multipoint multilinestring multipolygon"),
    **_named(Storage.BINARY, "geometrycollection geomcollection"),
}
_POSTGRES: Mapping[str, tuple[str, Storage]] = {
    **_named(Storage.INTEGER, "smallint int2=smallint integer int=integer int4=integer bigint int8=bigint oid"),
    **_named(Storage.INTEGER, "smallserial=smallint serial2=smallint serial=integer serial4=integer"),
    **_named(Storage.INTEGER, "bigserial=bigint serial8=bigint"),
    **_named(Storage.BOOLEAN, "boolean bool=boolean"),
    **_named(Storage.NUMERIC, "numeric decimal=numeric dec=numeric"),
    **_named(Storage.REAL, "real float4=real double_precision=double float8=double float=double"),
    **_named(Storage.BINARY, "bytea"),
    **{name: (name, Storage.TEXT) for name in ("pg_lsn", "txid_snapshot", "pg_snapshot")},
    **_named(Storage.TEXT, "text character_varying=varchar char_varying=varchar national_character_varying=varchar"),
    **_named(Storage.TEXT, "national_char_varying=varchar nchar_varying=varchar varchar name citext bpchar"),
    **_named(Storage.TEXT, "character=char char nchar=char national_character=char national_char=char"),
    **_named(Storage.TEXT, "date timestamp timestamptz time timetz interval uuid json jsonb xml money"),
    **_named(Storage.TEXT, "inet cidr macaddr macaddr8 bit bit_varying=varbit varbit tsvector tsquery jsonpath"),
    **_named(Storage.TEXT, "point line lseg box path polygon circle hstore ltree geometry geography vector"),
    **_named(Storage.TEXT, "int4range int8range numrange tsrange tstzrange daterange"),
    **_named(Storage.TEXT, "int4multirange int8multirange nummultirange tsmultirange tstzmultirange datemultirange"),
}
POSTGRES_NAMES: Mapping[str, str] = {name: canonical for name, (canonical, _) in _POSTGRES.items()}
"""The canonical name of each built-in type of PostgreSQL by the names that it has."""

_COUNTING = frozenset({"smallserial", "serial2", "serial", "serial4", "bigserial", "serial8"})
_MOST_WORDS = 3
_CASELESS = frozenset({"char", "varchar", "text", "enum", "set"})
_SQLITE_CONSTRAINTS = frozenset(
    {"NOT", "NULL", "DEFAULT", "PRIMARY", "UNIQUE", "REFERENCES", "CHECK", "COLLATE", "GENERATED", "AS", "CONSTRAINT"}
)
_STORAGES = {
    Affinity.INTEGER: Storage.INTEGER,
    Affinity.REAL: Storage.REAL,
    Affinity.NUMERIC: Storage.NUMERIC,
    Affinity.TEXT: Storage.TEXT,
    Affinity.BLOB: Storage.BINARY,
}

NamedTypes = Mapping[str, SqlType]
"""Types that the script names, by their name in lower case."""


def read_type(cursor: Cursor, named: NamedTypes) -> tuple[SqlType, str]:
    """The type that comes next, and how it is written; `SqlUnsupportedError` for one that is not known."""
    first = cursor.token
    match cursor.dialect:
        case Dialect.SQLITE:
            return _sqlite_type(cursor)
        case Dialect.MYSQL:
            found, last = _mysql_type(cursor)
        case _:
            found, last = _postgres_type(cursor, named)
    return found, cursor.written(first, last)


def is_counting(declared: str) -> bool:
    """Whether a declared type of PostgreSQL has a sequence of its own, which its column draws from."""
    return declared.lower().rpartition(".")[2] in _COUNTING


def _known_words(cursor: Cursor, known: Mapping[str, object]) -> str:
    """The longest run of words, at most three, that is a type's name; it is stepped over. "" if none is."""
    for count in range(_MOST_WORDS, 0, -1):
        tokens = [cursor.peek(ahead) for ahead in range(count)]
        words = " ".join(token.written.lower() for token in tokens)
        if all(token.kind is TokenKind.WORD for token in tokens) and words in known:
            for _ in tokens:
                cursor.take()
            return words
    return ""


def _numbers(cursor: Cursor) -> tuple[tuple[int, ...], Token | None]:
    """The numbers in brackets that come next, if any do, and the closing bracket."""
    if cursor.word != "(":
        return (), None
    inside = cursor.group()
    numbers = []
    for part in cursor.elements(inside):
        numbers.append(part.integer())
        part.expect_end()
    return tuple(numbers), cursor.peek(-1)


def _mysql_type(cursor: Cursor) -> tuple[SqlType, Token]:
    words = _known_words(cursor, _MYSQL)
    if not words:
        raise _unknown(cursor)
    name, storage = _MYSQL["float" if words == "real" and cursor.syntax.real_is_float else words]
    last = cursor.peek(-1)
    members: tuple[str, ...] = ()
    numbers: tuple[int, ...] = ()
    if name in ("enum", "set"):
        members = tuple(part.text() for part in cursor.elements_of_group())
        last = cursor.peek(-1)
    elif cursor.word == "(":
        numbers, closing = _numbers(cursor)
        last = closing or last
    signs: list[str] = []
    while cursor.accept("UNSIGNED", "SIGNED", "ZEROFILL"):
        last = cursor.peek(-1)
        if last.word in signs:
            raise cursor.refusal(f"{last.written} stands twice")
        signs.append(last.word)
    return SqlType(name, storage, numbers=numbers, members=members, is_unsigned=signs not in ([], ["SIGNED"])), last


def with_charset(declared: SqlType, collation: str, *, is_binary: bool = False) -> SqlType:
    """A type of MySQL with the collation, or charset, in force for its texts.

    MySQL compares without case unless a collation ends in _bin or _cs or the type has its own bytes; NOCASE is the
    nearest that SQLite has. Text in the charset binary is bytes.
    """
    if declared.name not in _CASELESS or declared.storage is not Storage.TEXT:
        return declared
    charset = collation.partition("_")[0]
    if charset == "binary":
        return SqlType("varbinary", Storage.BINARY)
    exact = is_binary or collation.endswith(("_bin", "_cs"))
    return replace(declared, charset=charset, collation=Collation.BINARY if exact else Collation.NOCASE)


def _postgres_type(cursor: Cursor, named: NamedTypes) -> tuple[SqlType, Token]:
    words = _known_words(cursor, _POSTGRES) if cursor.peek().word != "." else ""
    schema, name = ("pg_catalog", words) if words else _qualified_name(cursor)
    last = cursor.peek(-1)
    found = named.get(name) if schema != "pg_catalog" else None
    if found is None:
        found, last = _built_in(cursor, name, last)
    dimensions = _array_end(cursor)
    if dimensions is not None:
        return SqlType("array", Storage.TEXT, element=found), dimensions
    return found, last


def _qualified_name(cursor: Cursor) -> tuple[str, str]:
    """The schema, "" if none is named, and the type; names without one are PostgreSQL's own first."""
    if not cursor.at_name or cursor.word in _SQLITE_CONSTRAINTS:
        raise _unknown(cursor)
    is_char = cursor.token.kind is TokenKind.NAME and cursor.token.meaning == "char"
    *schema, name = cursor.dotted_name()
    return "".join(schema[-1:]), '"char"' if is_char else fold_identifier(name)


def _built_in(cursor: Cursor, name: str, last: Token) -> tuple[SqlType, Token]:
    if name == '"char"':
        return SqlType(name, Storage.TEXT), last
    if name not in _POSTGRES:
        raise _unknown(cursor, name)
    canonical, storage = _POSTGRES[name]
    if canonical in ("geometry", "geography") and cursor.word == "(":
        cursor.group()
        return SqlType(canonical, storage), cursor.peek(-1)
    ends_with = "SECOND"
    while canonical == "interval" and cursor.accept("YEAR", "MONTH", "DAY", "HOUR", "MINUTE", "SECOND", "TO"):
        ends_with, last = cursor.peek(-1).word, cursor.peek(-1)
    if ends_with != "SECOND":
        canonical = "interval of some fields"
    numbers, closing = _numbers(cursor)
    last = closing or last
    if canonical in ("timestamp", "time"):
        if cursor.accept("WITH TIME ZONE"):
            canonical, last = f"{canonical}tz", cursor.peek(-1)
        elif cursor.accept("WITHOUT TIME ZONE"):
            last = cursor.peek(-1)
    if name == "float" and numbers and numbers[0] <= 24:
        canonical = "real"
    return SqlType(canonical, storage, _postgres_collation(canonical), numbers), last


def _postgres_collation(name: str) -> Collation:
    """PostgreSQL compares by case, character(n) without trailing spaces, and citext without case."""
    if name in ("char", "bpchar"):
        return Collation.RTRIM
    return Collation.NOCASE if name == "citext" else Collation.BINARY


def _array_end(cursor: Cursor) -> Token | None:
    """The last bracket of an array's dimensions, which are stepped over; None if the type is not one of arrays."""
    last = None
    while cursor.accept("ARRAY") or cursor.word == "[":
        last = cursor.peek(-1)
        if cursor.accept("["):
            if cursor.token.kind is TokenKind.NUMBER:
                cursor.take()
            cursor.expect("]")
            last = cursor.peek(-1)
    return last


def _sqlite_type(cursor: Cursor) -> tuple[SqlType, str]:
    """SQLite takes any words for a type, or none."""
    words: list[str] = []
    while cursor.at_name and cursor.word not in _SQLITE_CONSTRAINTS:
        words.append(cursor.take().meaning)
    declared = " ".join(words)
    if words and cursor.word == "(":
        first = cursor.token
        cursor.group()
        declared += cursor.written(first, cursor.peek(-1))
    return SqlType(fold_identifier(declared), _STORAGES[affinity_of(declared)]), declared


def _unknown(cursor: Cursor, name: str = "") -> Exception:
    if not name and (cursor.at_end or cursor.token.kind is not TokenKind.WORD):
        return cursor.refusal("a type is wanted")
    return cursor.refusal(f"the type {name or cursor.token.written} is not known")
