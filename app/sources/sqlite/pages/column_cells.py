"""One column of many records as an array."""

from typing import Any

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from app.sources.sqlite.pages.page_file import ByteArray
from app.sources.sqlite.pages.records import Records
from app.sources.sqlite.pages.text_views import text_views
from app.tables.column import Column, Kind, null_column
from app.tables.dictionary import ArrowText, BoolArray, IntArray, ObjectArray
from app.values import Affinity

_NULL, _INTEGER, _REAL, _TEXT, _BLOB = range(5)
_CLASSES = np.array([_NULL, *[_INTEGER] * 6, _REAL, _INTEGER, _INTEGER, _BLOB, _BLOB, _BLOB, _TEXT], np.uint8)
"""The class of each serial type up to 13; from 12 on even ones are BLOBs and odd ones are texts."""

_ONE = 9
"""The serial type that is the integer 1 and has no bytes."""

_REAL_TYPE = 7


def read_column(records: Records, column: int, affinity: Affinity) -> Column | ArrowText | None:
    """The cells of one column, at least one row; None if one is a BLOB or not a finite number.

    Raises `pyarrow.ArrowInvalid` for text that is not UTF-8.
    """
    types = records.types[column]
    classes = _classes(types)
    if affinity is Affinity.REAL:
        # SQLite stores reals without a fraction as integers.
        classes[classes == _INTEGER] = _REAL
    found = np.bincount(classes, minlength=5)
    nulls = types == 0 if found[_NULL] else None
    if found[_NULL] == len(types):
        return null_column(len(types), Kind.INT64)
    if found[_BLOB]:
        return None
    if found[_NULL] + found[_TEXT] == len(types):
        return _texts(records, column, nulls)
    if found[_NULL] + found[_INTEGER] == len(types):
        return Column(Kind.INT64, _integers(records, column), nulls)
    return _with_reals(records, column, classes, nulls)


def _with_reals(records: Records, column: int, classes: ByteArray, nulls: BoolArray | None) -> Column | None:
    reals = _reals(records, column, classes)
    if not np.isfinite(reals).all():
        return None
    if ((classes == _NULL) | (classes == _REAL)).all():
        return Column(Kind.FLOAT64, reals, nulls)
    return Column(Kind.MIXED, _objects(records, column, classes, reals), nulls)


def _classes(types: IntArray) -> ByteArray:
    return _CLASSES.take(np.where(types > 13, 12 + (types & 1), types))


def _words(buffer: ByteArray, dtype: str) -> npt.NDArray[Any]:
    """The buffer as overlapping words, one at each byte."""
    size = np.dtype(dtype).itemsize
    return np.ndarray((len(buffer) - size + 1,), dtype, buffer, strides=(1,))


def _integers(records: Records, column: int) -> IntArray:
    """The integers; 0 for a NULL, and anything for a real or a text."""
    types, lengths = records.types[column], records.lengths(column)
    words = _words(records.buffer, ">i8")[records.starts[column]].astype(np.int64)
    empty = lengths == 0
    integers: IntArray = words >> np.where(empty, 0, 64 - 8 * np.minimum(lengths, 8))
    if empty.any():
        integers[empty] = types[empty] == _ONE
    return integers


def _reals(records: Records, column: int, classes: ByteArray) -> npt.NDArray[np.float64]:
    """The cells that count as reals, though some may be stored as integers; 0.0 for all else."""
    types = records.types[column]
    reals = _words(records.buffer, ">f8")[records.starts[column]].astype(np.float64)
    reals[types != _REAL_TYPE] = 0.0
    whole = (classes == _REAL) & (types != _REAL_TYPE)
    if whole.any():
        reals[whole] = _integers(records, column)[whole]
    return reals


def _objects(records: Records, column: int, classes: ByteArray, reals: npt.NDArray[np.float64]) -> ObjectArray:
    """The cells as Python objects, of the types that `classes` says."""
    objects = np.full(len(classes), None, object)
    integers, texts = classes == _INTEGER, classes == _TEXT
    objects[integers] = _integers(records, column)[integers].astype(object)
    objects[classes == _REAL] = reals[classes == _REAL].astype(object)
    objects[texts] = _texts(records, column, ~texts).to_numpy(zero_copy_only=False)[texts]
    return objects


def _texts(records: Records, column: int, nulls: BoolArray | None) -> ArrowText:
    views = text_views(records.buffer, records.starts[column], records.lengths(column), nulls)
    texts = views.cast(pa.large_string())
    texts.validate(full=True)
    return texts
