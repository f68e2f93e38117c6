"""Whatever a user can type, call or meet is documented, and whatever is documented exists."""

import re
from collections.abc import Iterator
from dataclasses import fields
from pathlib import Path
from typing import Any

import pytest
import typer

from app import errors
from app.api.application import create_app
from app.api.context import ApiContext
from app.build.options import BuildOptions
from app.cli.application import application
from app.errors import GraphwrightError
from app.settings import Neo4jSettings, Settings
from app.sources.options import SourceOptions

ROOT = Path(__file__).parents[2]
DOCS = ROOT / "docs"


def page(name: str) -> str:
    return (DOCS / name).read_text(encoding="utf-8")


def sections(text: str) -> dict[str, str]:
    """The text below each second-level heading."""
    parts = re.split(r"^## (.+)$", text, flags=re.MULTILINE)
    return dict(zip(parts[1::2], parts[2::2], strict=True))


def commands(command: Any, path: tuple[str, ...]) -> Iterator[tuple[str, Any]]:
    inner = getattr(command, "commands", None)
    if inner is None:
        yield " ".join(path), command
        return
    for name, child in inner.items():
        yield from commands(child, (*path, name))


COMMANDS = dict(commands(typer.main.get_command(application), ("graphwright",)))


def heading_of(path: str) -> str:
    found = [heading for heading in sections(page("cli.md")) if re.match(re.escape(path) + r"( [A-Z]|$)", heading)]
    assert len(found) == 1, f"docs/cli.md needs one heading for `{path}`"
    return found[0]


def error_classes(root: type[GraphwrightError]) -> Iterator[type[GraphwrightError]]:
    yield root
    for child in root.__subclasses__():
        yield from error_classes(child)


@pytest.mark.parametrize("path", COMMANDS)
def test_every_command_and_option_is_documented(path: str) -> None:
    section = sections(page("cli.md"))[heading_of(path)]
    options = {name for parameter in COMMANDS[path].params for name in parameter.opts if name.startswith("--")}
    documented = set(re.findall(r"(?<!`graphwright )(--[a-z][a-z0-9-]*)", section))
    assert options - {"--help"} <= documented, "undocumented options"
    assert documented <= options | {"--publish", "--query-count", "--option"}, "documented options that do not exist"


def test_every_command_heading_is_a_command() -> None:
    headings = [heading for heading in sections(page("cli.md")) if heading.startswith("graphwright ")]
    assert len(headings) == len(COMMANDS)


def test_every_build_option_is_documented_with_its_variable() -> None:
    text = page("cli.md")
    for name in {*BuildOptions.names(), *SourceOptions.names()}:
        assert f"| `{name}` |" in text, name
    for option in fields(BuildOptions):
        variable = f"`GRAPH_CONSTRUCTION_{option.name.upper()}`"
        assert (variable in text) == option.metadata["environment"], variable


def test_every_setting_is_documented() -> None:
    text = sections(page("cli.md"))["Environment"]
    ours = {f"GRAPHWRIGHT_{name.upper()}" for name in Settings.model_fields}
    ours -= {"GRAPHWRIGHT_NEO4J", "GRAPHWRIGHT_CONSTRUCTION", "GRAPHWRIGHT_CONSTRUCTION_CONCURRENCY"}
    neo4j = {f"NEO4J_{name.upper()}" for name in Neo4jSettings.model_fields}
    for variable in ours | neo4j | {"GRAPH_CONSTRUCTION_CONCURRENCY"}:
        assert f"`{variable}`" in text, variable


def test_every_error_code_is_documented_with_its_status() -> None:
    rows = dict(re.findall(r"^\| `(\w+)` \| (\d+) \|", page("errors.md"), flags=re.MULTILINE))
    classes = list(error_classes(GraphwrightError))
    assert rows == {error.code: str(error.http_status) for error in classes}
    assert len(classes) == len(rows), "two error classes share a code"


def test_every_error_class_is_imported_from_one_place() -> None:
    assert {error.__name__ for error in error_classes(GraphwrightError)} == set(errors.__all__)


def test_every_route_is_documented() -> None:
    documented = set(re.findall(r"^\| `([A-Z]+ /\S+)` \|", page("api.md"), flags=re.MULTILINE))
    context = ApiContext(datasets=None, graph=None, load_skeleton=str, log=Path())  # type: ignore[arg-type]
    paths = create_app(context, host="127.0.0.1").openapi()["paths"]
    routes = {f"{method.upper()} {path}" for path, methods in paths.items() for method in methods}
    assert routes | {"GET /openapi.json"} == documented


def test_every_cypher_file_is_documented_and_says_what_it_takes() -> None:
    rows = dict(re.findall(r"^\| `(\w+\.cypher)` \| (.+) \|$", page("cypher.md"), flags=re.MULTILINE))
    files = {path.name: path.read_text(encoding="utf-8").splitlines() for path in (ROOT / "cypher").glob("*.cypher")}
    assert rows == {name: lines[0].removeprefix("// ") for name, lines in files.items()}
    for name, lines in files.items():
        header = [line for line in lines if line.startswith("//")]
        assert any(line.startswith("// Parameters: ") for line in header), name
        assert any(line.startswith("// Returns: ") for line in header), name
