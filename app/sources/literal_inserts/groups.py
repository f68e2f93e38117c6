"""Finds what stands in parentheses outside quotes, whole blocks of bytes at a time.

A byte is inside quotes when an odd number of quotes precedes it. That holds where every quote belongs to a text;
`fields` checks that, so nothing is believed here that is not checked there.
"""

from dataclasses import dataclass
from typing import TypeAlias

import numpy as np
import numpy.typing as npt

from app.tables.dictionary import IntArray

Bytes: TypeAlias = npt.NDArray[np.uint8]

QUOTE, OPEN, CLOSE, COMMA = b"'(),"
_SPAN = COMMA - QUOTE
"""The four lie side by side among the characters, with `*` and `+` between them."""

_IS_MARK = np.zeros(256, np.bool_)
_IS_MARK[[OPEN, CLOSE, COMMA]] = True


class UnusualScriptError(Exception):
    """The script holds something that is left to SQLite; users never see this."""


@dataclass(frozen=True, eq=False, slots=True)
class Groups:
    """Whole groups in parentheses that hold no parentheses, in order; offsets count from the start of the block.

    `opens` and `closes` are their parentheses, shape (groups,). `field_starts` and `field_ends` bound what stands
    between parentheses and commas, shape (fields,); those of group g go from `first_fields[g]` to
    `first_fields[g + 1]`. `quotes` are all quotes before the last parenthesis, shape (quotes,). `stops` says that
    parentheses follow which are nested or closed twice; else the block just ends.
    """

    opens: IntArray
    closes: IntArray
    field_starts: IntArray
    field_ends: IntArray
    first_fields: IntArray
    quotes: IntArray
    stops: bool

    def __len__(self) -> int:
        return len(self.opens)


def find_groups(block: Bytes) -> Groups:
    """The groups of a block that begins outside quotes and parentheses."""
    candidates = ((block - np.uint8(QUOTE)) <= _SPAN).nonzero()[0]
    kinds = block[candidates]
    is_quote = kinds == QUOTE
    outside = (_IS_MARK[kinds] & ~np.bitwise_xor.accumulate(is_quote)).nonzero()[0]
    return _groups(candidates[outside], kinds[outside], candidates[is_quote.nonzero()[0]])


def _groups(marks: IntArray, kinds: Bytes, quotes: IntArray) -> Groups:
    """The groups of parentheses and commas that stand outside quotes."""
    parens = (kinds != COMMA).nonzero()[0]
    alternating = _alternating(kinds[parens])
    whole = parens[: alternating - alternating % 2]
    end = int(whole[-1]) + 1 if len(whole) else 0
    marks, kinds = _inside(marks[:end], kinds[:end])
    ends, end_kinds = marks[kinds != OPEN], kinds[kinds != OPEN]
    last_fields = (end_kinds == CLOSE).nonzero()[0]
    closes = ends[last_fields]
    return Groups(
        marks[kinds == OPEN],
        closes,
        marks[kinds != CLOSE] + 1,
        ends,
        np.concatenate([[0], last_fields + 1]),
        quotes[: np.searchsorted(quotes, closes[-1]) if len(closes) else 0],
        stops=alternating < len(parens),
    )


def _alternating(parens: Bytes) -> int:
    """How many parentheses from the first on are in turn an opening and a closing one."""
    is_wrong = parens != OPEN
    is_wrong[1::2] = parens[1::2] != CLOSE
    first = int(is_wrong.argmax()) if len(parens) else 0
    return first if len(parens) and is_wrong[first] else len(parens)


def _inside(marks: IntArray, kinds: Bytes) -> tuple[IntArray, Bytes]:
    """Parentheses and the commas between them, without the commas between groups."""
    is_paren = kinds != COMMA
    kept = np.bitwise_xor.accumulate(is_paren) | is_paren
    return (marks, kinds) if kept.all() else (marks[kept], kinds[kept])
