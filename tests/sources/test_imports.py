"""Reading a source waits for no library that it does not need."""

import subprocess
import sys
from pathlib import Path

import pytest

from tests.support.sql_tables import sql_tables

SCRIPT = (
    "CREATE TABLE t (id INTEGER PRIMARY KEY, a TEXT UNIQUE, b REAL);\nINSERT INTO t VALUES (1,'x',NULL),(2,NULL,0.5);\n"
)
READ = """
import sys
from pathlib import Path
from app.sources.load import load_source
load_source(Path(sys.argv[1]))
print(sorted({"numpy.ma", "pandas"} & set(sys.modules)))
"""


@pytest.mark.parametrize(
    ("name", "imported"),
    [("a.csv", []), ("plain.sql", []), ("checked.sql", []), ("a.db", []), ("dump.sql", [])],
)
def test_a_reader_imports_what_it_uses(tmp_path: Path, name: str, imported: list[str]) -> None:
    path = tmp_path / name
    contents = {
        "a.csv": b"id,name\n1,x\n2,\n",
        "plain.sql": SCRIPT.encode(),
        "checked.sql": SCRIPT.replace("b REAL", "b REAL CHECK (1)").encode(),
        "a.db": sql_tables(SCRIPT).image,
        "dump.sql": f"-- MySQL dump 10.13\n{SCRIPT}".encode(),
    }
    path.write_bytes(contents[name])
    ran = subprocess.run([sys.executable, "-c", READ, str(path)], capture_output=True, text=True, check=True)
    assert ran.stdout == f"{imported}\n"
