"""SQL modes of MySQL that change what quotes and backslashes mean are followed, as the mysql client does."""

from pathlib import Path

import pytest

from app.errors import SourceError, SqlUnsupportedError
from app.sources.dialect import Dialect
from app.sources.sql.lexing.script import Script
from app.sources.sql.lexing.syntax import Syntax
from app.sources.sql.reading.definitions import Definitions
from app.sources.sql.statements.splitter import Statement, StatementSplitter
from tests.sources.dumps.support import column, mysql, postgres, rows

TRIGGER = """
CREATE TABLE t (a int, b text);
CREATE TABLE u (a int);
INSERT INTO t VALUES (1, "it\\'s");
/*!50003 SET @saved_sql_mode       = @@sql_mode */ ;
/*!50003 SET sql_mode              = '{mode}' */ ;
DELIMITER ;;
/*!50003 CREATE*/ /*!50003 TRIGGER `tr` BEFORE INSERT ON `u` FOR EACH ROW SET NEW.b = {value} */;;
DELIMITER ;
/*!50003 SET sql_mode              = @saved_sql_mode */ ;
INSERT INTO t VALUES (2, "a\\nb");
"""
NAME, TEXT = 'NEW."it\'s"', r"'C:\'"
MODES = {
    "ANSI_QUOTES,STRICT_TRANS_TABLES": NAME,
    "NO_BACKSLASH_ESCAPES": TEXT,
    "REAL_AS_FLOAT,PIPES_AS_CONCAT,ANSI_QUOTES,IGNORE_SPACE,ANSI": NAME,
    "PIPES_AS_CONCAT,ANSI_QUOTES,IGNORE_SPACE,ORACLE,NO_KEY_OPTIONS": NAME,
}
"""Modes, and what has a quote in the trigger's body that means something else in other modes."""


@pytest.mark.parametrize("mode", MODES)
def test_a_trigger_in_its_own_mode(tmp_path: Path, mode: str) -> None:
    source = mysql(tmp_path, TRIGGER.format(mode=mode, value=MODES[mode]))

    assert rows(source, "t") == [(1, "it's"), (2, "a\nb")]
    assert "Skipped 1 trigger: tr." in source.notes


def test_double_quotes_enclose_names_in_ansi_mode(tmp_path: Path) -> None:
    source = mysql(
        tmp_path,
        """/*!40101 SET SQL_MODE='ANSI,STRICT_ALL_TABLES' */;
CREATE TABLE "a ""b" ("x" int, "y z" varchar(9) DEFAULT 'd\\'' /*!50705 , "w" int */, PRIMARY KEY ("x"));
INSERT INTO "a ""b" ("x", "y z") VALUES (1, 'it\\'s'), (2, NULL);
INSERT INTO `a "b` VALUES (3, 'p', 4);
""",
    )

    assert rows(source, 'a "b') == [(1, "it's", None), (2, None, None), (3, "p", 4)]
    assert source.schema.table('a "b').primary_key == ("x",)
    with pytest.raises(SqlUnsupportedError, match="a literal value is wanted"):
        mysql(tmp_path, "SET sql_mode = 'ANSI';\nCREATE TABLE t (a text);\nINSERT INTO t VALUES (\"x\");")


def test_backslashes_are_characters_without_escapes(tmp_path: Path) -> None:
    source = mysql(
        tmp_path,
        r"""SET SESSION sql_mode = "NO_BACKSLASH_ESCAPES";
CREATE TABLE t (a text, b varchar(9) DEFAULT 'C:\' COMMENT 'D:\', c int /*! , d int */);
INSERT INTO t (a) VALUES ('a\nb''\'), ("say ""x""\"), (N'\');
SET sql_mode = DEFAULT;
INSERT INTO t (a) VALUES ('it\'s');
""",
    )

    assert column(source, "t", "a") == ["a\\nb'\\", 'say "x"\\', "\\", "it's"]
    assert column(source, "t", "b") == ["C:\\"] * 4
    assert source.comments == {("t", "b"): "D:\\"}


def test_a_comment_in_a_definition_is_no_text(tmp_path: Path) -> None:
    source = mysql(tmp_path, "CREATE TABLE t (a int, -- it's a\n# it's b\n/*!50705 b int, */ c int);")

    assert source.schema.table("t").column_names == ("a", "b", "c")


def test_definitions_of_postgres_follow_their_setting(tmp_path: Path) -> None:
    text = "SET standard_conforming_strings = off;\nCREATE TABLE t (a int, b text DEFAULT 'it\\'s');\n"

    assert column(postgres(tmp_path, text + "INSERT INTO t (a) VALUES (1);"), "t", "b") == ["it's"]


NORMAL = Syntax(Dialect.MYSQL, escapes=True)
ANSI = Syntax(Dialect.MYSQL, escapes=True, ansi_quotes=True, real_is_float=True)
QUOTES = Syntax(Dialect.MYSQL, escapes=True, ansi_quotes=True)
PLAIN = Syntax(Dialect.MYSQL)
SETTINGS = {
    "SET SQL_MODE='ansi'": ANSI,
    "SET @@session.sql_mode := 'NO_BACKSLASH_ESCAPES'": PLAIN,
    "SET @@sql_mode = 'ANSI_QUOTES'": QUOTES,
    "SET LOCAL sql_mode = 'ANSI_QUOTES,NO_BACKSLASH_ESCAPES'": Syntax(Dialect.MYSQL, ansi_quotes=True),
    "SET GLOBAL sql_mode = 'ANSI'": NORMAL,
    "SET @@GLOBAL.sql_mode = 'ANSI'": NORMAL,
    "SET NAMES utf8, sql_mode='ANSI', @x = 1": ANSI,
    "SET sql_mode='ANSI', @OLD=@@sql_mode, sql_mode='', sql_mode=IFNULL(@old, '')": ANSI,
    "SET sql_mode='ANSI', sql_mode=@unset": NORMAL,
    "SET @OLD_SQL_MODE=@@SQL_MODE, SQL_MODE='NO_AUTO_VALUE_ON_ZERO'": NORMAL,
    "SET sql_mode='ANSI'; SET sql_mode=0": NORMAL,
    "SET lc_messages = 'ANSI', @sql_mode = 'ANSI'": NORMAL,
}


@pytest.mark.parametrize("text", SETTINGS)
def test_assignments_of_the_mode(text: str) -> None:
    definitions = Definitions(Dialect.MYSQL, raise_problem)
    definitions.read(StatementSplitter(Script("x.sql", text), definitions.session).statements())

    assert definitions.session.settings.syntax == SETTINGS[text]


def raise_problem(_: Statement, error: SourceError) -> None:
    raise error
