"""What the store needs to know, passed in by whoever read the environment."""

from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import TypeAlias

Progress: TypeAlias = Callable[[int, int], None]
"""Called with bytes done and bytes in all; may be called from several threads, never at the same time."""


def no_progress(_done: int, _total: int) -> None:
    """Progress that nobody watches."""


@dataclass(frozen=True, slots=True)
class StoreSettings:
    """Where graphs are published.

    With a `uri` that is an external Neo4j, with `database` None for its home database. Without one it is an embedded
    server whose stores, password and state live in `data_dir`/neo4j; its jars are kept in `cache_dir`, fetched from
    `maven_repository` (None: Maven Central).
    """

    data_dir: Path
    cache_dir: Path
    uri: str | None = None
    username: str = "neo4j"
    password: str = field(default="", repr=False)
    database: str | None = None
    maven_repository: str | None = None
    max_open_graphs: int = 3

    @property
    def embedded_dir(self) -> Path:
        """All that belongs to the embedded server."""
        return self.data_dir / "neo4j"
