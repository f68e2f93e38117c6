"""Statements that change what was read, or how what follows is read; a reader carries them out or refuses them."""

from tests.campaigns.dumps.postgres.columns import Table
from tests.campaigns.dumps.postgres.types import literal
from tests.campaigns.dumps.script import Definition, Piece, Statement
from tests.campaigns.dumps.words import Dice

_UPPER = "$$ BEGIN NEW := NULL; RETURN NEW; END $$"


def surprises(dice: Dice, tables: list[Table]) -> list[Piece]:
    """One or two of them, about any of the tables."""
    table = dice.pick(tables)
    column = dice.pick(table.columns)
    name, value = table.name, literal(dice, column.type, column.type.make(dice))
    every = (
        f"CREATE FUNCTION forget() RETURNS trigger LANGUAGE plpgsql AS {_UPPER};\n"
        f"CREATE TRIGGER forget BEFORE INSERT ON {name} FOR EACH ROW EXECUTE FUNCTION forget();",
        f"CREATE RULE forget AS ON INSERT TO {name} DO INSTEAD NOTHING;",
        f"UPDATE {name} SET {column.name} = {value};",
        f"DELETE FROM {name};",
        f"TRUNCATE {name} RESTART IDENTITY CASCADE;",
        f"INSERT INTO {name} DEFAULT VALUES;",
        f"INSERT INTO {name} SELECT * FROM {name};",
        f"INSERT INTO {name} ({column.name}) VALUES ({value}) ON CONFLICT DO NOTHING RETURNING *;",
        f"INSERT INTO {name} AS other ({column.name}) VALUES ({value});",
        f"COPY {name} ({column.name}) FROM stdin WITH (FORMAT csv, NULL 'x');\nx\n\\.",
        f"COPY {name} ({column.name}) FROM stdin WITH DELIMITER ',' NULL '';\n\n\\.",
        "ALTER SEQUENCE IF EXISTS seq_0 RESTART WITH 40;",
        "SELECT setval('seq_0', 60);",
        "SELECT setval('seq_0', 70, false);",
        "SELECT pg_catalog.setval('seq_0', 1);",
        "SELECT nextval('seq_0');",
        f"ALTER TABLE {name} ALTER COLUMN {column.name} DROP DEFAULT;",
        f"ALTER TABLE {name} ALTER COLUMN {column.name} SET DEFAULT {value};",
        f"ALTER TABLE {name} ALTER COLUMN {table.columns[0].name} RESTART WITH 80;",
        f"ALTER TABLE {name} DISABLE TRIGGER ALL;",
        f"CREATE TABLE again AS SELECT * FROM {name};",
        f"CREATE TABLE like_it (LIKE {name} INCLUDING DEFAULTS);",
        f"CREATE TABLE typed OF nothing;\nDROP TABLE {name} CASCADE;",
        f"DROP TABLE IF EXISTS {name} CASCADE;",
        "CREATE SCHEMA later CREATE TABLE one (id int PRIMARY KEY) CREATE TABLE two (id int REFERENCES one);",
        "SET search_path = nowhere, public;",
        "SET standard_conforming_strings = off;",
        "SET timezone = 'Asia/Tokyo';",
        "SET datestyle = 'SQL, DMY';",
        "SET intervalstyle = 'iso_8601';",
        "SET LOCAL timezone = 'Asia/Tokyo';",
        "SET session_replication_role = replica;",
        "DO $$ BEGIN NULL; END $$;",
        "ROLLBACK;",
        "SAVEPOINT a;",
        f"SELECT count(*) FROM {name};",
        "VALUES (1), (2);",
        "\\echo done; 'it",
        "\\set x 'y'",
        f"LOCK TABLE {name} IN SHARE MODE;",
        f"ANALYZE {name};",
        f"ALTER TABLE {name} RENAME CONSTRAINT nothing TO other;",
        f"ALTER TABLE {name} ADD COLUMN late_column integer DEFAULT 5 NOT NULL, DROP COLUMN IF EXISTS nothing;",
    )
    return [Statement(dice.pick(every)) for _ in range(dice.pick((1, 1, 2)))]


def with_inner_comments(dice: Dice, piece: Piece) -> Piece:
    """A definition with a comment before some of its lines."""
    if not isinstance(piece, Definition):
        return piece
    comments = ('-- it\'s; (a "comment"\n  ', "/* ' ; ) */ ", "/* /* , */ */", "--\n  ")
    entries = tuple((name, (dice.pick(comments) if dice.maybe(0.1) else "") + text) for name, text in piece.entries)
    return Definition(piece.table, entries, piece.head, piece.tail)
