"""Exact counts and integer sums, and real sums as accurate as SQLite's, by group."""

import math
from fractions import Fraction
from itertools import pairwise
from typing import Any

import numpy as np
import numpy.typing as npt

from app.executor.columns.runs import Runs
from app.executor.columns.vector import Array
from app.tables.dictionary import BoolArray, IntArray

RealArray = npt.NDArray[np.float64]

EXACT_IN_REAL = float(2**53)
"""Integers below this, and sums of them, are exact in float64."""

_INT64 = float(2**63)
_ROUNDING = 2.0**-52
_SPLIT = 2.0**27 + 1
"""Times this, less the rest, a real is cut into two halves of 26 bits (Veltkamp's splitting, in Dekker 1971)."""

_ACCEPTED = 1e-11
"""The relative error that a real sum may have; answers are compared with 1e-9."""

Codes = IntArray | Runs | None
"""The group of each value, by its code or as one of many runs; None puts all in one group."""


def group_counts(codes: Codes, size: int, length: int, weights: IntArray | None) -> IntArray:
    """How many values each group has, shape (size,)."""
    if weights is not None:
        counts: IntArray = group_integers(codes, size, weights, float(weights.max(initial=0)))
        return counts
    if isinstance(codes, Runs):
        return codes.counts
    return np.array([length], np.int64) if codes is None else np.bincount(codes, minlength=size)


def group_sums(codes: Codes, size: int, values: Array) -> Array:
    """The sum of each group's numbers as numpy adds them, shape (size,); in float64 if they are looked up by code."""
    if codes is None:
        return np.array([values.sum()])
    return codes.sums(values) if isinstance(codes, Runs) else np.bincount(codes, values, size)


def group_integers(codes: Codes, size: int, values: Array, bound: float) -> Any:
    """The exact integer sum of each group: int64, or Python integers if 64 bits might not do.

    `bound` is at least the largest magnitude of a value. Values may be integers in float64.
    """
    most = bound * len(values)
    if most < EXACT_IN_REAL and values.dtype != object:
        return group_sums(codes, size, values).astype(np.int64, copy=False)
    integers = values.astype(np.int64) if values.dtype.kind == "f" else values
    if most >= _INT64:
        return _group_objects(codes, size, integers)
    if codes is None or isinstance(codes, Runs):
        return group_sums(codes, size, integers)
    sums = np.zeros(size, np.int64)
    np.add.at(sums, codes, integers)
    return sums


def _group_objects(codes: Codes, size: int, values: Array) -> Any:
    sums = np.zeros(size, object)
    listed = codes.codes() if isinstance(codes, Runs) else codes
    np.add.at(sums, np.zeros(len(values), np.int64) if listed is None else listed, values.astype(object))
    return sums


def weighted_integers(values: Array, weights: IntArray | None, bound: float) -> tuple[Array, float]:
    """`values * weights` and its bound, in Python integers if 64 bits might not do."""
    if weights is None:
        return values, bound
    most = bound * float(weights.max(initial=0))
    if most < EXACT_IN_REAL:
        return values * weights, most
    integers = values.astype(np.int64)
    if most >= _INT64:
        return integers.astype(object) * weights.astype(object), most
    return integers * weights, most


def group_reals(
    codes: Codes, size: int, values: RealArray, weights: IntArray | None, *, mixed_signs: bool, exact: bool
) -> RealArray:
    """The real sum of each group, within 1e-9 of the compensated sum even if values cancel; infinite on overflow.

    `exact` sums differ from the true ones by their last rounding at most, as SQLite's do, so that both order alike.
    """
    if not exact and not mixed_signs and codes is not None:
        return _plain(codes, size, values if weights is None else values * weights)
    with np.errstate(over="ignore", invalid="ignore"):
        if exact and len(values):
            return _exact_sums(codes, size, values, weights)
        sums = _plain(codes, size, values if weights is None else values * weights)
        if not mixed_signs or len(values) < 2:
            return sums
        return _without_cancellation(codes, size, values, weights, sums)


def _without_cancellation(
    codes: Codes, size: int, values: RealArray, weights: IntArray | None, sums: RealArray
) -> RealArray:
    """The sums, done again for groups whose values nearly cancel."""
    magnitudes = _plain(codes, size, np.abs(values if weights is None else values * weights))
    counts = group_counts(codes, size, len(values), None)
    doubtful = _doubtful(sums, magnitudes, counts * _ROUNDING)
    if not doubtful.any():
        return sums
    sums = _exact_sums(codes, size, values, weights)
    # The unit is that of the largest value of all, so that a group of small ones may be no more exact than before.
    rests = counts * (_unit(values, weights) * _ROUNDING) + magnitudes * math.sqrt(_ROUNDING)
    doubtful &= _doubtful(sums, np.minimum(magnitudes, rests), counts * _ROUNDING)
    if doubtful.any():
        sums[doubtful] = _exact(codes, doubtful, values, weights)
    return sums


def _doubtful(sums: RealArray, magnitudes: RealArray, error: Array) -> BoolArray:
    finite = np.isfinite(sums) & np.isfinite(magnitudes)
    doubtful: BoolArray = finite & (np.abs(sums) * _ACCEPTED < magnitudes * error)
    return doubtful


def _plain(codes: Codes, size: int, values: RealArray) -> RealArray:
    return group_sums(codes, size, values).astype(np.float64, copy=False)


def _exact_sums(codes: Codes, size: int, values: RealArray, weights: IntArray | None) -> RealArray:
    """Sums of the leading bits, which are exact, plus sums of the rest.

        value                   1011010110111
        (value + unit) - unit   101101        a multiple of the unit's last bit: any order of adding these is exact
        the rest                      0110111

    This is the error-free extraction of Rump, Ogita and Oishi, "Accurate floating-point summation, part I" (2008).
    Weighted values are split first, so that both halves times their weight are exact.
    """
    unit = _unit(values, weights)
    if not math.isfinite(unit * _SPLIT):
        return _plain(codes, size, values if weights is None else values * weights)
    small = np.zeros(1)
    if weights is not None:
        high = values * _SPLIT - (values * _SPLIT - values)
        values, small = high * weights, _plain(codes, size, (values - high) * weights)
    leading = (values + unit) - unit
    return _plain(codes, size, leading) + (_plain(codes, size, values - leading) + small)


def _unit(values: RealArray, weights: IntArray | None) -> float:
    """The power of two that takes the leading bits out of all values, so that these add up exactly; may be infinite."""
    heaviest = 1.0 if weights is None else float(weights.max())
    scale = float(np.abs(values).max()) * heaviest * 2.0 ** ((len(values) + 2).bit_length() + 1)
    return math.ldexp(1.0, math.frexp(scale)[1]) if scale < 2.0**1022 else math.inf


def _exact(codes: Codes, groups: BoolArray, values: RealArray, weights: IntArray | None) -> list[float]:
    """The correctly rounded sums of these groups, one value at a time."""
    listed = codes.codes() if isinstance(codes, Runs) else np.zeros(len(values), np.int64) if codes is None else codes
    rows = groups.take(listed).nonzero()[0]
    rows = rows[np.argsort(listed.take(rows), kind="stable")]
    starts = listed.take(rows).searchsorted(groups.nonzero()[0]).tolist()
    parts = pairwise([*starts, len(rows)])
    if weights is None:
        return [math.fsum(values.take(rows[start:end]).tolist()) for start, end in parts]
    return [_weighted_sum(values.take(rows[start:end]), weights.take(rows[start:end])) for start, end in parts]


def _weighted_sum(values: RealArray, weights: IntArray) -> float:
    pairs = zip(values.tolist(), weights.tolist(), strict=True)
    return float(sum((Fraction(value) * weight for value, weight in pairs), Fraction(0)))
