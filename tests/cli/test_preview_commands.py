"""`preview` and `suggest-keys` as typed."""

import json
from pathlib import Path

import pytest

from tests.cli.conftest import Cli

SCRIPT = """CREATE TABLE shop (id INTEGER PRIMARY KEY, name TEXT -- as on the sign
);
CREATE TABLE sale (id INTEGER PRIMARY KEY, shop_id INTEGER REFERENCES shop (id), note TEXT);
CREATE VIEW v AS SELECT 1;
INSERT INTO shop VALUES (1, 'A\x1b[31m');
INSERT INTO sale VALUES (1, 1, NULL), (2, 1, 'x');
"""


@pytest.fixture
def script(tmp_path: Path) -> Path:
    path = tmp_path / "shop.sql"
    path.write_text(SCRIPT)
    return path


def test_a_preview_in_tables(cli: Cli, script: Path) -> None:
    ran = cli("preview", str(script))
    assert ran.status == 0, ran.err
    assert "shop (1 rows, 2 columns)" in ran.out
    assert "name\tTEXT\t\tas on the sign\tcomment" in ran.out
    assert "shop_id\tINTEGER\t→ shop\tReferences shop.id.\tschema" in ran.out
    assert "2\t1\tx" in ran.out
    assert "\x1b" not in ran.out
    assert "warning: 1 × view: not shown." in ran.err


def test_a_preview_as_json(cli: Cli, script: Path) -> None:
    document = json.loads(cli("preview", str(script), "--json").out)
    assert [table["row_count"] for table in document["tables"]] == [1, 2]


def test_a_preview_of_text_and_csv(cli: Cli, tmp_path: Path) -> None:
    (tmp_path / "a.txt").write_text("x" * 5_000)
    ran = cli("preview", str(tmp_path / "a.txt"))
    assert ran.out == "x" * 4_000 + "\n"
    assert "There is more" in ran.err
    (tmp_path / "a.csv").write_text("id;n\n1;2\n")
    ran = cli("preview", str(tmp_path / "a.csv"), "--delimiter", ";")
    assert "a (1 rows, 2 columns)" in ran.out
    ran = cli("preview", str(tmp_path / "a.csv"), "--delimiter", ";", "--no-header")
    assert "a (2 rows, 2 columns)" in ran.out
    assert "column_1" in ran.out


def test_a_preview_that_fails(cli: Cli, tmp_path: Path) -> None:
    ran = cli("preview", str(tmp_path / "missing.sql"), "--json")
    assert (ran.status, json.loads(ran.out)["error"]["code"]) == (1, "source_not_found")


def test_what_a_preview_refuses_as_a_build_does(cli: Cli, tmp_path: Path, script: Path) -> None:
    (tmp_path / "a.csv").write_text("id\n1\n")
    (tmp_path / "empty.sql").write_text("-- nothing\n")
    for arguments, code in (
        (["a.csv", "--dialect", "mysql"], "invalid_option"),
        ([script.name, "--delimiter", ";"], "invalid_option"),
        ([script.name, "--no-header"], "invalid_option"),
        (["empty.sql"], "source_empty"),
    ):
        ran = cli("preview", str(tmp_path / arguments[0]), *arguments[1:], "--json")
        assert (ran.status, json.loads(ran.out)["error"]["code"]) == (1, code)


def test_a_feed_of_text_files(cli: Cli, tmp_path: Path) -> None:
    (tmp_path / "agency.txt").write_text("agency_id,name\n" + "".join(f"A{i},n{i}\n" for i in range(9)))
    (tmp_path / "routes.txt").write_text("route_id,agency_id\n" + "".join(f"r{i},A{i % 9}\n" for i in range(30)))
    ran = cli("preview", str(tmp_path / "agency.txt"), str(tmp_path / "routes.txt"))
    assert "routes (30 rows, 2 columns)" in ran.out
    assert "routes(agency_id)\tagency(agency_id)" in cli("suggest-keys", str(tmp_path)).out


def test_suggestions_and_their_schema(cli: Cli, tmp_path: Path) -> None:
    (tmp_path / "teams.csv").write_text("team_id,label\n" + "".join(f"T{i},x\n" for i in range(9)))
    (tmp_path / "games.csv").write_text("game_id,home_team_id\n" + "".join(f"{i},T{i % 9}\n" for i in range(30)))
    schema = tmp_path / "csv_schema.json"
    ran = cli("suggest-keys", str(tmp_path), "--write", str(schema))
    assert ran.status == 0, ran.err
    assert "games(home_team_id)\tteams(team_id)" in ran.out
    assert json.loads(schema.read_text())["tables"][0]["foreign_keys"][0]["ref_table"] == "teams"
    assert f"Wrote {schema}" in ran.err
    document = json.loads(cli("suggest-keys", str(tmp_path), "--threshold", "0.99", "--json").out)
    assert (document["threshold"], document["foreign_keys"]) == (0.99, [])


def test_a_schema_of_a_database_is_not_written(cli: Cli, script: Path, tmp_path: Path) -> None:
    ran = cli("suggest-keys", str(script), "--write", str(tmp_path / "s.json"))
    assert ran.status == 1
    assert not (tmp_path / "s.json").exists()
