"""The process that runs the embedded Neo4j, apart from the process that uses it.

It lives while the process that started it lives (its standard input is a pipe that the kernel closes with that
process, however it ends), while any client is connected, or, once told to persist, until it is told to stop. Started as
`python -m app.store.embedded.server_process` with one line of JSON on standard input; it answers with one line of JSON.
"""

import json
import os
import secrets
import signal
import socket
import sys
import traceback
from collections.abc import Callable
from pathlib import Path
from threading import Condition, Thread, Timer
from typing import Any

from app.store.embedded import jvm
from app.store.embedded.credentials import embedded_password
from app.store.embedded.open_stores import OpenStores
from app.store.embedded.protocol import LOOPBACK, Channel, Message, ServerFiles, ServerState
from app.store.servers.files import make_private_folder, try_lock, write_private

_SHUTDOWN_SECONDS = 20.0


class Lifetime:
    """Why the process goes on: its starter, its clients, or an order to persist."""

    def __init__(self) -> None:
        self._changed = Condition()
        self._starter_lives, self._persists, self._stopped, self._clients = True, False, False, 0

    def wait_for_end(self) -> None:
        """Return once nobody needs the process, or once it was told to stop."""
        with self._changed:
            self._changed.wait_for(lambda: self._stopped or not self._is_needed())

    def _is_needed(self) -> bool:
        return self._starter_lives or self._persists or self._clients > 0

    def starter_gone(self) -> None:
        """The process that started this one is gone, or has let go of it."""
        with self._changed:
            self._starter_lives = False
            self._changed.notify_all()

    def persist(self) -> None:
        """Go on without starter and clients."""
        with self._changed:
            self._persists = True

    def stop(self) -> None:
        """End, whoever is connected."""
        with self._changed:
            self._stopped = True
            self._changed.notify_all()

    def client_came(self) -> None:
        """One more client."""
        with self._changed:
            self._clients += 1

    def client_left(self) -> None:
        """One client less."""
        with self._changed:
            self._clients -= 1
            self._changed.notify_all()

    @property
    def clients(self) -> int:
        """How many clients are connected."""
        return self._clients

    @property
    def persists(self) -> bool:
        """Whether it was told to persist."""
        return self._persists


class ControlServer:
    """Answers the requests of clients, each connection in a thread of its own."""

    def __init__(self, token: str, stores: OpenStores, lifetime: Lifetime) -> None:
        self._token, self._stores, self._lifetime = token, stores, lifetime
        self._listener = socket.create_server((LOOPBACK, 0))
        self._actions: dict[str, Callable[[Message, object], object]] = {
            "open": lambda message, client: stores.lease(Path(message["home"]), client),
            "release": lambda message, client: stores.release(Path(message["home"]), client),
            "retire": lambda message, _: stores.retire(Path(message["home"])),
            "status": lambda _, __: self._status(),
            "persist": lambda _, __: lifetime.persist(),
            "stop": lambda _, __: lifetime.stop(),
        }

    @property
    def port(self) -> int:
        """The control port."""
        return int(self._listener.getsockname()[1])

    def serve(self) -> None:
        """Accept clients until the process ends."""
        while True:
            connection, _ = self._listener.accept()
            Thread(target=self._serve_client, args=(Channel(connection),), daemon=True).start()

    def _serve_client(self, channel: Channel) -> None:
        greeting = channel.receive()
        if greeting is None or not secrets.compare_digest(str(greeting.get("token")), self._token):
            channel.close()
            return
        self._lifetime.client_came()
        try:
            channel.send({"ok": os.getpid()})
            while (message := channel.receive()) is not None:
                channel.send(self._answer(message, channel))
        except OSError:
            pass
        finally:
            self._stores.release_all(channel)
            self._lifetime.client_left()
            channel.close()

    def _answer(self, message: Message, client: object) -> Message:
        try:
            return {"ok": self._actions[message["do"]](message, client)}
        except Exception as error:
            traceback.print_exc()
            return {"error": type(error).__name__, "message": _first_cause(error)}

    def _status(self) -> dict[str, Any]:
        homes = {str(home): port for home, port in self._stores.open_homes().items()}
        lifetime = self._lifetime
        return {"pid": os.getpid(), "persists": lifetime.persists, "clients": lifetime.clients, "open": homes}


def _first_cause(error: BaseException) -> str:
    cause: Any = error
    while (inner := getattr(cause, "getCause", lambda: None)()) is not None:
        cause = inner
    return str(cause).splitlines()[0] if str(cause) else type(cause).__name__


def _watch_starter(lifetime: Lifetime) -> None:
    while sys.stdin.buffer.readline():
        pass
    lifetime.starter_gone()


def _say(message: Message) -> None:
    print(json.dumps(message), flush=True)
    with open(os.devnull, "w", encoding="utf-8") as nothing:
        os.dup2(nothing.fileno(), sys.stdout.fileno())


def _serve(files: ServerFiles, order: Message, lifetime: Lifetime) -> None:
    jvm.start_machine([Path(jar) for jar in order["class_path"]])
    password = embedded_password(files.folder)
    stores = OpenStores(lambda home: jvm.open_store(home, password), int(order["max_open"]))
    state_token = secrets.token_urlsafe(32)
    control = ControlServer(state_token, stores, lifetime)
    Thread(target=control.serve, daemon=True).start()
    state = ServerState(os.getpid(), control.port, state_token)
    write_private(files.state, state.to_json())
    try:
        _say({"ok": state.pid})
        lifetime.wait_for_end()
    finally:
        files.state.unlink(missing_ok=True)
        Timer(_SHUTDOWN_SECONDS, os._exit, (1,)).start()
        stores.close()


def main() -> None:
    """Read the order, serve, and leave without waiting for the Java machine's own threads."""
    order = json.loads(sys.stdin.buffer.readline())
    files = ServerFiles(Path(order["folder"]))
    lifetime = Lifetime()
    signal.signal(signal.SIGTERM, lambda *_: lifetime.stop())
    Thread(target=_watch_starter, args=(lifetime,), daemon=True).start()
    make_private_folder(files.folder)
    with try_lock(files.lock) as held:
        if not held:
            _say({"busy": True})
            return
        try:
            _serve(files, order, lifetime)
        except Exception as error:
            traceback.print_exc()
            _say({"error": type(error).__name__, "message": _first_cause(error)})
        finally:
            sys.stderr.flush()
            os._exit(0)


if __name__ == "__main__":
    main()
