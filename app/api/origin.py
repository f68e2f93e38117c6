"""Refuses requests that a foreign web page makes a browser send here: DNS rebinding and cross-site requests."""

import ipaddress
from collections.abc import Iterable
from urllib.parse import urlsplit

from starlette.types import ASGIApp, Receive, Scope, Send

from app.api.errors import error_response
from app.errors import RequestRefusedError

LOOPBACK_NAMES = frozenset({"localhost", "127.0.0.1", "::1"})


class OriginGuard:
    """Lets a request pass whose Host is one of this server's names and whose Origin, if it has one, is that Host.

    A server that listens on every address has no list of names; there any address literal passes, since only
    names can be rebound.
    """

    def __init__(self, app: ASGIApp, host: str) -> None:
        self._app = app
        self._names = LOOPBACK_NAMES | {host.lower()}
        self._any_address = _is_wildcard(host)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass a request on, or refuse it."""
        refusal = self._refusal(scope) if scope["type"] in ("http", "websocket") else None
        if refusal is None:
            await self._app(scope, receive, send)
        else:
            await error_response(refusal)(scope, receive, send)

    def _refusal(self, scope: Scope) -> RequestRefusedError | None:
        hosts, origins = _headers(scope, b"host"), _headers(scope, b"origin")
        if len(hosts) != 1 or not self._is_ours(hosts[0]):
            return RequestRefusedError(
                "The request's Host is not this server's.", hint="Use the address that the server printed."
            )
        if any(urlsplit(origin).netloc.lower() != hosts[0].lower() for origin in origins):
            return RequestRefusedError("The request comes from another web page.")
        return None

    def _is_ours(self, host: str) -> bool:
        try:
            name = (urlsplit("//" + host).hostname or "").lower()
        except ValueError:
            return False
        return name in self._names or (self._any_address and _is_address(name))


def _headers(scope: Scope, wanted: bytes) -> list[str]:
    headers: Iterable[tuple[bytes, bytes]] = scope["headers"]
    return [value.decode("latin-1") for name, value in headers if name.lower() == wanted]


def _is_address(name: str) -> bool:
    try:
        ipaddress.ip_address(name)
    except ValueError:
        return False
    return True


def _is_wildcard(host: str) -> bool:
    return _is_address(host) and ipaddress.ip_address(host).is_unspecified
