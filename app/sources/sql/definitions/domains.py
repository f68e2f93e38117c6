"""Types that a script makes: domains, enums and composite types; of others, columns may hold NULL only."""

from dataclasses import replace

from app.sources.sql.definitions.expressions import read_default
from app.sources.sql.definitions.keys import skip_timing
from app.sources.sql.definitions.model import SqlType, Storage
from app.sources.sql.definitions.namespace import Domain, Namespace
from app.sources.sql.definitions.types import read_type
from app.sources.sql.lexing.cursor import Cursor
from app.sources.sql.lexing.names import TableName
from app.values import fold_identifier


def create_domain(cursor: Cursor, namespace: Namespace) -> TableName:
    """CREATE DOMAIN, whose name comes next: a type with a default and rules of its own."""
    name = cursor.table_name("")
    cursor.accept("AS")
    declared, _ = read_type(cursor, namespace.types)
    domain = namespace.domains.get(declared.domain, Domain())
    while not cursor.at_end:
        if cursor.accept("CONSTRAINT"):
            cursor.name()
        elif cursor.accept("DEFAULT"):
            domain = replace(domain, default=read_default(cursor, namespace))
        elif cursor.accept("NOT NULL"):
            domain = replace(domain, not_null=True)
        elif cursor.accept("CHECK"):
            cursor.group()
            skip_timing(cursor)
        elif cursor.accept("COLLATE"):
            cursor.dotted_name()
        elif not cursor.accept("NULL"):
            cursor.expect_end()
    key = fold_identifier(name.name)
    namespace.types[key] = replace(declared, domain=key)
    namespace.domains[key] = domain
    return name


def create_type(cursor: Cursor, namespace: Namespace) -> TableName:
    """CREATE TYPE, whose name comes next: values of enums and composite types are read, of others only NULL."""
    name = cursor.table_name("")
    made = SqlType("base", Storage.TEXT)
    if cursor.accept("AS ENUM"):
        members = tuple(part.text() for part in cursor.elements_of_group() if not part.at_end)
        made = SqlType("enum", Storage.TEXT, members=members)
    elif cursor.accept("AS RANGE"):
        made = SqlType("range", Storage.TEXT)
    elif cursor.accept("AS"):
        attributes = tuple(_attribute(part, namespace) for part in cursor.elements_of_group() if not part.at_end)
        made = SqlType("composite", Storage.TEXT, attributes=attributes)
    namespace.types[fold_identifier(name.name)] = made
    return name


def _attribute(cursor: Cursor, namespace: Namespace) -> SqlType:
    """The type of one field of a composite type."""
    cursor.name()
    declared, _ = read_type(cursor, namespace.types)
    if cursor.accept("COLLATE"):
        cursor.dotted_name()
    cursor.expect_end()
    return declared
