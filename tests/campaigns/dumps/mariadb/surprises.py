"""Statements that change what was read, or how what follows is read; a reader carries them out or refuses them."""

from tests.campaigns.dumps.mariadb.tables import Table
from tests.campaigns.dumps.mariadb.types import Quoting, literal
from tests.campaigns.dumps.script import Definition, Piece, Statement
from tests.campaigns.dumps.words import Dice


def surprises(dice: Dice, tables: list[Table], quoting: Quoting) -> list[Piece]:
    """One or two of them, about any of the tables."""
    table = dice.pick(tables)
    column = dice.pick(table.columns)
    name, value = table.name, literal(dice, column.type, column.type.make(dice), quoting)
    first = table.columns[0].name
    every = (
        f"CREATE TRIGGER forget BEFORE INSERT ON {name} FOR EACH ROW SET NEW.{first} = NULL;",
        f"DELIMITER //\nCREATE TRIGGER forget AFTER INSERT ON {name} FOR EACH ROW BEGIN SET @a = 1; END//\nDELIMITER ;",
        f"UPDATE {name} SET {column.name} = {value};",
        f"DELETE FROM {name};",
        f"TRUNCATE {name};",
        f"INSERT INTO {name} () VALUES ();",
        f"INSERT INTO {name} SELECT * FROM {name};",
        f"INSERT INTO {name} ({column.name}) VALUES ({value}) ON DUPLICATE KEY UPDATE {column.name} = {value};",
        f"INSERT INTO {name} ({column.name}) VALUE ({value});",
        f"INSERT INTO {name} SET {column.name} = {value};",
        f"REPLACE INTO {name} ({column.name}) VALUES ({value}), ({value});",
        f"INSERT IGNORE INTO {name} ({column.name}) VALUES ({value}), ({value});",
        f"ALTER TABLE {name} AUTO_INCREMENT = 70;",
        f"ALTER TABLE {name} AUTO_INCREMENT = 1;",
        f"ALTER TABLE {name} ALTER COLUMN {column.name} DROP DEFAULT;",
        f"ALTER TABLE {name} ALTER {column.name} SET DEFAULT {value};",
        f"ALTER TABLE {name} DISABLE KEYS;",
        f"ALTER TABLE {name} DROP FOREIGN KEY nothing;",
        f"CREATE TABLE again AS SELECT * FROM {name};",
        f"CREATE TABLE like_it LIKE {name};",
        f"CREATE TEMPORARY TABLE short_lived (id int);\nDROP TABLE {name};",
        f"DROP TABLE IF EXISTS {name};",
        f"RENAME TABLE {name} TO elsewhere;",
        "SET sql_mode = 'NO_AUTO_VALUE_ON_ZERO';",
        "SET @@session.sql_mode = '';",
        "SET time_zone = '+09:00';",
        "SET @@auto_increment_increment = 3;",
        "SET INSERT_ID = 55;",
        "SET NAMES latin1;",
        "SET NAMES binary;",
        "SELECT SETVAL(seq_0, 60);",
        "DO SETVAL(seq_0, 70, 0);",
        "SELECT NEXT VALUE FOR seq_0;",
        "ALTER SEQUENCE seq_0 RESTART 40;",
        "ROLLBACK;",
        "COMMIT;",
        f"SELECT count(*) FROM {name};",
        "SELECT 'a;b', 1 + 1 AS two;",
        "PREPARE s FROM 'SELECT 1';\nEXECUTE s;",
        "USE campaign;",
        f"FLUSH TABLES;\nCHECK TABLE {name};",
        f"ALTER TABLE {name} ADD COLUMN late_column int NOT NULL DEFAULT 5, ADD INDEX (late_column);",
    )
    return [Statement(dice.pick(every)) for _ in range(dice.pick((1, 1, 2)))]


def with_inner_comments(dice: Dice, piece: Piece) -> Piece:
    """A definition with a comment before some of its lines."""
    if not isinstance(piece, Definition):
        return piece
    comments = ('-- it\'s; (a "comment"\n  ', "/* ' ; ) */ ", "# it's , here\n  ", "/*!40101 */ ", "--\n  ")
    entries = tuple((name, (dice.pick(comments) if dice.maybe(0.1) else "") + text) for name, text in piece.entries)
    return Definition(piece.table, entries, piece.head, piece.tail)
