"""The client's end of the embedded server: one connection to the server process, which goes on while it is open."""

import os
import subprocess
from threading import Lock
from typing import Any
from weakref import WeakSet

from app.errors import ServerStartError, StoreInUseError, UnreachableError
from app.store.embedded.protocol import Channel, Message, ServerFiles

_STOP_SECONDS = 30.0

_left_running: list["subprocess.Popen[bytes]"] = []
"""Server processes that outlive this one on purpose."""


class ServerClient:
    """A connection to the server process, and that process if this one started it."""

    def __init__(self, files: ServerFiles, channel: Channel, process: "subprocess.Popen[bytes] | None") -> None:
        self.files = files
        self._channel, self._process, self._lock = channel, process, Lock()
        _clients.add(self)

    def request(self, action: str, **parameters: object) -> Any:
        """Ask for one action and return its answer; `ServerStartError` or `StoreInUseError` if it failed."""
        answer = self._exchange({"do": action, **parameters})
        if answer is None:
            raise UnreachableError("The embedded Neo4j has ended.", hint="Repeat the command: it starts a new one.")
        if "error" in answer:
            raise failure(answer, self.files)
        return answer["ok"]

    def _exchange(self, message: Message) -> Message | None:
        with self._lock:
            try:
                self._channel.send(message)
            except OSError:
                return None
            return self._channel.receive()

    def stop(self) -> None:
        """Tell the process to end, whoever uses it; it may be gone before it answers."""
        self._exchange({"do": "stop"})
        self.close()

    def close(self) -> None:
        """Let go; the process ends unless others use it or it persists, and then this waits for its end."""
        answer = self._exchange({"do": "status"})
        self._channel.close()
        if self._process is None:
            return
        process, self._process = self._process, None
        if answer is None or (answer["ok"]["clients"] == 1 and not answer["ok"]["persists"]):
            end_process(process)
        else:
            close_lifeline(process)
            _left_running.append(process)

    def let_go(self) -> None:
        """Close this process's copies of the connection, without a word to the other end."""
        self._channel.forget()
        if self._process is not None:
            close_lifeline(self._process)


_clients: WeakSet[ServerClient] = WeakSet()


def _let_go_after_fork() -> None:
    for client in list(_clients):
        client.let_go()


# A forked child must not keep the server alive after its parent has died.
os.register_at_fork(after_in_child=_let_go_after_fork)


def close_lifeline(process: "subprocess.Popen[bytes]") -> None:
    """Close the pipe whose end tells the server process that its starter is gone."""
    if process.stdin is not None:
        process.stdin.close()


def end_process(process: "subprocess.Popen[bytes]") -> None:
    """Let a server process end and wait for it; kill it if it does not."""
    close_lifeline(process)
    try:
        process.wait(_STOP_SECONDS)
    except subprocess.TimeoutExpired:
        process.kill()
        process.wait()


def failure(answer: Message, files: ServerFiles) -> ServerStartError | StoreInUseError:
    """The error that an answer of the server process stands for."""
    message = str(answer.get("message"))
    if "lock" in message.lower():
        return StoreInUseError(f"The store is in use: {message}", hint="Stop the Neo4j server that holds it.")
    return ServerStartError(f"The embedded Neo4j did not start: {message}", hint=f"Its log is {files.log}.")
