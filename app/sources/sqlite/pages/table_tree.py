"""The B-tree of a table: its leaf pages in the order of their rows, and the cells of leaf pages."""

from dataclasses import dataclass

import numpy as np

from app.budget import check_deadline
from app.sources.sqlite.pages.page_file import ByteArray, Geometry, PageFile, PagesUnreadableError
from app.sources.sqlite.pages.varints import read_varints
from app.tables.dictionary import IntArray

_INTERIOR, _LEAF = 5, 13
_INTERIOR_HEADER, _LEAF_HEADER = 12, 8
_DEEPEST = 20
_PAGES_AT_ONCE = 4_096


def leaf_pages(file: PageFile, root: int) -> IntArray:
    """The numbers of a table's leaf pages, in the order of their rows.

    Raises `PagesUnreadableError` for anything that is not such a tree.
    """
    level = np.array([root], np.int64)
    for _ in range(_DEEPEST):
        kinds = _kinds(file, level[:1])
        if kinds[0] == _LEAF:
            return level
        steps = range(0, len(level), _PAGES_AT_ONCE)
        level = np.concatenate([_children(file, level[at : at + _PAGES_AT_ONCE]) for at in steps])
        if len(level) > file.geometry.count:
            raise PagesUnreadableError
    raise PagesUnreadableError


def _kinds(file: PageFile, numbers: IntArray) -> ByteArray:
    return file.read(numbers)[_bases(numbers, file.geometry)]


def _bases(numbers: IntArray, geometry: Geometry) -> IntArray:
    """Where each page begins in a buffer of these pages."""
    return np.arange(len(numbers)) * geometry.page


def _children(file: PageFile, numbers: IntArray) -> IntArray:
    """The pages that interior pages point to, in order; the last pointer of a page stands in its header."""
    check_deadline()
    buffer, bases = file.read(numbers), _bases(numbers, file.geometry)
    cells, counts = _cells(buffer, bases, file.geometry, _INTERIOR, _INTERIOR_HEADER)
    last = np.cumsum(counts + 1) - 1
    children = np.empty(len(cells) + len(numbers), np.int64)
    is_last = np.zeros(len(children), np.bool_)
    is_last[last] = True
    children[is_last] = _big_endian(buffer, bases + 8, 4)
    children[~is_last] = _big_endian(buffer, cells, 4)
    return children


def _big_endian(buffer: ByteArray, positions: IntArray, size: int) -> IntArray:
    value = np.zeros(len(positions), np.int64)
    for byte in range(size):
        value = (value << 8) | buffer.take(positions + byte, mode="clip")
    return value


def _cells(buffer: ByteArray, bases: IntArray, geometry: Geometry, kind: int, header: int) -> tuple[IntArray, IntArray]:
    """Where the cells of pages of one kind begin, in order, and how many each page has."""
    counts = _big_endian(buffer, bases + 3, 2)
    if (buffer[bases] != kind).any() or (header + 2 * counts > geometry.usable).any():
        raise PagesUnreadableError
    number = np.arange(int(counts.sum())) - (np.cumsum(counts) - counts).repeat(counts)
    offsets = _big_endian(buffer, bases.repeat(counts) + header + 2 * number, 2)
    if ((offsets < (header + 2 * counts).repeat(counts)) | (offsets > geometry.usable - 4)).any():
        raise PagesUnreadableError
    return bases.repeat(counts) + offsets, counts


@dataclass(frozen=True, slots=True)
class LeafCells:
    """Rows of leaf pages: row ids, and where the record of each begins and ends in `buffer`, shape (rows,).

    `overflows` says that a row goes on on other pages, so that its record does not end within its page.
    """

    buffer: ByteArray
    row_ids: IntArray
    starts: IntArray
    ends: IntArray
    overflows: bool


def read_cells(file: PageFile, numbers: IntArray) -> LeafCells:
    """The rows of these leaf pages, in order."""
    geometry = file.geometry
    buffer, bases = file.read(numbers), _bases(numbers, geometry)
    cells, counts = _cells(buffer, bases, geometry, _LEAF, _LEAF_HEADER)
    sizes, positions = read_varints(buffer, cells)
    row_ids, starts = read_varints(buffer, positions)
    overflows = bool(((sizes > geometry.usable - 35) | (sizes < 0)).any())
    ends = starts + sizes
    if not overflows and (ends > (bases + geometry.usable).repeat(counts)).any():
        raise PagesUnreadableError
    return LeafCells(buffer, row_ids, starts, ends, overflows)
