"""Joining the server process of the embedded Neo4j, starting it, and ending it."""

import json
import subprocess
import sys
import time
from pathlib import Path
from socket import create_connection

from app.errors import ServerStartError, StoreInUseError
from app.store.client import ServerClient, end_process, failure
from app.store.config import Progress, StoreSettings, no_progress
from app.store.download import ensure_jars
from app.store.files import is_locked, make_private_folder
from app.store.protocol import LOOPBACK, Channel, Message, ServerFiles, ServerState

_JOIN_SECONDS = 30.0
_END_SECONDS = 30.0
_CONNECT_SECONDS = 5.0
_POLL_SECONDS = 0.05


def connect(settings: StoreSettings, progress: Progress = no_progress) -> ServerClient:
    """Join the running server process, or start one, fetching its jars first where the cache lacks them."""
    files = ServerFiles(settings.embedded_dir.resolve())
    make_private_folder(files.folder)
    joined = join(files)
    if joined is not None:
        return joined
    class_path = ensure_jars(settings, progress)
    process, answer = _start(files, class_path, settings.max_open_graphs)
    if answer.get("busy"):
        end_process(process)
        return _join_before(files, time.monotonic() + _JOIN_SECONDS)
    if "error" in answer:
        end_process(process)
        raise failure(answer, files)
    return _first_client(files, process)


def join(files: ServerFiles) -> ServerClient | None:
    """A connection to the process that runs, None where none does; `StoreInUseError` where it does not answer."""
    if not is_locked(files.lock):
        files.state.unlink(missing_ok=True)
        return None
    return _join_before(files, time.monotonic() + _JOIN_SECONDS)


def stop(files: ServerFiles) -> bool:
    """End the process that runs, whoever uses it, and wait for its end; False where none runs."""
    client = join(files)
    if client is None:
        return False
    client.stop()
    end = time.monotonic() + _END_SECONDS
    while is_locked(files.lock) and time.monotonic() < end:
        time.sleep(_POLL_SECONDS)
    return True


def _first_client(files: ServerFiles, process: "subprocess.Popen[bytes]") -> ServerClient:
    state = ServerState.read(files)
    channel = _greeted(state) if state else None
    if channel is None:
        end_process(process)
        raise ServerStartError("The embedded Neo4j ended at once.", hint=f"Its log is {files.log}.")
    return ServerClient(files, channel, process)


def _join_before(files: ServerFiles, end: float) -> ServerClient:
    while time.monotonic() < end:
        state = ServerState.read(files)
        channel = _greeted(state) if state else None
        if channel is not None:
            return ServerClient(files, channel, None)
        if not is_locked(files.lock):
            raise ServerStartError("The embedded Neo4j ended while it was being joined.", hint="Repeat the command.")
        time.sleep(_POLL_SECONDS)
    raise StoreInUseError(
        f"Another process holds the store directory {files.folder} and does not answer.",
        hint="Wait for it to end, or end it: `graphwright neo4j stop`, or by its process id.",
        pid=getattr(ServerState.read(files), "pid", None),
    )


def _greeted(state: ServerState) -> Channel | None:
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


def _start(
    files: ServerFiles, class_path: tuple[Path, ...], max_open: int
) -> tuple["subprocess.Popen[bytes]", Message]:
    order = {"folder": str(files.folder), "class_path": [str(jar) for jar in class_path], "max_open": max_open}
    command = [sys.executable, "-P", "-m", "app.store.server_process"]
    with open(files.log, "ab") as log:
        log.truncate(0)
        process = subprocess.Popen(  # noqa: S603
            command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=log, start_new_session=True
        )
    assert process.stdin is not None
    assert process.stdout is not None
    process.stdin.write(json.dumps(order).encode("utf-8") + b"\n")
    process.stdin.flush()
    with process.stdout as output:
        line = output.readline()
    return process, json.loads(line) if line else {"error": "ServerStart", "message": "it ended without a word"}
