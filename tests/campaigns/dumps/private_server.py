"""A database server of our own: an unprivileged process in a temporary folder that only a socket file leads to."""

import ctypes
import os
import pwd
import shutil
import signal
import subprocess
import tempfile
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

USER = "nobody"
"""Who runs a server when root starts it: servers refuse to run as root."""

_SET_PARENT_DEATH_SIGNAL = 1
START_SECONDS = 60.0
STOP_SECONDS = 20.0
COMMAND_SECONDS = 120.0


class ServerUnavailableError(Exception):
    """The machine lacks a server's programs, or the server does not start; the message says which and why."""


class ScriptRefusedError(Exception):
    """The server refused what it was asked to do; `str` of it is what it said."""


@dataclass(frozen=True, slots=True)
class Complaint:
    """What a server says of a statement that it refuses, and the line of the script (from 1)."""

    line: int
    message: str

    @property
    def is_about_syntax(self) -> bool:
        """Whether the server's parser refuses it, not what it means."""
        return self.message.startswith(("syntax error", "You have an error in your SQL syntax"))


def program(name: str, *folders: str) -> str:
    """The path of a program on PATH or in one of the folders, the last of which is preferred."""
    for folder in reversed(folders):
        if os.access(Path(folder, name), os.X_OK):
            return str(Path(folder, name))
    found = shutil.which(name)
    if found is None:
        raise ServerUnavailableError(f"{name} is not installed.")
    return found


@contextmanager
def private_folder(name: str) -> Iterator[Path]:
    """A temporary folder that the server's user owns, in memory where there is room; removed at the end.

    Its path is short: sockets allow 107 bytes.
    """
    with tempfile.TemporaryDirectory(prefix=f"gw-{name}-", dir=_roomy_memory(), ignore_cleanup_errors=True) as path:
        if os.getuid() == 0:
            owner = pwd.getpwnam(USER)
            os.chown(path, owner.pw_uid, owner.pw_gid)
        yield Path(path)


def _roomy_memory() -> str | None:
    """A file system in memory with 2 GiB left, where databases are made and dropped in no time."""
    memory = Path("/dev/shm")
    is_usable = memory.is_dir() and os.access(memory, os.W_OK) and shutil.disk_usage(memory).free >= 2 * 2**30
    return str(memory) if is_usable else None


def as_user(command: Sequence[str], folder: Path, log: Path) -> subprocess.Popen[bytes]:
    """Start a command as the unprivileged user with what it says in `log`."""
    environment = {"PATH": os.environ["PATH"], "HOME": str(folder), "LC_ALL": "C.UTF-8", "TZ": "UTC"}
    identity = {}
    if os.getuid() == 0:
        owner = pwd.getpwnam(USER)
        identity = {"user": owner.pw_uid, "group": owner.pw_gid, "extra_groups": []}
    with log.open("ab") as said:
        return subprocess.Popen(
            command,
            cwd=folder,
            env=environment,
            stdin=subprocess.DEVNULL,
            stdout=said,
            stderr=said,
            preexec_fn=_end_with_parent,  # noqa: PLW1509
            **identity,
        )


def _end_with_parent() -> None:
    """Let Linux end this process when its parent ends, however that comes about; nothing here has threads."""
    prctl = getattr(ctypes.CDLL(None), "prctl", None)
    if prctl is not None:
        prctl(_SET_PARENT_DEATH_SIGNAL, signal.SIGTERM)


def finish(command: Sequence[str], folder: Path, log: Path) -> None:
    """Run a command of setting up to its end."""
    if as_user(command, folder, log).wait(START_SECONDS) != 0:
        raise ServerUnavailableError(f"{Path(command[0]).name} failed: {_end_of(log)}")


@contextmanager
def running(command: Sequence[str], folder: Path, is_ready: Callable[[], bool]) -> Iterator[None]:
    """The server runs inside of this context, and is stopped at its end."""
    log = folder / "server.log"
    process = as_user(command, folder, log)
    try:
        _wait(process, is_ready, log)
        yield
    finally:
        process.send_signal(signal.SIGTERM)
        try:
            process.wait(STOP_SECONDS)
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait()


def _wait(process: subprocess.Popen[bytes], is_ready: Callable[[], bool], log: Path) -> None:
    end = time.monotonic() + START_SECONDS
    while not is_ready():
        if process.poll() is not None or time.monotonic() > end:
            raise ServerUnavailableError(f"The server does not start: {_end_of(log)}")
        time.sleep(0.1)


def _end_of(log: Path) -> str:
    return log.read_text(errors="replace")[-600:].strip()


def output_of(command: Sequence[str], *, sent: bytes = b"") -> bytes:
    """What a client writes to its standard output; `ScriptRefusedError` with its complaint when it fails."""
    done = subprocess.run(command, input=sent, capture_output=True, timeout=COMMAND_SECONDS, check=False)
    if done.returncode != 0:
        raise ScriptRefusedError(done.stderr.decode(errors="replace").strip())
    return done.stdout


def complaints_of(command: Sequence[str], sent: bytes = b"") -> str:
    """What a client writes to its standard error, whether it fails or not."""
    done = subprocess.run(command, input=sent, capture_output=True, timeout=COMMAND_SECONDS, check=False)
    return done.stderr.decode(errors="replace")
