"""The stores that the server process has open: opened on demand, leased to clients, the least recently used closed."""

import shutil
from collections import OrderedDict
from collections.abc import Callable, Hashable
from pathlib import Path
from threading import RLock
from typing import Protocol


class Closable(Protocol):
    """An open store."""

    @property
    def port(self) -> int:
        """The port of its Bolt server."""
        ...

    def close(self) -> None:
        """Shut it down cleanly."""
        ...


class OpenStores:
    """At most `limit` open stores, not counting those that clients hold a lease on.

    A retired store is deleted as soon as nobody holds it.
    """

    def __init__(self, open_store: Callable[[Path], Closable], limit: int) -> None:
        self._open_store, self._limit = open_store, limit
        self._stores: OrderedDict[Path, Closable] = OrderedDict()
        self._leases: dict[Path, list[Hashable]] = {}
        self._retired: set[Path] = set()
        self._lock = RLock()

    def lease(self, home: Path, holder: Hashable) -> int:
        """Open the store unless it is open, keep it so for `holder`, and return its port."""
        with self._lock:
            if home not in self._stores:
                self._make_room()
                self._stores[home] = self._open_store(home)
            self._stores.move_to_end(home)
            self._leases.setdefault(home, []).append(holder)
            return self._stores[home].port

    def release(self, home: Path, holder: Hashable) -> None:
        """Give one lease back."""
        with self._lock:
            leases = self._leases.get(home, [])
            if holder in leases:
                leases.remove(holder)
            self._sweep(home)

    def release_all(self, holder: Hashable) -> None:
        """Give back every lease of a client that is gone."""
        with self._lock:
            for leases in self._leases.values():
                leases[:] = [lease for lease in leases if lease != holder]
            for home in list(self._leases):
                self._sweep(home)

    def retire(self, home: Path) -> None:
        """Delete the store, now or when its last lease is given back."""
        with self._lock:
            self._retired.add(home)
            self._sweep(home)

    def open_homes(self) -> dict[Path, int]:
        """The ports of the open stores, least recently used first."""
        with self._lock:
            return {home: store.port for home, store in self._stores.items()}

    def close(self) -> None:
        """Close every store."""
        with self._lock:
            while self._stores:
                self._stores.popitem()[1].close()

    def _make_room(self) -> None:
        idle = [home for home in self._stores if not self._leases.get(home)]
        for home in idle[: max(0, len(self._stores) - self._limit + 1)]:
            self._stores.pop(home).close()

    def _sweep(self, home: Path) -> None:
        if self._leases.get(home):
            return
        self._leases.pop(home, None)
        if home in self._retired:
            self._retired.discard(home)
            if home in self._stores:
                self._stores.pop(home).close()
            shutil.rmtree(home, ignore_errors=True)
