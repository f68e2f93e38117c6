"""What changes rows, keys or numbers is carried out as the server does it, or refused by name and line."""

from pathlib import Path

import pytest

from app.errors import SourceEncodingError, SourceError
from app.values import Collation
from tests.sources.dumps.support import Reader, Scalar, column, mysql, postgres, rows

KEY = "CREATE TABLE t (id int NOT NULL AUTO_INCREMENT, n varchar(9), PRIMARY KEY (id));\n"
SERIAL = "CREATE TABLE t (id serial PRIMARY KEY, n text);\n"
IDENTITY = "CREATE TABLE t (id int GENERATED ALWAYS AS IDENTITY PRIMARY KEY, n text);\n"

NUMBERS: dict[str, tuple[Reader, str, list[Scalar]]] = {
    "numbers go on after the greatest of MySQL": (
        mysql,
        KEY + "INSERT INTO t VALUES (7,'a');INSERT INTO t (n) VALUES ('b');",
        [7, 8],
    ),
    "0 draws a number": (mysql, KEY + "INSERT INTO t VALUES (0,'a'),(0,'b');", [1, 2]),
    "0 stays in its mode": (
        mysql,
        "SET sql_mode='NO_AUTO_VALUE_ON_ZERO';" + KEY + "INSERT INTO t VALUES (0,'a');",
        [0],
    ),
    "a number that is set later": (
        mysql,
        KEY + "INSERT INTO t (n) VALUES ('a');ALTER TABLE t AUTO_INCREMENT=9;INSERT INTO t (n) VALUES ('b');",
        [1, 9],
    ),
    "a sequence goes on by itself": (
        postgres,
        SERIAL + "INSERT INTO t VALUES (7,'a');INSERT INTO t (n) VALUES ('b');",
        [7, 1],
    ),
    "a sequence that restarts": (
        postgres,
        SERIAL
        + "INSERT INTO t (n) VALUES ('a');ALTER SEQUENCE t_id_seq RESTART WITH 5;INSERT INTO t (n) VALUES ('b');",
        [1, 5],
    ),
    "setval by its column": (
        postgres,
        SERIAL + "SELECT setval(pg_get_serial_sequence('t','id'), 4, false);INSERT INTO t (n) VALUES ('b');",
        [4],
    ),
    "an identity that is overridden": (
        postgres,
        IDENTITY + "INSERT INTO t OVERRIDING SYSTEM VALUE VALUES (5,'a');INSERT INTO t (n) VALUES ('b');",
        [5, 1],
    ),
    "a default that changes between rows": (
        postgres,
        "CREATE TABLE t (id int DEFAULT 1, n text);INSERT INTO t (n) VALUES ('a');"
        "ALTER TABLE t ALTER id SET DEFAULT 2;INSERT INTO t (n) VALUES ('b');",
        [1, 2],
    ),
    "a column that comes before rows": (
        postgres,
        "CREATE TABLE t (n text);ALTER TABLE t ADD COLUMN id int DEFAULT 3;INSERT INTO t (n) VALUES ('a');",
        [3],
    ),
    "a type that changes before rows": (
        postgres,
        "CREATE TABLE t (id text, n text);ALTER TABLE t ALTER id TYPE int;INSERT INTO t VALUES (1,'a');",
        [1],
    ),
    "triggers that do not fire": (
        postgres,
        SERIAL + "CREATE TRIGGER tr BEFORE INSERT ON t EXECUTE FUNCTION f();ALTER TABLE t DISABLE TRIGGER ALL;"
        "INSERT INTO t VALUES (1,'a');",
        [1],
    ),
    "triggers of a replica": (
        postgres,
        SERIAL + "CREATE TRIGGER tr BEFORE INSERT ON t EXECUTE FUNCTION f();SET session_replication_role = replica;"
        "INSERT INTO t VALUES (1,'a');",
        [1],
    ),
    "a trigger on update": (
        postgres,
        SERIAL + "CREATE TRIGGER tr BEFORE UPDATE ON t EXECUTE FUNCTION f();INSERT INTO t VALUES (1,'a');",
        [1],
    ),
    "an invisible column": (
        mysql,
        "CREATE TABLE t (n varchar(9), id int INVISIBLE DEFAULT 4);INSERT INTO t VALUES ('a');",
        [4],
    ),
    "a computed column with its values": (
        mysql,
        "CREATE TABLE t (n int, id int AS (n + 1) VIRTUAL);INSERT INTO t VALUES (1,2);",
        [2],
    ),
}


@pytest.mark.parametrize("what", NUMBERS)
def test_followed(tmp_path: Path, what: str) -> None:
    read, text, expected = NUMBERS[what]

    assert column(read(tmp_path, text), "t", "id") == expected


REFUSED: dict[str, tuple[Reader, str, str]] = {
    "rows that mix given numbers and drawn ones": (
        mysql,
        KEY + "INSERT INTO t VALUES (NULL,'a'),(5,'b');INSERT INTO t (n) VALUES ('c');",
        "only its database knows",
    ),
    "zeros that may be renumbered": (
        mysql,
        "CREATE TABLE t (id int PRIMARY KEY, n varchar(9));INSERT INTO t VALUES (0,'a');"
        "ALTER TABLE t MODIFY id int AUTO_INCREMENT;",
        "rows with 0",
    ),
    "a step of numbers": (mysql, "SET auto_increment_increment = 2;" + KEY, "draws other numbers"),
    "a number that is set for one row": (mysql, "SET insert_id = 9;" + KEY, "the setting insert_id"),
    "a sequence set by a query": (
        postgres,
        SERIAL + "SELECT setval('t_id_seq', (SELECT 5));INSERT INTO t (n) VALUES ('b');",
        "only its database knows",
    ),
    "a sequence that begins anew": (postgres, "CREATE SEQUENCE s MAXVALUE 2 CYCLE;" + SERIAL, "begins anew"),
    "a number for an identity": (postgres, IDENTITY + "INSERT INTO t VALUES (5,'a');", "refuses those of rows"),
    "numbers that are overridden": (
        postgres,
        IDENTITY + "INSERT INTO t OVERRIDING USER VALUE VALUES (5,'a');",
        "OVERRIDING USER VALUE",
    ),
    "a rule on insert": (
        postgres,
        SERIAL + "CREATE RULE r AS ON INSERT TO t DO INSTEAD NOTHING;INSERT INTO t VALUES (1,'a');",
        "rule r of table public.t fires",
    ),
    "a setting that is not known": (postgres, "SET some_thing = 1;" + SERIAL, "the setting some_thing"),
    "rows that are never committed": (postgres, "BEGIN;" + SERIAL + "INSERT INTO t VALUES (1,'a');", "never committed"),
    "rows that may be replaced by a key of some": (
        postgres,
        SERIAL + "CREATE UNIQUE INDEX u ON t (lower(n));INSERT INTO t VALUES (1,'a') ON CONFLICT DO NOTHING;",
        "depends on u",
    ),
    "rows that a server leaves out": (
        mysql,
        "CREATE TABLE p (id int PRIMARY KEY);CREATE TABLE t (id int, FOREIGN KEY (id) REFERENCES p (id));"
        "INSERT IGNORE INTO t VALUES (1);",
        "their server leaves them out",
    ),
    "letters that a server folds": (
        mysql,
        "CREATE TABLE p (id varchar(9) PRIMARY KEY);CREATE TABLE t (id varchar(9), FOREIGN KEY (id) REFERENCES p (id));"
        "INSERT INTO p VALUES ('é');INSERT INTO t VALUES ('É');",
        "folds more than the case of ASCII letters",
    ),
    "rows that go elsewhere": (mysql, "CREATE TABLE t (id int);ALTER TABLE t ENGINE=BLACKHOLE;", "kept elsewhere"),
    "rows kept elsewhere": (mysql, "CREATE TABLE t (id int) ENGINE=MERGE UNION=(a,b);", "kept elsewhere"),
    "a type that nothing makes": (postgres, "CREATE TABLE t (id int, m mood);", "the type mood is not known"),
    "a constraint that is not there": (
        postgres,
        SERIAL + "ALTER TABLE t DROP CONSTRAINT gone;",
        "no one constraint gone",
    ),
    "a collation of its own": (
        postgres,
        "CREATE COLLATION c (provider = icu, locale = 'und', deterministic = false);CREATE TABLE t (n text COLLATE c);",
        "does not compare texts by their bytes",
    ),
}


@pytest.mark.parametrize("what", REFUSED)
def test_refused(tmp_path: Path, what: str) -> None:
    read, text, words = REFUSED[what]
    with pytest.raises(SourceError) as caught:
        read(tmp_path, text)

    assert caught.value.code in ("sql_unsupported", "sql_invalid", "cell_invalid")
    assert words in caught.value.message


PARTS = (
    "CREATE TABLE p (id int PRIMARY KEY);CREATE TABLE t (id int, d int) PARTITION BY LIST (d);"
    "CREATE TABLE t1 PARTITION OF t (FOREIGN KEY (id) REFERENCES p (id)) FOR VALUES IN (1);"
    "CREATE TABLE t2 PARTITION OF t FOR VALUES IN (2);INSERT INTO p VALUES (1);"
)


@pytest.mark.parametrize(("into", "lifted"), [("t1", True), ("t2", False), ("t", False)])
def test_a_key_of_a_partition_is_lifted_if_it_holds_for_all_rows(tmp_path: Path, into: str, lifted: bool) -> None:
    source = postgres(tmp_path, PARTS + f"INSERT INTO {into} VALUES (1, 1);")

    assert bool(source.schema.foreign_keys) is lifted
    assert [each.message for each in source.warnings if each.count] == (
        [] if lifted else ["The foreign key (id) of table t is that of some partitions only, and is left out."]
    )


def test_a_charset_that_a_table_is_given_is_that_of_its_next_columns(tmp_path: Path) -> None:
    text = "CREATE TABLE t (a text);ALTER TABLE t DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_bin;ALTER TABLE t ADD b text;"
    source = mysql(tmp_path, text)

    assert [column.collation for column in source.schema.table("t").columns] == [Collation.NOCASE, Collation.BINARY]
    with pytest.raises(SourceError, match="this change of a table is not accepted"):
        mysql(tmp_path, "CREATE TABLE t (a text);ALTER TABLE t CONVERT TO CHARACTER SET utf8mb4;")


ENCODINGS: list[tuple[Reader, str, str]] = [
    (postgres, "SET client_encoding = 'LATIN1';\nCREATE TABLE t (n text);\nINSERT INTO t VALUES ('é');", "latin-1"),
    (postgres, "SET client_encoding TO 'WIN1251';\nCREATE TABLE t (n text);\nCOPY t FROM stdin;\nДа\n\\.\n", "cp1251"),
    (postgres, "\\encoding KOI8R\nCREATE TABLE t (n text);\nINSERT INTO t VALUES ('Да');", "koi8-r"),
    (mysql, "/*!40101 SET NAMES latin1 */;\nCREATE TABLE t (n text);\nINSERT INTO t VALUES ('é€');", "cp1252"),
    (mysql, "SET NAMES utf8mb4;\nCREATE TABLE t (n text);\nINSERT INTO t VALUES ('é');", "utf-8"),
]


@pytest.mark.parametrize(("read", "text", "codec"), ENCODINGS)
def test_declared_encodings_are_decoded(tmp_path: Path, read: Reader, text: str, codec: str) -> None:
    [(name,)] = rows(read(tmp_path, text.encode(codec)), "t")

    assert name in text
    assert name


def test_encodings_that_are_not_read_are_named(tmp_path: Path) -> None:
    text = "SET NAMES sjis;\nCREATE TABLE t (n text);\nINSERT INTO t VALUES ('表');"
    with pytest.raises(SourceError, match="line 1: the text that follows is in the encoding sjis, which is not read"):
        mysql(tmp_path, text.encode("cp932"))
    mixed = "SET client_encoding = 'LATIN1';\nCREATE TABLE t (n text);\nINSERT INTO t VALUES ('é');\n"
    with pytest.raises(SourceError, match="line 5: the text is in the encoding utf-8, after text in"):
        postgres(tmp_path, (mixed + "SET client_encoding = 'UTF8';\nINSERT INTO t VALUES ('é');").encode("latin-1"))
    with pytest.raises(SourceEncodingError, match=r"not UTF-8|cannot be read as UTF-8"):
        postgres(tmp_path, b"CREATE TABLE t (n text);\nINSERT INTO t VALUES ('\xe9');")
