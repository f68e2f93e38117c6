"""One column of many rows as SQLite would store it under the column's affinity."""

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.compute as pc

from app.sources.column_reader import Part
from app.sources.literal_inserts.fields import Fields
from app.sources.literal_inserts.groups import UnusualScriptError
from app.tables.arrow import to_flags, to_numpy
from app.tables.column import Column, Kind, null_column
from app.tables.dictionary import BoolArray, IntArray
from app.values import Affinity, texts_to_reals

RealArray = npt.NDArray[np.float64]

_EXACT_CHARACTERS = 19
"""Numbers of so many digits are rounded rightly by SQLite and by Arrow; longer ones SQLite cuts before it rounds."""

_BEYOND_INT64 = 2.0**63
_NUMBER = r"^[ \t\n\v\f\r]*[+-]?([0-9]+(\.[0-9]*)?|\.[0-9]+)([eE][+-]?[0-9]+)?[ \t\n\v\f\r]*$"


def read_cells(fields: Fields, affinity: Affinity) -> Part:
    """The cells of one column, at least one row.

    Raises `UnusualScriptError` where texts and numbers mix, or a number is no plain decimal one.
    """
    nulls = fields.nulls
    present = len(nulls) - int(np.count_nonzero(nulls))
    if present == 0:
        return null_column(len(nulls), Kind.INT64)
    quoted = int(np.count_nonzero(fields.quoted))
    if quoted == present:
        return _texts(fields)
    if quoted or affinity is Affinity.TEXT:
        raise UnusualScriptError
    try:
        return _numbers(fields, affinity)
    except pa.ArrowInvalid as error:
        raise UnusualScriptError from error


def holds_number_texts(column: Column) -> bool:
    """Whether a TEXT column holds a text that numeric affinity would turn into a number."""
    return bool(pc.any(pc.match_substring_regex(column.texts.entries, _NUMBER)).as_py())


def _texts(fields: Fields) -> Part:
    texts = fields.without_quotes()
    return pc.replace_substring(texts, "''", "'") if fields.has_doubled else texts


def _numbers(fields: Fields, affinity: Affinity) -> Column:
    if not fields.nulls.any():
        return _present_numbers(fields, affinity)
    numbers = _present_numbers(fields.where(~fields.nulls), affinity)
    cells = np.full(len(fields.nulls), None if numbers.kind is Kind.MIXED else 0, numbers.values.dtype)
    cells[~fields.nulls] = numbers.values
    return Column(numbers.kind, cells, fields.nulls)


def _present_numbers(fields: Fields, affinity: Affinity) -> Column:
    if affinity is Affinity.REAL:
        return Column(Kind.FLOAT64, _reals(fields))
    try:
        return Column(Kind.INT64, _integers(fields))
    except pa.ArrowInvalid:
        return _integers_and_reals(fields, affinity)


def _integers(fields: Fields) -> IntArray:
    integers: IntArray = to_numpy(fields.as_written().cast(pa.int64()))
    return integers


def _reals(fields: Fields) -> RealArray:
    reals: RealArray = to_numpy(fields.as_written().cast(pa.float64()))
    long = fields.ends - fields.starts > _EXACT_CHARACTERS
    if long.any():
        reals = reals.copy()
        reals[long] = _long_reals(fields.where(long))
    if not np.isfinite(reals).all() or (np.signbit(reals) & (reals == 0)).any():
        raise UnusualScriptError
    return reals


def _long_reals(fields: Fields) -> RealArray:
    encoded = fields.as_written().dictionary_encode()
    distinct: RealArray = np.array(texts_to_reals(encoded.dictionary.to_pylist()), np.float64)
    return distinct.take(to_numpy(encoded.indices))


def _integers_and_reals(fields: Fields, affinity: Affinity) -> Column:
    """Numbers of which some are written as reals; numeric affinity makes integers of those without a fraction."""
    is_real = to_flags(pc.match_substring_regex(fields.as_written(), "[.eE]"))
    reals = np.zeros(len(is_real))
    reals[is_real] = _reals(fields.where(is_real))
    integers = np.zeros(len(is_real), np.int64)
    integers[~is_real] = _integers(fields.where(~is_real))
    if affinity is not Affinity.BLOB:
        whole = is_real & (np.trunc(reals) == reals) & (np.abs(reals) < _BEYOND_INT64)
        integers[whole] = reals[whole].astype(np.int64)
        is_real = is_real & ~whole
    return _of_both(integers, reals, is_real)


def _of_both(integers: IntArray, reals: RealArray, is_real: BoolArray) -> Column:
    if is_real.all():
        return Column(Kind.FLOAT64, reals)
    if not is_real.any():
        return Column(Kind.INT64, integers)
    return Column(Kind.MIXED, np.where(is_real, reals.astype(object), integers.astype(object)))
