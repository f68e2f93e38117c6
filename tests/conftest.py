"""Shared fixtures: databases to read, hypothesis profiles, and how tests are divided among processes."""

import os
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, settings
from xdist.scheduler import LoadFileScheduling

from tests.support.music_shop import MusicShop, write_music_shop

settings.register_profile(
    "long",
    max_examples=int(os.environ.get("HYPOTHESIS_EXAMPLES", "5000")),
    deadline=None,
    print_blob=True,
    suppress_health_check=[HealthCheck.too_slow],
)
settings.register_profile("default", settings.get_profile("long"), max_examples=100, derandomize=True)
settings.load_profile(os.environ.get("HYPOTHESIS_PROFILE", "default"))

SLOW = ("tests/store/", "tests/end_to_end/", "tests/cli/test_main_job.py")
"""What takes longest, begun first so that no process is left alone with it at the end."""


class _Scheduler(LoadFileScheduling):
    """The tests of a file run in one process, and all tests of the store in one, which then need one Neo4j."""

    def __init__(self, config: pytest.Config, log: Any) -> None:
        config.option.loadscopereorder = False
        super().__init__(config, log)

    def _split_scope(self, nodeid: str) -> str:
        return SLOW[0] if nodeid.startswith(SLOW[0]) else super()._split_scope(nodeid)


def pytest_xdist_make_scheduler(config: pytest.Config, log: Any) -> _Scheduler | None:
    """The scheduler of `--dist loadfile`."""
    return _Scheduler(config, log) if config.getoption("dist") == "loadfile" else None


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Slow tests first, in the order of `SLOW`, then all others in theirs."""
    items.sort(key=lambda item: next((at for at, name in enumerate(SLOW) if item.nodeid.startswith(name)), len(SLOW)))


@pytest.fixture(scope="session")
def corpus() -> Path:
    """The folder with `cases/` and `data/`; tests that need it skip where GRAPHWRIGHT_CORPUS is unset."""
    folder = os.environ.get("GRAPHWRIGHT_CORPUS")
    if not folder:
        pytest.skip("GRAPHWRIGHT_CORPUS is not set")
    return Path(folder)


@pytest.fixture(scope="session")
def music_shop(tmp_path_factory: pytest.TempPathFactory) -> MusicShop:
    """The Chinook sample where the corpus has it, else a music shop of our own: one image and three scripts."""
    folder = os.environ.get("GRAPHWRIGHT_CORPUS")
    if not folder:
        return write_music_shop(tmp_path_factory.mktemp("music"))
    names = ("Chinook_Sqlite.sqlite", "Chinook_Sqlite.sql", "Chinook_MySql.sql", "Chinook_PostgreSql.sql")
    return MusicShop(*(Path(folder) / "data" / "chinook" / name for name in names))
