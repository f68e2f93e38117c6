"""Fetching the jars, from a mirror on this machine."""

import re
from pathlib import Path

import pytest

from app.errors import DownloadFailedError
from app.store.embedded.download import ensure_jars, repository_of
from app.store.embedded.jars import Jar, jar_folder, locked_jars
from app.store.servers.config import StoreSettings


@pytest.fixture
def mirror(embedded_settings: StoreSettings, tmp_path: Path) -> Path:
    """A Maven repository of links to the jars that the cache has."""
    root = tmp_path / "mirror"
    for jar, path in zip(locked_jars(), ensure_jars(embedded_settings), strict=True):
        link = root / jar.repository_path
        link.parent.mkdir(parents=True, exist_ok=True)
        link.symlink_to(path)
    return root


def settings_of(tmp_path: Path, mirror: Path) -> StoreSettings:
    return StoreSettings(tmp_path / "data", tmp_path / "cache", maven_repository=mirror.as_uri())


def test_the_lock_pins_every_jar_and_names_no_address() -> None:
    jars = locked_jars()
    assert len(jars) > 200
    assert all(re.fullmatch(r"[0-9a-f]{64}", jar.sha256) and jar.size > 0 for jar in jars)
    assert len({jar.repository_path for jar in jars}) == len(jars)
    assert any(jar.coordinates.startswith("org.neo4j:neo4j:5.26.") for jar in jars)
    assert not any("/" in jar.coordinates for jar in jars)


def test_coordinates_become_paths() -> None:
    jar = Jar("ab" * 32, 1, "io.netty:netty-x:4.1:linux-x86_64")
    assert jar.repository_path == "io/netty/netty-x/4.1/netty-x-4.1-linux-x86_64.jar"
    assert jar.cached_in(Path("c")) == Path("c/abababababababab-netty-x-4.1-linux-x86_64.jar")


def test_the_repository_can_be_chosen(tmp_path: Path) -> None:
    assert repository_of(StoreSettings(tmp_path, tmp_path)).startswith("https:")
    assert repository_of(StoreSettings(tmp_path, tmp_path, maven_repository="file:///m/")) == "file:///m"


def test_a_first_download_then_no_more_then_only_what_is_missing(tmp_path: Path, mirror: Path) -> None:
    settings = settings_of(tmp_path, mirror)
    seen: list[tuple[int, int]] = []
    paths = ensure_jars(settings, lambda done, total: seen.append((done, total)))
    total = sum(jar.size for jar in locked_jars())
    assert seen[-1] == (total, total)
    assert [done for done, _ in seen] == sorted(done for done, _ in seen)
    assert sorted(path.name for path in jar_folder(settings.cache_dir).iterdir()) == sorted(path.name for path in paths)

    away = settings_of(tmp_path, tmp_path / "nowhere")
    assert ensure_jars(away) == paths

    paths[3].unlink()
    paths[5].write_bytes(b"cut")
    with pytest.raises(DownloadFailedError, match="cannot be fetched") as caught:
        ensure_jars(away)
    assert "GRAPHWRIGHT_MAVEN_REPOSITORY" in caught.value.hint
    seen.clear()
    ensure_jars(settings, lambda done, total: seen.append((done, total)))
    assert seen[-1][1] == locked_jars()[3].size + locked_jars()[5].size


def test_a_jar_with_another_hash_is_refused_and_not_kept(tmp_path: Path, mirror: Path) -> None:
    jar = locked_jars()[0]
    forged = mirror / jar.repository_path
    content = bytearray(forged.read_bytes())
    content[-1] ^= 1
    forged.unlink()
    forged.write_bytes(content)
    settings = settings_of(tmp_path, mirror)
    with pytest.raises(DownloadFailedError, match="a different SHA-256") as caught:
        ensure_jars(settings)
    assert caught.value.where == {"jar": jar.coordinates}
    assert not jar.cached_in(jar_folder(settings.cache_dir)).exists()
    assert not list(jar_folder(settings.cache_dir).glob(".part-*"))


def test_a_cache_that_cannot_be_made_is_told(tmp_path: Path, mirror: Path) -> None:
    (tmp_path / "cache").write_text("a file")
    with pytest.raises(DownloadFailedError, match="cannot be made"):
        ensure_jars(settings_of(tmp_path, mirror))
