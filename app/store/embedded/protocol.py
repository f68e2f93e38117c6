"""How a client talks to the server process: lines of JSON over loopback, after a token that only the owner can read.

A request is `{"do": …, …}`; an answer is `{"ok": …}`, or `{"error": code, "message": …}`. The state file says where
the server process listens; the lock file is held for as long as it lives, so a stale state is never mistaken.
"""

import json
import socket
from contextlib import suppress
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any, TypeAlias

VERSION = 1
LOOPBACK = "127.0.0.1"

Message: TypeAlias = dict[str, Any]


@dataclass(frozen=True, slots=True)
class ServerFiles:
    """The files of the embedded server in its folder."""

    folder: Path

    @property
    def lock(self) -> Path:
        """Held by the server process while it lives."""
        return self.folder / "server.lock"

    @property
    def state(self) -> Path:
        """Where the server process listens, see `ServerState`."""
        return self.folder / "server.json"

    @property
    def log(self) -> Path:
        """What the server process printed since it started."""
        return self.folder / "server.log"

    @property
    def graphs(self) -> Path:
        """One folder a published graph."""
        return self.folder / "graphs"


@dataclass(frozen=True, slots=True)
class ServerState:
    """Who serves, and where its control port is."""

    pid: int
    port: int
    token: str
    version: int = VERSION

    def to_json(self) -> str:
        """The text of the state file."""
        return json.dumps(asdict(self))

    @classmethod
    def read(cls, files: ServerFiles) -> "ServerState | None":
        """The state file's content, None if there is none or it is of another version."""
        try:
            return cls(**json.loads(files.state.read_text(encoding="utf-8")))
        except (OSError, ValueError, TypeError):
            return None


class Channel:
    """One connection, either end."""

    def __init__(self, connection: socket.socket) -> None:
        self._socket = connection
        self._reader = connection.makefile("rb")

    def send(self, message: Message) -> None:
        """Send one message; `OSError` if the other end is gone."""
        self._socket.sendall(json.dumps(message).encode("utf-8") + b"\n")

    def receive(self) -> Message | None:
        """The next message, None once the other end is gone or talks something else."""
        try:
            line = self._reader.readline(1 << 20)
            message = json.loads(line) if line.endswith(b"\n") else None
        except (OSError, ValueError):
            return None
        return message if isinstance(message, dict) else None

    def close(self) -> None:
        """Close both directions, waking a reader."""
        with suppress(OSError):
            self._socket.shutdown(socket.SHUT_RDWR)
        self._reader.close()
        self._socket.close()

    def forget(self) -> None:
        """Close this process's copy of the connection only."""
        self._reader.close()
        self._socket.close()
