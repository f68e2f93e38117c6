"""Shared fixtures: the optional corpus of real databases, and hypothesis profiles."""

import os
from pathlib import Path

import pytest
from hypothesis import HealthCheck, settings

from tests.support.music_shop import MusicShop, write_music_shop

settings.register_profile(
    "default", max_examples=100, deadline=None, print_blob=True, suppress_health_check=[HealthCheck.too_slow]
)
settings.register_profile("ci", settings.get_profile("default"), max_examples=300, derandomize=True)
settings.register_profile(
    "long", settings.get_profile("default"), max_examples=int(os.environ.get("HYPOTHESIS_EXAMPLES", "5000"))
)
settings.load_profile(os.environ.get("HYPOTHESIS_PROFILE", "ci" if os.environ.get("CI") else "default"))


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
