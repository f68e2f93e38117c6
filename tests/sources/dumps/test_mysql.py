"""What mysqldump, phpMyAdmin and people write for MySQL, and what becomes of it."""

from pathlib import Path

import pytest

from app.errors import CellInvalidError, SourceEncodingError, SourceError, SqlInvalidError, SqlUnsupportedError
from app.sources.relational_source import WarningCode
from app.tables.schema import ForeignKey
from app.values import Affinity, Collation
from tests.sources.dumps.support import column, mysql, read, rows

WHOLE = r"""-- MySQL dump 10.13  Distrib 8.0.36, for Linux (x86_64)
/*!40101 SET @OLD_CHARACTER_SET_CLIENT=@@CHARACTER_SET_CLIENT */;
/*!50503 SET NAMES utf8mb4 */;
CREATE DATABASE /*!32312 IF NOT EXISTS*/ `shop` /*!40100 DEFAULT CHARACTER SET utf8mb4 */;
USE `shop`;
DROP TABLE IF EXISTS `order line`;
/*!50001 DROP VIEW IF EXISTS `v`*/;
/*!50001 CREATE TABLE `v` (`a` tinyint NOT NULL) ENGINE=MyISAM */;
CREATE TABLE `order line` (
  `order` int(11) unsigned NOT NULL COMMENT 'the order''s; number',
  `line` int NOT NULL,
  `price` decimal(10,2) DEFAULT '0.00',
  `note` varchar(40) CHARACTER SET latin1 COLLATE latin1_bin DEFAULT NULL,
  `kind` enum('a','b;c') COLLATE utf8mb4_unicode_ci DEFAULT 'a',
  `made` timestamp NOT NULL DEFAULT CURRENT_TIMESTAMP ON UPDATE CURRENT_TIMESTAMP,
  PRIMARY KEY (`order`,`line`),
  UNIQUE KEY `u` (`note`(10)),
  KEY `k` ((`line` + 1)),
  FULLTEXT KEY `f` (`note`),
  CONSTRAINT `fk` FOREIGN KEY (`order`) REFERENCES `order` (`id`) ON DELETE CASCADE,
  CONSTRAINT `c` CHECK ((`line` > 0))
) ENGINE=InnoDB AUTO_INCREMENT=3 DEFAULT CHARSET=utf8mb4 COMMENT='lines; of orders'
/*!50100 PARTITION BY RANGE (line) (PARTITION p0 VALUES LESS THAN (10) ENGINE = InnoDB) */;
LOCK TABLES `order line` WRITE;
/*!40000 ALTER TABLE `order line` DISABLE KEYS */;
INSERT INTO `order line` VALUES (1,1,1.50,'a','a','2020-01-02 03:04:05'),(1,2,NULL,NULL,'b;c','2020-01-02 03:04:05');
/*!40000 ALTER TABLE `order line` ENABLE KEYS */;
UNLOCK TABLES;
CREATE TABLE `order` (`id` int unsigned NOT NULL AUTO_INCREMENT, PRIMARY KEY (`id`)) ENGINE=InnoDB;
INSERT INTO `order` VALUES (1);
DELIMITER ;;
/*!50003 CREATE*/ /*!50017 DEFINER=`root`@`%`*/ /*!50003 TRIGGER `tr` BEFORE INSERT ON `order` FOR EACH ROW BEGIN
  SET NEW.id = 1; INSERT INTO log VALUES ('x');
END */;;
CREATE DEFINER=`root`@`%` PROCEDURE `p`(IN a INT) BEGIN DELETE FROM `order`; END ;;
DELIMITER ;
/*!50001 DROP TABLE IF EXISTS `v`*/;
/*!50001 CREATE ALGORITHM=UNDEFINED */
/*!50013 DEFINER=`root`@`%` SQL SECURITY DEFINER */
/*!50001 VIEW `v` AS select 1 AS `a` */;
GRANT SELECT ON shop.* TO 'x'@'%';
-- Dump completed
"""


def test_a_dump_of_mysqldump(tmp_path: Path) -> None:
    source = mysql(tmp_path, WHOLE)
    line = source.schema.table("order line")

    assert list(source.tables) == ["order line", "order"]
    assert rows(source, "order line") == [
        (1, 1, 1.5, "a", "a", "2020-01-02 03:04:05"),
        (1, 2, None, None, "b;c", "2020-01-02 03:04:05"),
    ]
    assert line.primary_key == ("order", "line")
    assert line.unique_keys == (("order", "line"), ("note",))
    assert source.schema.foreign_keys == (ForeignKey("order line", ("order",), "order", ("id",)),)
    assert source.comments == {("order line", "order"): "the order's; number", ("order line", None): "lines; of orders"}
    assert source.warnings == ()


def test_columns_keep_their_types_with_mysqls_comparisons(tmp_path: Path) -> None:
    columns = {each.name: each for each in mysql(tmp_path, WHOLE).schema.table("order line").columns}

    assert columns["order"].declared_type == "int(11) unsigned"
    assert columns["order"].not_null
    assert columns["price"].affinity is Affinity.NUMERIC
    assert columns["note"].collation is Collation.BINARY
    assert columns["kind"].collation is Collation.NOCASE
    assert (columns["kind"].affinity, columns["made"].affinity) == (Affinity.TEXT, Affinity.TEXT)


def test_what_is_left_out_is_named(tmp_path: Path) -> None:
    notes = "\n".join(mysql(tmp_path, WHOLE).notes)

    for words in (
        "1 trigger: tr.",
        "1 procedure: p.",
        "1 view: v.",
        "1 database: shop.",
        "1 GRANT",
        "1 LOCK",
        "2 DROP TABLE",
    ):
        assert words in notes


LITERALS = {
    r"'it\'s'": "it's",
    "'it''s'": "it's",
    r"'\\'": "\\",
    r"'\\\''": "\\'",
    r"'a\nb\tc\rd\0e\Z\b'": "a\nb\tc\rd\0e\x1a\b",
    r"'100\% \_x \q'": "100\\% \\_x q",
    r"""'say \"x\"'""": 'say "x"',
    r'''"double ""x"" it''s \"y\" "''': 'double "x" it\'\'s "y" ',
    "''": "",
    "'NULL'": "NULL",
    "NULL": None,
    "null": None,
    "N'x'": "x",
    "_utf8mb4'x'": "x",
    "_utf8mb3 'it\\'s'": "it's",
    "_binary 'abc'": "abc",
    "0x616263": "abc",
    "x'616263'": "abc",
    "X''": "",
    "'-- no comment; (1),(2)'": "-- no comment; (1),(2)",
    "'ä€😀'": "ä€😀",
    "1.10": "1.10",
    "TRUE": "1",
}


@pytest.mark.parametrize("literal", LITERALS)
def test_text_literals(tmp_path: Path, literal: str) -> None:
    source = mysql(tmp_path, f"CREATE TABLE t (id int, a text);\nINSERT INTO t VALUES (1, {literal}), (2,'x');")

    assert column(source, "t", "a") == [LITERALS[literal], "x"]


NUMBERS = {
    "int": {"1": 1, "-1": -1, "+7": 7, "'12'": 12, "TRUE": 1, "false": 0, "0x10": 16, "b'101'": 5, "NULL": None},
    "bigint": {"9223372036854775807": 2**63 - 1, "-9223372036854775808": -(2**63)},
    "decimal(10,2)": {"0.99": 0.99, "5.00": 5, "-1.5e2": -150, "'3.50'": 3.5, ".5": 0.5, "7.": 7},
    "double": {"1": 1.0, "1e300": 1e300, "-0.1": -0.1},
    "bit(8)": {"b'00000101'": 5, "_binary '\\0'": 0, "_binary '\x07'": 7, "0x0F": 15, "0b11": 3, "3": 3},
    "tinyint(1)": {"1": 1, "0": 0},
    "year": {"2006": 2006},
}


@pytest.mark.parametrize(("declared", "literal"), [(kind, text) for kind in NUMBERS for text in NUMBERS[kind]])
def test_number_literals(tmp_path: Path, declared: str, literal: str) -> None:
    source = mysql(tmp_path, f"CREATE TABLE t (a {declared});\nINSERT INTO t VALUES ({literal});")

    [cell] = column(source, "t", "a")
    assert (cell, type(cell)) == (NUMBERS[declared][literal], type(NUMBERS[declared][literal]))


MOMENTS = {
    ("date", "2021/1/9"): "2021-01-09",
    ("date", "2021-01-09"): "2021-01-09",
    ("datetime", "2021/1/9"): "2021-01-09 00:00:00",
    ("datetime", "2021-1-9 3:4"): "2021-01-09 03:04:00",
    ("datetime(3)", "2021-01-09 03:04:05.120"): "2021-01-09 03:04:05.120",
    ("timestamp", "0000-00-00 00:00:00"): "0000-00-00 00:00:00",
    ("time", "10:00:00"): "10:00:00",
}


@pytest.mark.parametrize(("declared", "written"), MOMENTS)
def test_dates_are_as_the_database_prints_them(tmp_path: Path, declared: str, written: str) -> None:
    source = mysql(tmp_path, f"CREATE TABLE t (a {declared});\nINSERT INTO t VALUES ('{written}'), (NULL);")

    assert column(source, "t", "a") == [MOMENTS[declared, written], None]


@pytest.mark.parametrize(
    ("declared", "written"),
    [("datetime", "soon"), ("date", "2021-02"), ("datetime", "2021-01-09 10:00:00.5"), ("time", "24 hours")],
)
def test_dates_that_would_be_printed_otherwise_are_refused(tmp_path: Path, declared: str, written: str) -> None:
    with pytest.raises(SqlUnsupportedError, match=r"line 2: a cell of table t, column a, holds .* print otherwise"):
        mysql(tmp_path, f"CREATE TABLE t (a {declared});\nINSERT INTO t VALUES ('{written}');")


def test_references_resolve_without_case_as_mysqls_keys_do(tmp_path: Path) -> None:
    source = mysql(
        tmp_path,
        "CREATE TABLE p (code varchar(5) PRIMARY KEY);\nCREATE TABLE c (code varchar(5) REFERENCES p (code));\n"
        "INSERT INTO p VALUES ('AB');\nINSERT INTO c VALUES ('ab');",
    )

    assert source.schema.table("p").column("code").collation is Collation.NOCASE
    assert source.schema.foreign_keys == (ForeignKey("c", ("code",), "p", ("code",)),)


def test_keys_and_auto_increment_added_later(tmp_path: Path) -> None:
    source = mysql(
        tmp_path,
        "CREATE TABLE `t` (`id` int(11) NOT NULL, `u` int(11) DEFAULT NULL) ENGINE=InnoDB;\n"
        "INSERT INTO `t` (`id`, `u`) VALUES\n(3, 1),\n(1, NULL);\n"
        "ALTER TABLE `t` ADD PRIMARY KEY (`id`), ADD UNIQUE KEY `u` (`u`), ADD KEY `k` (`u`);\n"
        "ALTER TABLE `t` MODIFY `id` int(11) NOT NULL AUTO_INCREMENT, AUTO_INCREMENT=4;\n"
        "ALTER TABLE `t` ADD CONSTRAINT `f` FOREIGN KEY (`u`) REFERENCES `t` (`id`);\nCOMMIT;",
    )

    assert source.schema.table("t").primary_key == ("id",)
    assert source.schema.table("t").unique_keys == (("id",), ("u",))
    assert rows(source, "t") == [(3, 1), (1, None)]
    assert len(source.schema.foreign_keys) == 1


def test_columns_that_rows_leave_out(tmp_path: Path) -> None:
    source = mysql(
        tmp_path,
        "CREATE TABLE t (id int AUTO_INCREMENT PRIMARY KEY, a varchar(9) DEFAULT 'it\\'s', b int DEFAULT -1, c int);\n"
        "INSERT INTO t (a) VALUES ('x'), ('y');\nINSERT INTO t (id, c) VALUES (7, 1), (NULL, 2);\n",
    )

    assert rows(source, "t") == [(1, "x", -1, None), (2, "y", -1, None), (7, "it's", -1, 1), (8, "it's", -1, 2)]
    with pytest.raises(SqlUnsupportedError, match=r"line 2: the row leaves out column b, whose default"):
        mysql(tmp_path, "CREATE TABLE t (a int, b datetime DEFAULT NOW());\nINSERT INTO t (a) VALUES (1);")


def test_ignore_and_replace_are_inserts_while_keys_differ(tmp_path: Path) -> None:
    table = "CREATE TABLE t (a int PRIMARY KEY);\n"
    source = mysql(
        tmp_path, table + "INSERT IGNORE INTO t VALUES (1);\nREPLACE INTO t VALUES (2);\ninsert into t values (3)"
    )

    assert column(source, "t", "a") == [1, 2, 3]
    with pytest.raises(SqlInvalidError, match=r"line 3: table t refuses the row: .*UNIQUE") as caught:
        mysql(tmp_path, table + "INSERT INTO t VALUES (1);\nREPLACE INTO t VALUES (1);")
    assert caught.value.where == {"file": "dump.sql", "line": 3, "table": "t", "row": 1}


def test_version_comments_inside_definitions_and_rows_count(tmp_path: Path) -> None:
    source = mysql(
        tmp_path,
        "CREATE TABLE t (a int, /*!50705 b text /*!80003 SRID 0 */ DEFAULT NULL,*/\n"
        "c text /* c */ COMMENT '/*! x */');\n"
        "INSERT INTO t VALUES (1,/*!50705 'x',*/'/*!y*/'),(2,/*!50705 NULL,*/'z');\n/*M!999999\\- sandbox */\n",
    )

    assert rows(source, "t") == [(1, "x", "/*!y*/"), (2, None, "z")]
    assert source.comments == {("t", "c"): "/*! x */"}


SANDBOX = "/*M!999999\\- enable the sandbox mode */"


@pytest.mark.parametrize("between", ["", " \n", "\n-- MariaDB dump\n", " DROP TABLE IF EXISTS t;\n", "; "])
def test_comments_for_no_version_are_comments(tmp_path: Path, between: str) -> None:
    source = read(
        tmp_path,
        f"{SANDBOX}{between}CREATE {SANDBOX} TABLE `t` (a int, {SANDBOX} b int /*!999999 c */);{SANDBOX}\n"
        f"{SANDBOX}INSERT {SANDBOX} INTO t {SANDBOX} VALUES {SANDBOX}(1,{SANDBOX}2),(3,4);{SANDBOX}",
    )

    assert rows(source, "t") == [(1, 2), (3, 4)]


def test_databases_share_names_only_with_their_database(tmp_path: Path) -> None:
    source = mysql(
        tmp_path,
        "USE `a`;\nCREATE TABLE t (x int PRIMARY KEY);\nCREATE TABLE u (x int);\nINSERT INTO t VALUES (1);\n"
        "USE `b`;\nCREATE TABLE t (x int, FOREIGN KEY (x) REFERENCES `a`.`t` (x));\nINSERT INTO t VALUES (2);\n",
    )

    assert list(source.tables) == ["a.t", "u", "b.t"]
    assert column(source, "b.t", "x") == [2]
    assert source.schema.foreign_keys[0].ref_table == "a.t"


def test_bytes_are_refused_or_null(tmp_path: Path) -> None:
    text = (
        b"CREATE TABLE t (id int, pic longblob NOT NULL, loc geometry, b varchar(9) CHARACTER SET binary);\n"
        b"INSERT INTO t VALUES (1, _binary 'a\xff\xfe\\0;', 0x00, NULL),\n(2, 'plain', NULL, 'x'), (3, 0x, NULL, NULL);"
    )
    text = text.replace(b"0x,", b"'',")
    with pytest.raises(CellInvalidError, match=r"line 2: .*table t, column pic, is of type longblob") as caught:
        mysql(tmp_path, text)
    assert (caught.value.where["line"], caught.value.where["column"]) == (2, "pic")

    source = mysql(tmp_path, text, unsupported="skip")
    assert rows(source, "t") == [(1, None, None, None), (2, None, None, None), (3, None, None, None)]
    skipped = [each for each in source.warnings if each.code is WarningCode.UNSUPPORTED_SKIPPED]
    assert [(each.where["column"], each.where["cells"], each.where["first_row"]) for each in skipped] == [
        ("pic", 3, 0),
        ("loc", 1, 0),
        ("b", 1, 1),
    ]


def test_computed_columns_are_refused_or_left_out(tmp_path: Path) -> None:
    text = "CREATE TABLE t (a int, b int GENERATED ALWAYS AS (a + 1) STORED);\nINSERT INTO t (a) VALUES (1);"

    with pytest.raises(SqlUnsupportedError, match="column b of table t is computed"):
        mysql(tmp_path, text)
    source = mysql(tmp_path, text, unsupported="skip")
    assert rows(source, "t") == [(1,)]
    assert [each.to_dict()["where"] for each in source.warnings if each.count] == [{"table": "t", "column": "b"}]


def test_text_that_is_not_utf8_is_named(tmp_path: Path) -> None:
    with pytest.raises(SourceEncodingError, match=r"line 3: a text of table t, column b, is not UTF-8"):
        mysql(tmp_path, b"CREATE TABLE t (a int, b text);\nINSERT INTO t VALUES (1,'x'),\n(2,'\xe4');")


REFUSED = {
    "INSERT INTO t VALUES (1, NOW());": ("sql_unsupported", "line 2: a literal value is wanted, at: NOW"),
    "INSERT INTO t VALUES (1, 'a' 'b');": ("sql_unsupported", "a literal value is wanted"),
    "INSERT INTO t VALUES (1, (2));": ("sql_unsupported", "a literal value is wanted"),
    "INSERT INTO t VALUES (1, 2), (3);": ("sql_invalid", "line 2: the row has 1 value, 2 are wanted"),
    "INSERT INTO t VALUES (1, 2, 3);": ("sql_invalid", "the row has 3 values, 2 are wanted"),
    "INSERT INTO t VALUES (1, 2) (3, 4);": ("sql_unsupported", "VALUES with literal rows"),
    "INSERT INTO t VALUES (1, 2),;": ("sql_unsupported", "VALUES with literal rows"),
    "INSERT INTO t VALUES (1, 2) ON DUPLICATE KEY UPDATE a = 1;": ("sql_unsupported", "at: ON DUPLICATE"),
    "INSERT INTO t SET a = 1;": ("sql_unsupported", "at: SET a = 1"),
    "INSERT INTO t SELECT * FROM t;": ("sql_unsupported", "at: SELECT"),
    "INSERT INTO u VALUES (1);": ("sql_invalid", "there is no table u"),
    "INSERT INTO t (a, c) VALUES (1, 2);": ("sql_invalid", "table t has no column c"),
    "INSERT INTO t (a, A) VALUES (1, 2);": ("sql_invalid", "listed twice"),
    "UPDATE t SET a = 1;": ("sql_unsupported", "line 2: this statement is not accepted, at: UPDATE"),
    "DELETE FROM t;": ("sql_unsupported", "not accepted"),
    "LOAD DATA INFILE 'x' INTO TABLE t;": ("sql_unsupported", "not accepted"),
    "SOURCE other.sql;": ("sql_unsupported", "not accepted"),
    "CREATE TEMPORARY TABLE x (a int);": ("sql_unsupported", "not accepted"),
    "CREATE TABLE x AS SELECT 1;": ("sql_unsupported", "not defined by its columns"),
    "CREATE TABLE x LIKE t;": ("sql_unsupported", "not defined by its columns"),
    "CREATE TABLE t (a int);": ("sql_invalid", "defined twice"),
    "CREATE TABLE x (a int, a int);": ("sql_unsupported", "two columns"),
    "CREATE TABLE x (a int, A int);": ("sql_unsupported", "differ in the case of letters alone"),
    "INSERT INTO t VALUES (1, 2); ALTER TABLE t ADD COLUMN c int;": ("sql_unsupported", "after its rows"),
    "INSERT INTO t VALUES (1, 2); ALTER TABLE t DROP COLUMN b;": ("sql_unsupported", "after its rows"),
    "ALTER TABLE t RENAME TO x;": ("sql_unsupported", "this change of a table"),
    "ALTER TABLE x ADD PRIMARY KEY (a);": ("sql_invalid", "there is no table x"),
    "ALTER TABLE t ADD PRIMARY KEY (z);": ("sql_invalid", "names z, which is not one of its columns"),
    "ALTER TABLE t ADD FOREIGN KEY (a) REFERENCES x (a);": ("foreign_key_invalid", "there is no table x"),
    "INSERT INTO t VALUES (1, 2); DROP TABLE t;": ("sql_unsupported", "dropped with its rows"),
    "SET sql_mode = CONCAT(@@sql_mode, ',ANSI_QUOTES');": ("sql_unsupported", "an sql_mode that changes what quotes"),
    "/*!40101 SET SQL_MODE=(SELECT REPLACE(@@sql_mode,'NO_BACKSLASH_ESCAPES','')) */;": ("sql_unsupported", "'ANSI'"),
    "INSERT INTO t VALUES (18446744073709551615, 1);": ("cell_invalid", "not a whole number of 64 bits"),
    "INSERT INTO t VALUES (1.5, 1);": ("cell_invalid", "not a whole number"),
    "INSERT INTO t VALUES ('x', 1);": ("cell_invalid", "'x', which is not a whole number"),
}


@pytest.mark.parametrize("statement", REFUSED)
def test_refused_by_name_and_place(tmp_path: Path, statement: str) -> None:
    code, words = REFUSED[statement]
    with pytest.raises(SourceError) as caught:
        mysql(tmp_path, f"CREATE TABLE t (a int, b int);\n{statement}\n")

    assert caught.value.code == code
    assert words in caught.value.message
    assert caught.value.where
