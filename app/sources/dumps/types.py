"""Declared types of MySQL and PostgreSQL: how their values are kept, and how their texts compare."""

from collections.abc import Mapping

from app.sources.dumps.model import Storage, StoredType
from app.sources.sql.dialect import Dialect
from app.values import Collation


def _words(storage: Storage, text: str) -> dict[str, Storage]:
    return dict.fromkeys(text.split(), storage)


_MYSQL: Mapping[str, Storage] = {
    **_words(
        Storage.INTEGER, "tinyint smallint mediumint int integer bigint serial year bool boolean int1 int2 int4 int8"
    ),
    **_words(Storage.BITS, "bit"),
    **_words(Storage.DATE, "date"),
    **_words(Storage.MOMENT, "datetime timestamp"),
    **_words(Storage.NUMERIC, "decimal numeric dec fixed"),
    **_words(Storage.REAL, "float double real float4 float8"),
    **_words(
        Storage.BINARY, "binary varbinary tinyblob blob mediumblob longblob vector geometry point linestring polygon"
    ),
    **_words(Storage.BINARY, "multipoint multilinestring multipolygon geometrycollection geomcollection"),
}
_POSTGRES: Mapping[str, Storage] = {
    **_words(Storage.INTEGER, "smallint integer int bigint int2 int4 int8 oid"),
    **_words(Storage.INTEGER, "smallserial serial bigserial serial2 serial4 serial8"),
    **_words(Storage.BOOLEAN, "boolean bool"),
    **_words(Storage.NUMERIC, "numeric decimal"),
    **_words(Storage.REAL, "real float float4 float8 double"),
    **_words(Storage.DATE, "date"),
    **_words(Storage.MOMENT, "timestamp timestamptz"),
    **_words(Storage.BINARY, "bytea"),
}
_PADDED = frozenset({"character", "char", "bpchar"})
_CASELESS_BY_DEFAULT = frozenset(
    {"char", "varchar", "tinytext", "text", "mediumtext", "longtext", "enum", "set", "nchar", "nvarchar", "national"}
    | {"character"}
)


def mysql_type(words: list[str], collation: str) -> StoredType:
    """The type of a MySQL column from its words in lower case, and the collation in force for it.

    MySQL compares without case unless a collation ends in _bin or _cs or the type has its own bytes; NOCASE is the
    nearest that SQLite has. Text in the charset binary is bytes.
    """
    storage = _MYSQL.get(words[0], Storage.TEXT)
    if storage is not Storage.TEXT or words[0] not in _CASELESS_BY_DEFAULT:
        return StoredType(storage)
    if collation == "binary":
        return StoredType(Storage.BINARY)
    exact = collation.endswith(("_bin", "_cs")) or "binary" in words
    return StoredType(Storage.TEXT, Collation.BINARY if exact else Collation.NOCASE)


def postgres_type(words: list[str], domains: Mapping[str, StoredType]) -> StoredType:
    """The type of a PostgreSQL column from its words in lower case; `domains` are the types that the dump names.

    PostgreSQL compares by case, character(n) without trailing spaces, and citext without case.
    """
    if "[" in words:
        return StoredType(Storage.TEXT)
    if words[0] in domains:
        return domains[words[0]]
    if words[0] == "citext":
        return StoredType(Storage.TEXT, Collation.NOCASE)
    if words[0] in _PADDED and "varying" not in words:
        return StoredType(Storage.TEXT, Collation.RTRIM)
    return StoredType(_POSTGRES.get(words[0], Storage.TEXT))


def stored_type(dialect: Dialect, words: list[str], collation: str, domains: Mapping[str, StoredType]) -> StoredType:
    """How a column of these type words is kept."""
    if dialect is Dialect.MYSQL:
        return mysql_type(words, collation)
    return postgres_type(words, domains)
