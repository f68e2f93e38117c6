"""Random scripts of PostgreSQL: what makes a database to be dumped, and what people write by hand."""

from tests.campaigns.dumps.postgres.rows import rows_of
from tests.campaigns.dumps.postgres.surprises import surprises, with_inner_comments
from tests.campaigns.dumps.postgres.tables import PostgresTables
from tests.campaigns.dumps.postgres.types import OTHERS, literal
from tests.campaigns.dumps.script import Piece, Script, Statement
from tests.campaigns.dumps.words import Dice, Names, text_of

COMMENTS = (
    "-- a comment; with 'quotes and \"more",
    "/* a; 'comment' */",
    "/* a /* nested */ one; */",
    "--",
    "-- CREATE TABLE x (y int);",
    "/* multi\nline; ' */",
    "/**/",
)


def database(dice: Dice) -> Script:
    """What makes a database with a history; statements that the server refuses do not matter."""
    made = _tables(dice, odd=0.35)
    rows = [piece for table in made.tables for piece in rows_of(dice, table)]
    pieces = [*made.first, *made.definitions]
    pieces += _mixed(dice, rows, made.last)
    pieces += _history(dice, made) + _comments(dice, made) + _code(dice, made)
    if dice.maybe(0.3):
        pieces += [piece for table in made.tables for piece in rows_of(dice, table)]
    return Script(tuple(pieces))


def by_hand(dice: Dice) -> Script:
    """A script that both sides read, with rows where people put them and comments anywhere."""
    made = _tables(dice, odd=0.2)
    header = "-- PostgreSQL database dump"
    rows = [piece for table in made.tables for piece in rows_of(dice, table)]
    pieces: list[Piece] = [*_settings(dice), *made.first, *made.definitions]
    if dice.rare(0.5):
        pieces += _changes(dice, made)
    pieces += _mixed(dice, rows, made.last)
    if dice.rare(0.3):
        pieces += _changes(dice, made)
    if dice.rare(0.6):
        pieces += _comments(dice, made) + _code(dice, made)
    if dice.rare(0.3):
        place = dice.randint(len(pieces) // 2, len(pieces))
        pieces[place:place] = surprises(dice, made.tables)
    if dice.maybe(0.3):
        pieces += [piece for table in made.tables for piece in rows_of(dice, table)]
    if dice.maybe(0.2):
        pieces = [with_inner_comments(dice, each) for piece in pieces for each in _with_comment(dice, piece)]
    begin = dice.pick(("\nBEGIN;", "\nSTART TRANSACTION;", "\nbegin work;")) if dice.maybe(0.1) else ""
    after = "COMMIT;" if begin else ""
    name, encoding = ("LATIN1", "latin-1") if dice.rare(0.1) else ("", "utf-8")
    begin += "\nSET standard_conforming_strings = off;" if dice.rare(0.08) else ""
    begin += f"\nSET client_encoding = '{name}';" if name else ""
    return Script(tuple(pieces), encoding, before=header + begin, after=after)


def _tables(dice: Dice, odd: float) -> PostgresTables:
    made = PostgresTables(dice, Names(dice, odd))
    made.make(dice.pick((1, 1, 2, 2, 3, 4)))
    return made


def _mixed(dice: Dice, rows: list[Piece], last: list[Piece]) -> list[Piece]:
    """Keys after the rows, as pg_dump writes them, or before."""
    return [*rows, *last] if dice.maybe(0.6) else [*last, *rows]


def _settings(dice: Dice) -> list[Piece]:
    settings = [
        "SET client_encoding = 'UTF8';",
        "SET standard_conforming_strings = on;",
        "SET search_path = public;",
        "SET statement_timeout = 0;",
        "SELECT pg_catalog.set_config('search_path', 'public', false);",
        "SET client_min_messages TO warning;",
        "SET datestyle = 'ISO, MDY';",
        "SET timezone = 'UTC';",
    ]
    return [Statement(text) for text in settings if dice.maybe(0.12)]


def _with_comment(dice: Dice, piece: Piece) -> list[Piece]:
    return [Statement(dice.pick(COMMENTS)), piece] if dice.maybe(0.2) else [piece]


def _changes(dice: Dice, made: PostgresTables) -> list[Piece]:
    """ALTER TABLE as people write it before or after the rows."""
    pieces: list[Piece] = []
    for table in dice.some(made.tables):
        column = dice.pick(table.columns)
        value = literal(dice, column.type, column.type.make(dice))
        kind = dice.pick(OTHERS)
        narrow = dice.pick(("text", "varchar(3)", "bigint", "numeric(6,1)"))
        change = dice.pick(
            (
                f"ADD COLUMN extra_{len(pieces)} {kind.declared}",
                f"ADD COLUMN extra_{len(pieces)} {kind.declared} DEFAULT {literal(dice, kind, kind.make(dice))}",
                f"ALTER COLUMN {column.name} SET DEFAULT {value}",
                f"ALTER {column.name} DROP DEFAULT",
                f"ALTER COLUMN {column.name} DROP NOT NULL",
                f"ALTER COLUMN {column.name} SET NOT NULL",
                f"DROP COLUMN {column.name}",
                f"RENAME COLUMN {column.name} TO renamed_{len(pieces)}",
                f"RENAME TO moved_{len(pieces)}",
                f"ALTER COLUMN {column.name} TYPE {narrow} USING {column.name}::text::{narrow}",
                f"ALTER COLUMN {column.name} SET STATISTICS 100",
                "OWNER TO tester",
                "ENABLE ROW LEVEL SECURITY",
                f"DROP CONSTRAINT IF EXISTS {table.name.rpartition('.')[2]}_pkey",
            )
        )
        pieces.append(Statement(f"ALTER TABLE {dice.pick(('', 'ONLY ', 'IF EXISTS '))}{table.name} {change};"))
    return pieces


def _history(dice: Dice, made: PostgresTables) -> list[Piece]:
    """What a database has been through: none of it is seen in a dump but by its result."""
    pieces = _changes(dice, made) if dice.maybe(0.4) else []
    for table in dice.some(made.tables) if dice.maybe(0.3) else ():
        column = dice.pick(table.columns)
        value = literal(dice, column.type, column.type.make(dice))
        pieces.append(
            Statement(
                dice.pick(
                    (
                        f"UPDATE {table.name} SET {column.name} = {value};",
                        f"DELETE FROM {table.name} WHERE {column.name} IS NULL;",
                        f"TRUNCATE {table.name} CASCADE;",
                        f"VACUUM FULL {table.name};",
                        f"INSERT INTO {table.name} SELECT * FROM {table.name};",
                    )
                )
            )
        )
    return pieces


def _comments(dice: Dice, made: PostgresTables) -> list[Piece]:
    found: list[Piece] = []
    for table in dice.some(made.tables) if dice.maybe(0.3) else ():
        text = text_of(dice).replace("'", "''")
        place = dice.pick((f"TABLE {table.name}", f"COLUMN {table.name}.{dice.pick(table.columns).name}"))
        found.append(Statement(f"COMMENT ON {place} IS '{text}';"))
    return found


def _code(dice: Dice, made: PostgresTables) -> list[Piece]:
    """Views, functions, triggers, rules, indexes, grants and policies."""
    table, other = dice.pick(made.tables), dice.pick(made.tables)
    first = table.columns[0].name
    body = "$$ BEGIN NEW := NEW; RAISE NOTICE 'x; y'; RETURN NEW; END $$"
    every = (
        f"CREATE VIEW some_view AS SELECT * FROM {table.name} WHERE {first} IS NOT NULL;",
        f"CREATE MATERIALIZED VIEW some_rows AS SELECT count(*) AS n FROM {table.name};",
        f"CREATE FUNCTION some_trigger() RETURNS trigger LANGUAGE plpgsql AS {body};\n"
        f"CREATE TRIGGER some_trigger BEFORE INSERT OR UPDATE ON {table.name}\n"
        "FOR EACH ROW EXECUTE FUNCTION some_trigger();",
        "CREATE FUNCTION two(a integer) RETURNS integer LANGUAGE sql IMMUTABLE\n"
        "BEGIN ATOMIC SELECT 1; SELECT CASE WHEN a > 1 THEN 2 ELSE 3 END; END;",
        "CREATE FUNCTION one() RETURNS text LANGUAGE sql AS 'SELECT ''a; b''::text';",
        f"CREATE RULE some_rule AS ON DELETE TO {table.name} DO INSTEAD NOTHING;",
        f"CREATE INDEX ON {table.name} ({first});",
        f"CREATE INDEX some_index ON {table.name} ((CASE WHEN {first} IS NULL THEN 1 END)) WHERE {first} IS NOT NULL;",
        f"CREATE UNIQUE INDEX partly ON {other.name} ((1)) WHERE false;",
        f"GRANT SELECT ON {table.name} TO PUBLIC;",
        f"CREATE POLICY some_policy ON {table.name} USING (true);",
        f"CREATE STATISTICS some_statistics ON {first}, {other.columns[-1].name} FROM {table.name};",
        "CREATE AGGREGATE total_of(integer) (SFUNC = int4pl, STYPE = integer);",
        "CREATE COLLATION german (provider = icu, locale = 'de');",
        "CREATE EXTENSION IF NOT EXISTS hstore;",
        "CREATE PUBLICATION some_publication FOR ALL TABLES;",
        "SELECT lo_create(4711);",
        "CREATE PROCEDURE run() LANGUAGE plpgsql AS $p$ BEGIN DELETE FROM nothing; END; $p$;",
        "CREATE EVENT TRIGGER none ON ddl_command_start EXECUTE FUNCTION nothing();",
        "CREATE OPERATOR === (LEFTARG = integer, RIGHTARG = integer, FUNCTION = int4eq);",
        f"ALTER TABLE {table.name} CLUSTER ON some_index;",
        f"ALTER TABLE {table.name} REPLICA IDENTITY FULL;",
        "CREATE SEQUENCE lonely START 7;",
        "SELECT nextval('lonely');",
    )
    return [Statement(text) for text in every if dice.maybe(0.06)]
