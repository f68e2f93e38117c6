"""Runs the HTTP application until it is told to stop."""

import socket
from collections.abc import Callable
from contextlib import suppress

import uvicorn

from app.api.application import create_app
from app.api.context import ApiContext
from app.errors import AddressInUseError


def run_server(context: ApiContext, host: str, port: int, announce: Callable[[str], None]) -> None:
    """Serve on `host` and `port` (0: any free one), tell `announce` the address, and return after an interrupt."""
    with _listen(host, port) as listener, suppress(KeyboardInterrupt):
        config = uvicorn.Config(
            create_app(context, host=host), log_level="warning", timeout_graceful_shutdown=5, server_header=False
        )
        _Server(config, lambda: announce(address_of(listener))).run(sockets=[listener])


class _Server(uvicorn.Server):
    """Says when it answers requests, and no earlier: from then on an interrupt ends it in peace."""

    def __init__(self, config: uvicorn.Config, started: Callable[[], None]) -> None:
        super().__init__(config)
        self._tell = started

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        """Start, and say so when it is done."""
        await super().startup(sockets)
        if self.started:
            self._tell()


def address_of(listener: socket.socket) -> str:
    """The address of a listening socket as a URL."""
    host, port = listener.getsockname()[:2]
    return f"http://[{host}]:{port}" if ":" in host else f"http://{host}:{port}"


def _listen(host: str, port: int) -> socket.socket:
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    try:
        return socket.create_server((host, port), family=family)
    except OSError as error:
        raise AddressInUseError(
            f"Port {port} of {host} cannot be listened on: {error.strerror or error}.",
            hint="Choose another: graphwright serve --port N, or GRAPHWRIGHT_PORT.",
            host=host,
            port=port,
        ) from error
