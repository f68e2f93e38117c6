"""The fields of groups: what stands between commas, without the space around it, and what kind of literal it is."""

from dataclasses import dataclass

import numpy as np

from app.sources.literal_inserts.groups import QUOTE, Bytes, Groups, UnusualScriptError
from app.sources.text_views import ArrowViews, text_views
from app.tables.dictionary import BoolArray, IntArray

_IS_SPACE = np.zeros(256, np.bool_)
_IS_SPACE[list(b" \t\n\f\r")] = True
_SPACE = ord(" ")
_MOST_SPACES = 64
_CASE = 0x20
_NULL = int.from_bytes(b"null", "little")
_EACH_CASE = int.from_bytes(bytes([_CASE] * 4), "little")


@dataclass(frozen=True, eq=False, slots=True)
class Fields:
    """Fields in a block, of all columns or of one: arrays of shape (fields,).

    `quoted` are those that are texts, with their quotes, and `nulls` those that are NULL. `has_doubled` says that some
    text holds a quote, which is written twice.
    """

    block: Bytes
    starts: IntArray
    ends: IntArray
    quoted: BoolArray
    nulls: BoolArray
    has_doubled: bool

    def at(self, places: IntArray | slice, left_out: BoolArray | None = None) -> "Fields":
        """The fields at these places, of which those that are left out count as NULL."""
        nulls, quoted = self.nulls[places], self.quoted[places]
        if left_out is not None:
            nulls, quoted = nulls | left_out, quoted & ~left_out
        return Fields(self.block, self.starts[places], self.ends[places], quoted, nulls, self.has_doubled)

    def where(self, chosen: BoolArray) -> "Fields":
        """The fields that are chosen."""
        return self.at(chosen.nonzero()[0])

    def views(self) -> ArrowViews:
        """The fields as they are written."""
        return text_views(self.block, self.starts, self.ends - self.starts, None)


def read_fields(block: Bytes, groups: Groups, count: int) -> Fields:
    """The fields of the first `count` groups (at least one).

    Raises `UnusualScriptError` for an empty field, and where a quote is not part of a text that is a whole field.
    """
    fields = int(groups.first_fields[count])
    starts, first = _trimmed(block, groups.field_starts[:fields], 0, 1)
    ends, _ = _trimmed(block, groups.field_ends[:fields], -1, -1)
    if (starts >= ends).any() or _has_hexadecimal(block, starts, first):
        raise UnusualScriptError
    quoted = first == QUOTE
    quotes = groups.quotes[: np.searchsorted(groups.quotes, groups.closes[count - 1])]
    has_doubled = _check_quotes(quotes, starts[quoted], ends[quoted])
    return Fields(block, starts, ends, quoted, _nulls(block, starts, ends, first), has_doubled)


def _trimmed(block: Bytes, bounds: IntArray, look: int, step: int) -> tuple[IntArray, Bytes]:
    """Bounds of fields moved by `step` past space, which is looked for at `look` from each, and the bytes there."""
    for _ in range(_MOST_SPACES):
        found = block[bounds + look] if look else block[bounds]
        if (found > _SPACE).all():
            return bounds, found
        space = _IS_SPACE[found]
        if not space.any():
            return bounds, found
        bounds = bounds + step * space
    raise UnusualScriptError


def _has_hexadecimal(block: Bytes, starts: IntArray, first: Bytes) -> bool:
    """Whether a field begins with 0x, which Arrow reads as well, but not always as SQLite does."""
    second = block[starts[first == ord("0")] + 1]
    return bool(((second | _CASE) == ord("x")).any())


def _check_quotes(quotes: IntArray, starts: IntArray, ends: IntArray) -> bool:
    """Check that quotes open at `starts` and close before `ends`, or stand twice within; whether any does the latter.

    Of two that stand side by side the first one seems to close and the second one to open again.
    """
    opening, closing = quotes[0::2], quotes[1::2]
    if len(opening) != len(closing):
        raise UnusualScriptError
    doubled = opening[1:] == closing[:-1] + 1
    opens = np.concatenate([opening[:1], opening[1:][~doubled]])
    closes = np.concatenate([closing[:-1][~doubled], closing[-1:]])
    if not np.array_equal(opens, starts) or not np.array_equal(closes, ends - 1):
        raise UnusualScriptError
    return bool(doubled.any())


def _nulls(block: Bytes, starts: IntArray, ends: IntArray, first: Bytes) -> BoolArray:
    nulls = np.zeros(len(starts), np.bool_)
    candidates = (((first | _CASE) == ord("n")) & (ends - starts == 4)).nonzero()[0]
    words = np.ndarray((max(0, len(block) - 3),), "<u4", block, strides=(1,))
    nulls[candidates] = (words[starts[candidates]] | np.uint32(_EACH_CASE)) == _NULL
    return nulls
