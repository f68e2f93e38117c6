"""The rooms of the code: few enough to be seen at once, in an order that is held, none of them too long."""

import tomllib
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
MOST_ROOMS = 10
MOST_LINES = 400


def folders() -> Iterator[Path]:
    return (path.parent for path in sorted((ROOT / "app").rglob("__init__.py")) if path.parent.name != "app")


def rooms(folder: Path) -> list[str]:
    modules = [path.stem for path in folder.glob("*.py") if path.stem != "__init__"]
    return modules + [path.parent.name for path in folder.glob("*/__init__.py")]


def name_of(folder: Path) -> str:
    return ".".join(folder.relative_to(ROOT).parts)


@pytest.mark.parametrize("folder", list(folders()), ids=name_of)
def test_a_folder_shows_at_most_ten_rooms(folder: Path) -> None:
    assert len(rooms(folder)) <= MOST_ROOMS


def test_each_folder_with_others_in_it_has_an_order_for_all_of_its_rooms() -> None:
    contracts = tomllib.loads((ROOT / "pyproject.toml").read_text())["tool"]["importlinter"]["contracts"]
    held = {each for contract in contracts if contract.get("exhaustive") for each in contract["containers"]}

    assert {name_of(folder) for folder in folders() if any(folder.glob("*/__init__.py"))} <= held


def test_no_module_is_too_long() -> None:
    long = {str(path): path.read_text().count("\n") for path in (ROOT / "app").rglob("*.py")}

    assert not {name: lines for name, lines in long.items() if lines > MOST_LINES}
