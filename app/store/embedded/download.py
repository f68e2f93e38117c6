"""Fetching the locked jars into the user's cache: in parallel, checked by hash, each file whole or absent.

A file is written beside its place and renamed once its hash is right, so a broken download is taken up again at
the files that are still missing, and two downloads at the same time do no harm.
"""

import hashlib
import os
import tempfile
import time
import urllib.error
import urllib.request
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from http.client import HTTPException
from pathlib import Path
from threading import Lock

from app.errors import DownloadFailedError
from app.store.embedded.jars import Jar, jar_folder, locked_jars
from app.store.servers.config import Progress, StoreSettings, no_progress

_WORKERS = 12
_TRIES = 3
_PAUSE_SECONDS = 0.2
_CHUNK_BYTES = 1 << 17
_TIMEOUT_SECONDS = 30.0
_OFFLINE_HINT = (
    "Connect once, or set GRAPHWRIGHT_MAVEN_REPOSITORY to a mirror you can reach, or copy the cache folder from a "
    "machine that has it, or use a Neo4j of your own through NEO4J_URI."
)


class _Counter:
    """Bytes done by all workers, reported one at a time."""

    def __init__(self, total: int, progress: Progress) -> None:
        self._done, self._total, self._progress, self._lock = 0, total, progress, Lock()

    def add(self, count: int) -> None:
        with self._lock:
            self._done += count
            self._progress(self._done, self._total)


def ensure_jars(settings: StoreSettings, progress: Progress = no_progress) -> tuple[Path, ...]:
    """The class path of the embedded Neo4j; see `fetch_jars`."""
    return fetch_jars(locked_jars(), settings, progress)


def fetch_jars(jars: Sequence[Jar], settings: StoreSettings, progress: Progress = no_progress) -> tuple[Path, ...]:
    """Where the cache keeps each jar, fetching what it lacks; no network if it lacks nothing.

    `DownloadFailedError` names the first jar that could not be had.
    """
    folder = jar_folder(settings.cache_dir)
    missing = [jar for jar in jars if not _is_cached(jar, folder)]
    if missing:
        _fetch_all(missing, folder, repository_of(settings), progress)
    return tuple(jar.cached_in(folder) for jar in jars)


def repository_of(settings: StoreSettings) -> str:
    """The root of the Maven repository in use, without a slash at its end."""
    if settings.maven_repository:
        return settings.maven_repository.rstrip("/")
    from jgo.constants import MAVEN_CENTRAL_URL

    return str(MAVEN_CENTRAL_URL).rstrip("/")


def _is_cached(jar: Jar, folder: Path) -> bool:
    try:
        return jar.cached_in(folder).stat().st_size == jar.size
    except OSError:
        return False


def _fetch_all(jars: list[Jar], folder: Path, repository: str, progress: Progress) -> None:
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise _failed(f"The cache folder {folder} cannot be made: {error.strerror}.", jars[0]) from error
    counter = _Counter(sum(jar.size for jar in jars), progress)
    largest_first = sorted(jars, key=lambda jar: -jar.size)
    with ThreadPoolExecutor(_WORKERS, "download") as pool:
        futures = [pool.submit(_fetch, jar, folder, repository, counter) for jar in largest_first]
        try:
            for future in futures:
                future.result()
        except BaseException:
            pool.shutdown(cancel_futures=True)
            raise


def _fetch(jar: Jar, folder: Path, repository: str, counter: _Counter) -> None:
    for attempt in range(1, _TRIES + 1):
        try:
            return _fetch_once(jar, folder, f"{repository}/{jar.repository_path}", counter)
        except (urllib.error.HTTPError, ValueError) as error:
            raise _failed(f"{jar.coordinates} cannot be fetched: {error}.", jar) from error
        except (OSError, HTTPException) as error:
            if attempt == _TRIES or isinstance(error, PermissionError):
                raise _failed(f"{jar.coordinates} cannot be fetched: {_reason(error)}.", jar) from error
            time.sleep(_PAUSE_SECONDS * attempt)
    return None


def _fetch_once(jar: Jar, folder: Path, url: str, counter: _Counter) -> None:
    descriptor, temporary = tempfile.mkstemp(dir=folder, prefix=".part-")
    received = 0
    try:
        digest = hashlib.sha256()
        with (
            open(descriptor, "wb") as part,
            urllib.request.urlopen(url, timeout=_TIMEOUT_SECONDS) as response,  # noqa: S310
        ):
            while chunk := response.read(_CHUNK_BYTES):
                part.write(chunk)
                digest.update(chunk)
                received += len(chunk)
                counter.add(len(chunk))
        if digest.hexdigest() != jar.sha256:
            raise _failed(f"{jar.coordinates} has a different SHA-256 from the one in the lock.", jar)
        os.replace(temporary, jar.cached_in(folder))
    except BaseException:
        counter.add(-received)
        Path(temporary).unlink(missing_ok=True)
        raise


def _reason(error: Exception) -> object:
    return getattr(error, "reason", None) or getattr(error, "strerror", None) or error


def _failed(message: str, jar: Jar) -> DownloadFailedError:
    return DownloadFailedError(message, hint=_OFFLINE_HINT, jar=jar.coordinates)
