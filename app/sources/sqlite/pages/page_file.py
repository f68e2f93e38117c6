"""The pages of a SQLite image, by number, from memory or from a file."""

import os
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol

import numpy as np
import numpy.typing as npt

from app.sources.sqlite.pages.text_views import PADDING
from app.tables.dictionary import IntArray

ByteArray = npt.NDArray[np.uint8]

_LEAST_PAGE, _MOST_PAGE = 512, 65_536


class PagesUnreadableError(Exception):
    """Pages are not what the file format says; SQLite is asked instead, which also says what is wrong. Never shown."""


@dataclass(frozen=True, slots=True)
class Geometry:
    """Bytes of a page, how many of them may hold content, and how many pages there are."""

    page: int
    usable: int
    count: int

    @classmethod
    def of(cls, header: bytes, size: int) -> "Geometry":
        """From the first 100 bytes of an image and its size."""
        page = int.from_bytes(header[16:18])
        page = _MOST_PAGE if page == 1 else page
        if not _LEAST_PAGE <= page <= _MOST_PAGE or page & (page - 1):
            raise PagesUnreadableError
        return cls(page, page - header[20], size // page)


class PageFile(Protocol):
    """Where pages come from."""

    @property
    def geometry(self) -> Geometry:
        """The sizes."""

    def read(self, numbers: IntArray) -> ByteArray:
        """These pages, counted from 1, one after the other, and some bytes of padding; for several threads."""


def _checked(numbers: IntArray, geometry: Geometry) -> IntArray:
    if len(numbers) and not 1 <= int(numbers.min()) <= int(numbers.max()) <= geometry.count:
        raise PagesUnreadableError
    return numbers


class MemoryPages:
    """Pages of an image in memory."""

    def __init__(self, image: bytes) -> None:
        self.geometry = Geometry.of(image[:100], len(image))
        page, count = self.geometry.page, self.geometry.count
        self._pages = np.frombuffer(image, np.uint8, page * count).reshape(count, page)

    def read(self, numbers: IntArray) -> ByteArray:
        """Copies of these pages, which may stand anywhere in the image."""
        buffer = _buffer(len(numbers), self.geometry)
        pages = buffer[: len(buffer) - PADDING].reshape(-1, self.geometry.page)
        np.take(self._pages, _checked(numbers, self.geometry) - 1, axis=0, out=pages, mode="clip")
        return buffer


class FilePages:
    """Pages of an open file, read when they are wanted: a mapped file that somebody cuts would end the process."""

    def __init__(self, descriptor: int) -> None:
        self._descriptor = descriptor
        self.geometry = Geometry.of(os.pread(descriptor, 100, 0).ljust(100, b"\0"), os.fstat(descriptor).st_size)

    def read(self, numbers: IntArray) -> ByteArray:
        """These pages; those that follow one another are read in one call."""
        page = self.geometry.page
        buffer = _buffer(len(_checked(numbers, self.geometry)), self.geometry)
        breaks = (np.diff(numbers) != 1).nonzero()[0] + 1
        for first, end in zip([0, *breaks.tolist()], [*breaks.tolist(), len(numbers)], strict=True):
            self._read_run(buffer[first * page : end * page], (int(numbers[first]) - 1) * page)
        return buffer

    def _read_run(self, into: ByteArray, offset: int) -> None:
        done = 0
        while done < len(into):
            got = os.preadv(self._descriptor, [into.data[done:]], offset + done)
            if got == 0:
                raise PagesUnreadableError
            done += got


def pages_in_memory(image: bytes) -> PageFile | None:
    """The pages of an image; None if its header makes no sense."""
    try:
        return MemoryPages(image)
    except PagesUnreadableError:
        return None


@contextmanager
def pages_of_file(path: Path) -> Iterator[PageFile | None]:
    """The pages of a file, as long as the context lasts; None if its header makes no sense."""
    descriptor = os.open(path, os.O_RDONLY | os.O_CLOEXEC)
    try:
        yield _pages_of(descriptor)
    finally:
        os.close(descriptor)


def _pages_of(descriptor: int) -> PageFile | None:
    try:
        return FilePages(descriptor)
    except PagesUnreadableError:
        return None


def _buffer(pages: int, geometry: Geometry) -> ByteArray:
    """Room for pages, and more, so that a word may be read at any position within a page."""
    buffer = np.empty(pages * geometry.page + PADDING, np.uint8)
    buffer[-PADDING:] = 0
    return buffer
