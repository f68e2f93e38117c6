"""The fields of groups: what stands between commas, without the space around it, and what kind of literal it is."""

from dataclasses import dataclass

import numpy as np
import pyarrow as pa

from app.sources.literal_inserts.groups import OUTER_QUOTES, QUOTE, Bytes, Groups, UnusualScriptError
from app.tables.arrow import of_numpy
from app.tables.dictionary import ArrowText, BoolArray, IntArray

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

    def as_written(self) -> ArrowText:
        """The fields as they are written."""
        return _stretches(self.block, self.starts, self.ends, None)

    def without_quotes(self) -> ArrowText:
        """What stands between the quotes of texts; NULL is a NULL."""
        return _stretches(self.block, self.starts + self.quoted, self.ends - self.quoted, self.nulls)


def _stretches(block: Bytes, starts: IntArray, ends: IntArray, nulls: BoolArray | None) -> ArrowText:
    """Stretches of the block, each after the one before; Arrow is given them and what stands between, in turn."""
    bounds = np.zeros(2 * len(starts) + 1, np.int64)
    bounds[1::2], bounds[2::2] = starts, ends
    whole = pa.LargeStringArray.from_buffers(2 * len(starts), pa.py_buffer(bounds), pa.py_buffer(block))
    return whole.take(of_numpy(np.arange(1, 2 * len(starts), 2), nulls))


def read_fields(block: Bytes, groups: Groups, count: int) -> Fields:
    """The fields of the first `count` groups (at least one).

    Raises `UnusualScriptError` for an empty field, and where a quote is not part of a text that is a whole field.
    """
    fields = int(groups.first_fields[count])
    starts, first = _trimmed(block, groups.field_starts[:fields], 0, 1)
    ends, last = _trimmed(block, groups.field_ends[:fields], -1, -1)
    quoted, has_quotes = first == QUOTE, groups.quote_counts[:fields] > 0
    if (starts >= ends).any() or _has_hexadecimal(block, starts, first):
        raise UnusualScriptError
    if (quoted != has_quotes).any() or ((last == QUOTE) != has_quotes).any():
        raise UnusualScriptError
    has_doubled = _check_inner_quotes(groups, fields)
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


def _check_inner_quotes(groups: Groups, fields: int) -> bool:
    """Check that quotes within a text stand side by side, two by two; whether there are any.

    A field between marks outside quotes holds an even number of quotes.
    """
    several = (groups.quote_counts[:fields] > OUTER_QUOTES).nonzero()[0]
    if len(several) == 0:
        return False
    pairs = (groups.quote_counts[several] - OUTER_QUOTES) // 2
    nth = np.arange(int(pairs.sum())) - np.repeat(np.cumsum(pairs) - pairs, pairs)
    first = np.repeat(groups.first_quotes[several] + 1, pairs) + 2 * nth
    if (groups.quotes[first + 1] != groups.quotes[first] + 1).any():
        raise UnusualScriptError
    return True


def _nulls(block: Bytes, starts: IntArray, ends: IntArray, first: Bytes) -> BoolArray:
    nulls = np.zeros(len(starts), np.bool_)
    candidates = (((first | _CASE) == ord("n")) & (ends - starts == 4)).nonzero()[0]
    words = np.ndarray((max(0, len(block) - 3),), "<u4", block, strides=(1,))
    nulls[candidates] = (words[starts[candidates]] | np.uint32(_EACH_CASE)) == _NULL
    return nulls
