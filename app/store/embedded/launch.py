"""Joining the server process of the embedded Neo4j, starting it, and ending it."""

import json
import subprocess
import sys
import time
from pathlib import Path
from socket import create_connection

from app.errors import ServerStartError, StoreInUseError
from app.store.embedded.client import ServerClient, end_process, failure
from app.store.embedded.download import ensure_jars
from app.store.embedded.protocol import LOOPBACK, Channel, Message, ServerFiles, ServerState
from app.store.servers.config import Progress, StoreSettings, no_progress
from app.store.servers.files import is_locked, make_private_folder

_JOIN_SECONDS = 30.0
_END_SECONDS = 30.0
_CONNECT_SECONDS = 5.0
_POLL_SECONDS = 0.05


def connect(settings: StoreSettings, progress: Progress = no_progress) -> ServerClient:
    """Join the running server process, or start one, fetching its jars first if the cache lacks them."""
    files = ServerFiles(settings.embedded_dir.resolve())
    try:
        make_private_folder(files.folder)
    except OSError as error:
        raise ServerStartError(
            f"The data directory {files.folder} cannot be used: {error.strerror}.", hint="Choose another one."
        ) from error
    while True:
        client = join(files) or _start(files, ensure_jars(settings, progress), settings.max_open_graphs)
        if client is not None:
            return client


def join(files: ServerFiles, seconds: float = _JOIN_SECONDS) -> ServerClient | None:
    """A connection to the process that runs, None if none does.

    `StoreInUseError` if one runs and does not answer within these seconds.
    """
    end = time.monotonic() + seconds
    while is_locked(files.lock):
        state = ServerState.read(files)
        channel = greeted(state) if state else None
        if channel is not None:
            return ServerClient(files, channel, None)
        if time.monotonic() > end:
            raise StoreInUseError(
                f"Another process holds the store directory {files.folder} and does not answer.",
                hint="Wait for it to end, or end it by its process id.",
                pid=state.pid if state else None,
            )
        time.sleep(_POLL_SECONDS)
    files.state.unlink(missing_ok=True)
    return None


def stop(files: ServerFiles) -> bool:
    """End the process that runs, whoever uses it, and wait for its end; False if none runs."""
    client = join(files)
    if client is None:
        return False
    client.stop()
    end = time.monotonic() + _END_SECONDS
    while is_locked(files.lock) and time.monotonic() < end:
        time.sleep(_POLL_SECONDS)
    return True


def greeted(state: ServerState) -> Channel | None:
    """A connection to the process of that state, None if it is gone or does not know the token."""
    try:
        connection = create_connection((LOOPBACK, state.port), _CONNECT_SECONDS)
    except OSError:
        return None
    channel = Channel(connection)
    try:
        channel.send({"token": state.token})
        answer = channel.receive()
    except OSError:
        answer = None
    if answer is None or answer.get("ok") != state.pid:
        channel.close()
        return None
    connection.settimeout(None)
    return channel


def _start(files: ServerFiles, class_path: tuple[Path, ...], max_open: int) -> ServerClient | None:
    """Start the process and connect to it; None if another process was faster."""
    process, answer = _spawn(files, {"class_path": list(map(str, class_path)), "max_open": max_open})
    state = ServerState.read(files) if "ok" in answer else None
    channel = greeted(state) if state else None
    if channel is not None:
        return ServerClient(files, channel, process)
    end_process(process)
    if answer.get("busy"):
        return None
    raise failure(answer, files)


def _spawn(files: ServerFiles, order: Message) -> tuple["subprocess.Popen[bytes]", Message]:
    command = [sys.executable, "-P", "-m", "app.store.embedded.server_process"]
    with open(files.log, "ab") as log:
        log.truncate(0)
        process = subprocess.Popen(  # noqa: S603
            command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=log, start_new_session=True
        )
    assert process.stdin is not None
    assert process.stdout is not None
    process.stdin.write(json.dumps({**order, "folder": str(files.folder)}).encode("utf-8") + b"\n")
    process.stdin.flush()
    with process.stdout as output:
        line = output.readline()
    return process, json.loads(line) if line else {"error": "Ended", "message": "it ended without a message"}
