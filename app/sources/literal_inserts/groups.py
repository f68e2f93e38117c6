"""Finds what stands in parentheses outside quotes, whole blocks of bytes at a time.

A byte is inside quotes when an odd number of quotes precedes it. That holds where every quote belongs to a text;
`fields` checks that of groups and `leads` of what stands between them, so nothing is believed here that is not checked
there.
"""

from dataclasses import dataclass
from typing import TypeAlias

import numpy as np
import numpy.typing as npt

from app.tables.dictionary import BoolArray, IntArray

Bytes: TypeAlias = npt.NDArray[np.uint8]

QUOTE, OPEN, CLOSE, COMMA = b"'(),"
_SPAN = COMMA - QUOTE
"""The four lie side by side among the characters, with `*` and `+` between them."""

OUTER_QUOTES = 2
"""Quotes that a text has around it."""

_NONE: IntArray = np.empty(0, np.int64)


class UnusualScriptError(Exception):
    """The script holds something that is left to SQLite; users never see this."""


@dataclass(frozen=True, eq=False, slots=True)
class _Signs:
    """Quotes, parentheses and commas in order: their offsets and which each is, arrays of shape (signs,)."""

    offsets: IntArray
    kinds: Bytes

    def at(self, chosen: BoolArray) -> "_Signs":
        """Those that are chosen."""
        places = chosen.nonzero()[0]
        return _Signs(self.offsets[places], self.kinds[places])

    def quotes(self) -> IntArray:
        """The offsets of all quotes."""
        return self.at(self.kinds == QUOTE).offsets


@dataclass(frozen=True, eq=False, slots=True)
class Groups:
    """Whole groups in parentheses that hold no parentheses, in order; offsets count from the start of the block.

    `opens` and `closes` are their parentheses, shape (groups,). `field_starts` and `field_ends` bound what stands
    between parentheses and commas, shape (fields,), and those of group g go from `first_fields[g]` to
    `first_fields[g + 1]`. `quote_counts` and `first_quotes` say how many quotes each field holds, and the place of the
    first among all `quotes`, which are only there if a field holds more than two. `stops` says that parentheses follow
    which are nested or closed twice; else the block just ends.
    """

    opens: IntArray
    closes: IntArray
    field_starts: IntArray
    field_ends: IntArray
    first_quotes: IntArray
    quote_counts: IntArray
    first_fields: IntArray
    quotes: IntArray
    stops: bool

    def __len__(self) -> int:
        return len(self.opens)


@dataclass(frozen=True, eq=False, slots=True)
class _Marks:
    """Parentheses and commas outside quotes, and how many quotes precede each: arrays of shape (marks,)."""

    offsets: IntArray
    kinds: Bytes
    quotes: IntArray

    def at(self, places: IntArray | slice) -> "_Marks":
        return _Marks(self.offsets[places], self.kinds[places], self.quotes[places])


def find_groups(block: Bytes) -> Groups:
    """The groups of a block that begins outside quotes and parentheses."""
    signs = _signs(block)
    marks = _marks(signs)
    parens = (marks.kinds != COMMA).nonzero()[0]
    alternating = _alternating(marks.kinds[parens])
    whole = parens[: alternating - alternating % 2]
    marks, whole = _inside(marks.at(slice(int(whole[-1]) + 1 if len(whole) else 0)), whole)
    starts, ends = _around_fields(marks.offsets, whole)
    first_quotes, last_quotes = _around_fields(marks.quotes, whole)
    counts = last_quotes - first_quotes
    return Groups(
        marks.offsets[whole[0::2]],
        marks.offsets[whole[1::2]],
        starts + 1,
        ends,
        first_quotes,
        counts,
        _first_fields(whole),
        signs.quotes() if (counts > OUTER_QUOTES).any() else _NONE,
        stops=alternating < len(parens),
    )


def _signs(block: Bytes) -> _Signs:
    above_quote = block - np.uint8(QUOTE)  # and whether it is in reach takes its place: fresh memory costs most here
    offsets = np.less_equal(above_quote, _SPAN, out=above_quote.view(np.bool_)).nonzero()[0]
    signs = _Signs(offsets, block[offsets])
    is_other = (signs.kinds > CLOSE) & (signs.kinds < COMMA)
    return signs.at(~is_other) if is_other.any() else signs


def _marks(signs: _Signs) -> _Marks:
    places = (signs.kinds != QUOTE).nonzero()[0]
    quotes = places - np.arange(len(places))
    is_inside = (quotes & 1).astype(np.bool_)
    if is_inside.any():
        outside = (~is_inside).nonzero()[0]
        places, quotes = places[outside], quotes[outside]
    return _Marks(signs.offsets[places], signs.kinds[places], quotes)


def _alternating(parens: Bytes) -> int:
    """How many parentheses from the first on are in turn an opening and a closing one."""
    is_wrong = parens != OPEN
    is_wrong[1::2] = parens[1::2] != CLOSE
    first = int(is_wrong.argmax()) if len(parens) else 0
    return first if len(parens) and is_wrong[first] else len(parens)


def _inside(marks: _Marks, parens: IntArray) -> tuple[_Marks, IntArray]:
    """Without the commas between groups: the marks, and the places of parentheses among them."""
    follows = np.concatenate([[0], parens[1:-1:2] + 1])
    if np.array_equal(parens[0::2], follows[: len(parens) // 2]):
        return marks, parens
    is_paren = marks.kinds != COMMA
    kept = np.bitwise_xor.accumulate(is_paren) | is_paren
    return marks.at(kept.nonzero()[0]), is_paren[kept].nonzero()[0]


def _around_fields(values: IntArray, parens: IntArray) -> tuple[IntArray, IntArray]:
    """What is known of the mark before each field, and of the one after it."""
    widths = parens[1::2] - parens[0::2]
    if len(widths) and (widths == widths[0]).all():
        rows = values.reshape(len(widths), -1)
        return rows[:, :-1].ravel(), rows[:, 1:].ravel()
    is_close = np.zeros(len(values), np.bool_)
    is_close[parens[1::2]] = True
    befores = (~is_close).nonzero()[0]
    return values[befores], values[befores + 1]


def _first_fields(parens: IntArray) -> IntArray:
    """The place of each group's first field among all; a group has one field less than parentheses and commas."""
    ends = np.concatenate([[-1], parens[1::2]]) + 1
    return ends - np.arange(len(ends))
