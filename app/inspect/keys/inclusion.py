"""How far the values of one column are found in another, and whether that could be chance."""

from dataclasses import dataclass
from math import lgamma, log, log10

import numpy as np

from app.inspect.keys.profiles import ColumnProfile
from app.tables.dictionary import BoolArray
from app.tables.matching import key_codes

_UNLIKELY = -6.0
"""Decimal logarithm of a probability that is no chance."""

_FEW_TEXTS = 2


@dataclass(frozen=True, slots=True)
class Inclusion:
    """Shares from 0 to 1: of a column's rows that are found, and of the other's keys that are referred to.

    `is_telling`: values of this kind would hardly all be found in a key that they have nothing to do with, as small
    whole numbers are in any.
    """

    hit_rate: float
    covered: float
    is_telling: bool


def included(column: ColumnProfile, key: ColumnProfile) -> Inclusion:
    """How far a column with values is included in a key with values."""
    codes = key_codes(column.distinct, key.distinct, key.schema).child
    hits = codes >= 0
    hit_rate = float(column.counts[hits].sum() / column.present)
    covered = float(np.count_nonzero(hits) / len(key.distinct))
    return Inclusion(hit_rate, covered, bool(hits.any()) and _is_telling(column, key, hits))


def _is_telling(column: ColumnProfile, key: ColumnProfile, hits: BoolArray) -> bool:
    """Whether as many values, drawn from the range that those found in the key span, would most likely miss it."""
    own, keys = column.integers, key.integers
    if own is None or keys is None:
        return int(np.count_nonzero(hits)) > _FEW_TEXTS and column.type_score >= 0.7
    low, high = int(own[hits].min()), int(own[hits].max())
    within, found = (int(np.count_nonzero((numbers >= low) & (numbers <= high))) for numbers in (keys, own[hits]))
    drawn = int(np.count_nonzero((own >= low) & (own <= high)))
    ways = (lgamma(drawn + 1) - lgamma(found + 1) - lgamma(drawn - found + 1)) / log(10)
    return ways + found * log10(within / (high - low + 1)) < _UNLIKELY
