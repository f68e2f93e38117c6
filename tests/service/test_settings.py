"""The environment, read once."""

from pathlib import Path

import pytest

from app.errors import InvalidOptionError
from app.settings import read_settings
from app.store.skeleton.skeleton import DEFAULT_MIN_COUNT, DEFAULT_TOP_N


@pytest.fixture(autouse=True)
def _bare_environment(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    for name in ("GRAPHWRIGHT_DATA_DIR", "GRAPHWRIGHT_CACHE_DIR", "NEO4J_URI", "XDG_DATA_HOME", "XDG_CACHE_HOME"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("HOME", str(tmp_path))


def test_defaults(tmp_path: Path) -> None:
    settings = read_settings()
    assert settings.data_dir == tmp_path / ".local/share/graphwright"
    assert settings.cache_dir == tmp_path / ".cache/graphwright"
    assert (settings.host, settings.port, settings.neo4j.uri) == ("127.0.0.1", 21108, None)
    assert (settings.skeleton_min_count, settings.skeleton_top_n) == (DEFAULT_MIN_COUNT, DEFAULT_TOP_N)


def test_xdg_folders_count_when_they_are_absolute(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("XDG_DATA_HOME", "/somewhere")
    monkeypatch.setenv("XDG_CACHE_HOME", "relative")
    settings = read_settings()
    assert settings.data_dir == Path("/somewhere/graphwright")
    assert settings.cache_dir == tmp_path / ".cache/graphwright"


def test_relative_and_home_folders_become_absolute(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("GRAPHWRIGHT_DATA_DIR", "data")
    monkeypatch.setenv("GRAPHWRIGHT_CACHE_DIR", "~/cache")
    settings = read_settings()
    assert (settings.data_dir, settings.cache_dir) == (tmp_path / "data", tmp_path / "cache")


def test_empty_variables_are_unset_ones(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("NEO4J_URI", "GRAPHWRIGHT_PORT", "GRAPHWRIGHT_GRAPH", "GRAPH_CONSTRUCTION_CONCURRENCY"):
        monkeypatch.setenv(name, "")
    settings = read_settings()
    assert (settings.neo4j.uri, settings.port, settings.graph) == (None, 21108, None)


def test_the_construction_environment_is_kept_apart(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("GRAPH_CONSTRUCTION_QUERY_COUNT", "9")
    monkeypatch.setenv("GRAPH_CONSTRUCTION_CONCURRENCY", "3")
    settings = read_settings()
    assert settings.construction["GRAPH_CONSTRUCTION_QUERY_COUNT"] == "9"
    assert settings.construction_concurrency == 3


def test_a_password_shows_nowhere(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("NEO4J_PASSWORD", "s3cret")
    assert "s3cret" not in repr(read_settings())


@pytest.mark.parametrize(
    ("variable", "value"),
    [
        ("GRAPHWRIGHT_PORT", "many"),
        ("GRAPHWRIGHT_PORT", "65536"),
        ("GRAPHWRIGHT_SKELETON_TOP_N", "0"),
        ("GRAPH_CONSTRUCTION_CONCURRENCY", "0"),
    ],
)
def test_a_bad_value_names_its_variable(monkeypatch: pytest.MonkeyPatch, variable: str, value: str) -> None:
    monkeypatch.setenv(variable, value)
    with pytest.raises(InvalidOptionError, match=variable):
        read_settings()
