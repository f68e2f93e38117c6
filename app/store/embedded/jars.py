"""The jars that the embedded Neo4j is made of: what the lock says, and where the cache keeps them."""

from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from pathlib import Path


@dataclass(frozen=True, slots=True)
class Jar:
    """One locked jar: `coordinates` are group:artifact:version or group:artifact:version:classifier."""

    sha256: str
    size: int
    coordinates: str

    @property
    def file_name(self) -> str:
        """The jar's name in a Maven repository and in the cache."""
        _, artifact, version, *classifier = self.coordinates.split(":")
        return "-".join([artifact, version, *classifier]) + ".jar"

    @property
    def repository_path(self) -> str:
        """The jar's path below the root of a Maven repository."""
        group, artifact, version, *_ = self.coordinates.split(":")
        return "/".join([*group.split("."), artifact, version, self.file_name])

    def cached_in(self, folder: Path) -> Path:
        """Where the cache keeps this jar; the digest keeps equal names of two groups apart."""
        return folder / f"{self.sha256[:16]}-{self.file_name}"


@cache
def locked_jars() -> tuple[Jar, ...]:
    """Every jar of the lock, in class path order."""
    return read_lock((files("app.store.embedded") / "jars.lock").read_text(encoding="utf-8"))


def read_lock(text: str) -> tuple[Jar, ...]:
    """The jars of a lock's text, in its order; lines that begin with # are comments."""
    fields = (line.split() for line in text.splitlines() if line and not line.startswith("#"))
    return tuple(Jar(sha256, int(size), coordinates) for sha256, size, coordinates in fields)


def jar_folder(cache_dir: Path) -> Path:
    """The folder of the cache that holds jars."""
    return cache_dir / "jars"
