"""Random scripts of MariaDB: what makes a database to be dumped, and what people write by hand."""

from tests.campaigns.dumps.mariadb.rows import rows_of
from tests.campaigns.dumps.mariadb.surprises import surprises, with_inner_comments
from tests.campaigns.dumps.mariadb.tables import MariadbTables
from tests.campaigns.dumps.mariadb.types import OTHERS, Quoting, literal
from tests.campaigns.dumps.script import Piece, Script, Statement
from tests.campaigns.dumps.words import Dice, Names

COMMENTS = (
    "-- a comment; with 'quotes and \"more",
    "/* a; 'comment' */",
    "# a 'hash; comment",
    "--",
    "-----------------",
    "/* multi\nline; ' */",
    "/*!40101 SET @x = 1 */;",
    "/*!50003 SET @y = 'a;b' */;",
    "/*M!100100 SET @z = 1 */;",
    "--\ta tab",
)
_MODES = ("NO_BACKSLASH_ESCAPES", "ANSI_QUOTES", "NO_AUTO_VALUE_ON_ZERO", "ANSI", "TRADITIONAL", "")


def database(dice: Dice) -> Script:
    """What makes a database with a history; statements that the server refuses do not matter."""
    quoting = Quoting()
    made = _tables(dice, quoting, odd=0.35)
    rows = [piece for table in made.tables for piece in rows_of(dice, table, quoting)]
    pieces = [*made.definitions, *_mixed(dice, rows, made.last), *_history(dice, made, quoting), *_code(dice, made)]
    if dice.maybe(0.3):
        pieces += [piece for table in made.tables for piece in rows_of(dice, table, quoting)]
    return Script(tuple(pieces), session={"charset": dice.pick(("utf8mb4",) * 4 + ("latin1",))})


def by_hand(dice: Dice) -> Script:
    """A script that both sides read."""
    mode = dice.pick(_MODES) if dice.maybe(0.25) else ""
    quoting = Quoting("NO_BACKSLASH" not in mode, "ANSI" not in mode)
    made = _tables(dice, quoting, odd=0.2)
    rows = [piece for table in made.tables for piece in rows_of(dice, table, quoting)]
    pieces: list[Piece] = [*_settings(dice, mode), *made.definitions]
    pieces += _changes(dice, made, quoting) if dice.rare(0.4) else []
    pieces += _mixed(dice, rows, made.last)
    pieces += _changes(dice, made, quoting) if dice.rare(0.3) else []
    pieces += _code(dice, made) if dice.rare(0.6) else []
    if dice.maybe(0.3):
        pieces += [piece for table in made.tables for piece in rows_of(dice, table, quoting)]
    if dice.rare(0.3):
        place = dice.randint(len(pieces) // 2, len(pieces))
        pieces[place:place] = surprises(dice, made.tables, quoting)
    if dice.maybe(0.2):
        pieces = [with_inner_comments(dice, each) for piece in pieces for each in _with_comment(dice, piece)]
    begin = dice.pick(("\nSTART TRANSACTION;", "\nSET AUTOCOMMIT = 0;", "\nBEGIN;")) if dice.maybe(0.1) else ""
    after = "COMMIT;" if begin else ""
    name, encoding = dice.pick((("latin1", "cp1252"), ("cp1251", "cp1251"))) if dice.rare(0.1) else ("", "utf-8")
    begin += f"\nSET NAMES {name};" if name else ""
    return Script(tuple(pieces), encoding, before="-- MySQL dump 10.13" + begin, after=after)


def _tables(dice: Dice, quoting: Quoting, odd: float) -> MariadbTables:
    made = MariadbTables(dice, Names(dice, odd), quoting)
    made.make(dice.pick((1, 1, 2, 2, 3, 4)))
    return made


def _mixed(dice: Dice, rows: list[Piece], last: list[Piece]) -> list[Piece]:
    return [*rows, *last] if dice.maybe(0.5) else [*last, *rows]


def _settings(dice: Dice, mode: str) -> list[Piece]:
    settings = [
        "SET NAMES utf8mb4;",
        "/*!40101 SET NAMES utf8mb4 */;",
        "SET FOREIGN_KEY_CHECKS=0;",
        "SET time_zone = '+00:00';",
        "SET @OLD_UNIQUE_CHECKS=@@UNIQUE_CHECKS, UNIQUE_CHECKS=0;",
        "SET foreign_key_checks = 0;",
        "SET CHARACTER SET utf8mb4;",
    ]
    chosen: list[Piece] = [Statement(text) for text in settings if dice.maybe(0.12)]
    if mode:
        way = dice.pick(
            (
                "SET sql_mode = '{}';",
                "SET SQL_MODE='{}';",
                "/*!40101 SET SQL_MODE='{}' */;",
                "SET SESSION sql_mode = '{}';",
            )
        )
        chosen.append(Statement(way.format(mode)))
    return chosen


def _with_comment(dice: Dice, piece: Piece) -> list[Piece]:
    return [Statement(dice.pick(COMMENTS)), piece] if dice.maybe(0.2) else [piece]


def _changes(dice: Dice, made: MariadbTables, quoting: Quoting) -> list[Piece]:
    """ALTER TABLE as people write it before or after the rows."""
    pieces: list[Piece] = []
    for table in dice.some(made.tables):
        column, kind = dice.pick(table.columns), dice.pick(OTHERS)
        value = literal(dice, kind, kind.make(dice), quoting)
        change = dice.pick(
            (
                f"ADD COLUMN extra_{len(pieces)} {kind.declared}",
                f"ADD extra_{len(pieces)} {kind.declared} DEFAULT {value}",
                f"ADD COLUMN extra_{len(pieces)} {kind.declared} FIRST",
                f"ADD COLUMN extra_{len(pieces)} {kind.declared} AFTER {column.name}",
                f"ALTER COLUMN {column.name} DROP DEFAULT",
                f"DROP COLUMN {column.name}",
                f"CHANGE {column.name} renamed_{len(pieces)} {column.type.declared}",
                f"MODIFY {column.name} {dice.pick(('varchar(3)', 'text', 'int', column.type.declared))}",
                f"RENAME TO moved_{len(pieces)}",
                f"RENAME COLUMN {column.name} TO renamed_{len(pieces)}",
                "AUTO_INCREMENT = 300",
                "DROP PRIMARY KEY",
                f"ADD INDEX ({column.name})",
                "ENGINE=InnoDB",
                "CONVERT TO CHARACTER SET latin1",
                "COMMENT='changed; it'",
                f"ADD UNIQUE some_{len(pieces)} ({column.name})",
                "ORDER BY 1",
            )
        )
        pieces.append(Statement(f"{dice.pick(('ALTER', 'alter'))} TABLE {table.name} {change};"))
    return pieces


def _history(dice: Dice, made: MariadbTables, quoting: Quoting) -> list[Piece]:
    """What a database has been through: none of it is seen in a dump but by its result."""
    pieces = _changes(dice, made, quoting) if dice.maybe(0.4) else []
    for table in dice.some(made.tables) if dice.maybe(0.3) else ():
        column = dice.pick(table.columns)
        value = literal(dice, column.type, column.type.make(dice), quoting)
        change = dice.pick(
            (
                f"UPDATE {table.name} SET {column.name} = {value};",
                f"DELETE FROM {table.name} WHERE {column.name} IS NULL;",
                f"OPTIMIZE TABLE {table.name};",
                f"INSERT INTO {table.name} SELECT * FROM {table.name};",
                f"UPDATE {table.name} SET {column.name} = DEFAULT LIMIT 1;",
            )
        )
        pieces.append(Statement(change))
    return pieces


def _code(dice: Dice, made: MariadbTables) -> list[Piece]:
    """Views, triggers, procedures, events, grants and sequences."""
    table = dice.pick(made.tables)
    first = table.columns[0].name
    every = (
        f"CREATE VIEW some_view AS SELECT * FROM {table.name} WHERE {first} IS NOT NULL;",
        f"CREATE OR REPLACE ALGORITHM=MERGE VIEW other_view AS SELECT {first} AS a FROM {table.name};",
        f"DELIMITER ;;\nCREATE TRIGGER some_trigger BEFORE INSERT ON {table.name} FOR EACH ROW\n"
        "BEGIN SET @a = 'x;;y'; SET @b = 1; END ;;\nDELIMITER ;",
        f"CREATE TRIGGER one_trigger AFTER UPDATE ON {table.name} FOR EACH ROW SET @a = 1;",
        "DELIMITER //\nCREATE PROCEDURE run(IN a INT)\n"
        "BEGIN DELETE FROM nothing; IF a THEN SELECT 'b;'; END IF; END//\nDELIMITER ;",
        "CREATE FUNCTION two(a INT) RETURNS INT DETERMINISTIC RETURN a * 2;",
        "CREATE EVENT some_event ON SCHEDULE EVERY 1 DAY DO SET @a = 1;",
        f"CREATE INDEX some_index ON {table.name} ({first});",
        "CREATE SEQUENCE lonely START WITH 7;",
        "SELECT NEXTVAL(lonely);",
        f"ANALYZE TABLE {table.name};",
        "DO 1;",
        "DROP TABLE IF EXISTS not_there;",
        "SELECT 'some; text' AS info;",
        f"LOCK TABLES {table.name} WRITE;\nUNLOCK TABLES;",
        f"CREATE TABLE copy_of LIKE {table.name};",
        f"SHOW CREATE TABLE {table.name};",
    )
    return [Statement(text) for text in every if dice.maybe(0.06)]
