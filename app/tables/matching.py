"""Which parent row each child row references: `parent = +child` on all key columns, by SQLite's rules.

Each key column is first reduced to integer codes that are equal exactly when the values compare equal under the
parent column's affinity and collation; several columns are then combined into one code.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from app.tables.arrow import with_nulls_as
from app.tables.column import Column, Kind, column_of
from app.tables.dictionary import BoolArray, IntArray
from app.tables.schema import ColumnSchema
from app.values import Affinity, Scalar, comparison_operand, equality_key

NULL = -1
"""In codes and pointers: a key part is NULL, so there is no reference."""

DANGLING = -2
"""In codes and pointers: the key is complete and no parent row has it."""

_DENSE_SPAN = 4
"""Integer keys spread over at most this many times their number are looked up in a plain array."""


@dataclass(frozen=True, eq=False, slots=True)
class KeyCodes:
    """Codes of one key, comparable between both sides: child (rows,) and parent (rows,), int64.

    Parent codes run from 0 to `size` - 1, or are NULL; child codes may also be DANGLING.
    """

    child: IntArray
    parent: IntArray
    size: int


@dataclass(frozen=True, eq=False, slots=True)
class Match:
    """`pointers[child row]` is a parent row, NULL or DANGLING; `duplicate_parents` names two equal parent rows."""

    pointers: IntArray
    duplicate_parents: tuple[int, int] | None


def reference_column(column: Column, child: ColumnSchema) -> Column:
    """A key column as references see it: its empty texts are NULL if the child's say that they are missing.

    Either side of a foreign key is seen so; a parent's empty text is out of reach for such a child.
    """
    if not child.empty_is_missing or column.kind not in (Kind.TEXT, Kind.MIXED):
        return column
    if column.kind is Kind.MIXED:
        return column_of([None if cell == "" else cell for cell in column.to_list()])
    empty = column.texts.code_of("")
    if empty < 0:
        return column
    nulls = column.null_mask() | (column.values == empty)
    return Column(Kind.TEXT, column.values, nulls, column.dictionary)


def match_rows(
    child: Sequence[Column],
    parent: Sequence[Column],
    parent_schemas: Sequence[ColumnSchema],
) -> Match:
    """Match child rows to parent rows; key columns correspond by position."""
    return _pointers(combined_codes(child, parent, parent_schemas))


def combined_codes(
    child: Sequence[Column],
    parent: Sequence[Column],
    parent_schemas: Sequence[ColumnSchema],
) -> KeyCodes:
    """One code for all key columns, which correspond by position."""
    parts = [
        key_codes(child_column, parent_column, schema)
        for child_column, parent_column, schema in zip(child, parent, parent_schemas, strict=True)
    ]
    codes = parts[0]
    for part in parts[1:]:
        codes = _combined(codes, part)
    return codes


def _pointers(codes: KeyCodes) -> Match:
    # The last parent row of each code; one entry more, so that there is something to look up without parents.
    parent_of_code = np.full(codes.size + 1, DANGLING, np.int64)
    keyed = np.flatnonzero(codes.parent >= 0)
    parent_of_code[codes.parent[keyed]] = keyed
    duplicates = _first_duplicate(codes.parent, keyed, parent_of_code)
    pointers = np.where(codes.child >= 0, parent_of_code[np.maximum(codes.child, 0)], codes.child)
    return Match(pointers, duplicates)


def _first_duplicate(parent: IntArray, keyed: IntArray, parent_of_code: IntArray) -> tuple[int, int] | None:
    overwritten = keyed[parent_of_code[parent[keyed]] != keyed]
    if len(overwritten) == 0:
        return None
    first = int(overwritten[0])
    second = keyed[(parent[keyed] == parent[first]) & (keyed > first)][0]
    return first, int(second)


def _combined(left: KeyCodes, right: KeyCodes) -> KeyCodes:
    """One code for two key parts: NULL in either part is NULL, then a part that dangles dangles.

    Pairs are numbered anew from 0, so that the code of many parts never grows past the number of parent rows.
    """
    width = np.int64(max(right.size, 1))
    parent = np.where((left.parent >= 0) & (right.parent >= 0), left.parent * width + right.parent, NULL)
    keyed = parent[parent >= 0]
    dense, inverse = np.unique(keyed, return_inverse=True)
    parent[parent >= 0] = inverse
    wanted = left.child * width + right.child
    found = _positions(dense, wanted)
    both = (left.child >= 0) & (right.child >= 0)
    missing = np.where((left.child == NULL) | (right.child == NULL), NULL, DANGLING)
    return KeyCodes(np.where(both, found, missing), parent, len(dense))


def _positions(distinct: IntArray, wanted: IntArray) -> IntArray:
    """For each wanted integer its offset in the sorted `distinct`, or DANGLING."""
    if len(distinct) == 0:
        return np.full(len(wanted), DANGLING, np.int64)
    low, high = int(distinct[0]), int(distinct[-1])
    if high - low < _DENSE_SPAN * (len(distinct) + len(wanted)):
        return _looked_up(distinct, wanted, low, high)
    offsets = np.minimum(np.searchsorted(distinct, wanted), len(distinct) - 1)
    return np.where(distinct[offsets] == wanted, offsets, DANGLING)


def _looked_up(distinct: IntArray, wanted: IntArray, low: int, high: int) -> IntArray:
    table = np.full(high - low + 1, DANGLING, np.int64)
    table[distinct - low] = np.arange(len(distinct))
    within = (wanted >= low) & (wanted <= high)
    return np.where(within, table[np.where(within, wanted - low, 0)], DANGLING)


def key_codes(child: Column, parent: Column, schema: ColumnSchema) -> KeyCodes:
    """Codes of one key column under `parent = +child`; `schema` is the parent column's."""
    if child.kind is Kind.INT64 and parent.kind is Kind.INT64 and schema.affinity is not Affinity.TEXT:
        return _integer_codes(child, parent)
    if child.kind is Kind.TEXT and parent.kind is Kind.TEXT and not schema.affinity.is_numeric:
        return _text_codes(child, parent, schema)
    return _general_codes(child, parent, schema)


def _masked(codes: IntArray, nulls: BoolArray | None) -> IntArray:
    return codes if nulls is None else np.where(nulls, NULL, codes)


def _integer_codes(child: Column, parent: Column) -> KeyCodes:
    present = parent.values if parent.nulls is None else parent.values[~parent.nulls]
    distinct = present if _strictly_ascending(present) else np.unique(present)
    parent_codes = _masked(_positions(distinct, parent.values), parent.nulls)
    child_codes = _masked(_positions(distinct, child.values), child.nulls)
    return KeyCodes(child_codes, parent_codes, len(distinct))


def _strictly_ascending(values: IntArray) -> bool:
    return bool(np.all(values[1:] > values[:-1]))


def _text_codes(child: Column, parent: Column, schema: ColumnSchema) -> KeyCodes:
    parent_keys = parent.texts.collated(schema.collation)
    distinct = pc.unique(parent_keys)
    return KeyCodes(
        _codes_within(child, child.texts.collated(schema.collation), distinct),
        _codes_within(parent, parent_keys, distinct),
        len(distinct),
    )


def _codes_within(column: Column, keys: pa.Array, distinct: pa.Array) -> IntArray:
    if len(keys) == 0:
        return np.full(len(column), NULL, np.int64)
    found = with_nulls_as(DANGLING, pc.index_in(keys, value_set=distinct))
    return _masked(found.astype(np.int64)[column.values], column.nulls)


def _general_codes(child: Column, parent: Column, schema: ColumnSchema) -> KeyCodes:
    """Any other pair of kinds, by a hash of the distinct values of both sides."""
    code_of: dict[int | float | str | None, int] = {}
    parent_distinct, parent_inverse = _distinct_values(parent)
    parent_keys = [equality_key(value, schema.collation) for value in parent_distinct]
    codes = [NULL if key is None else code_of.setdefault(key, len(code_of)) for key in parent_keys]
    child_distinct, child_inverse = _distinct_values(child)
    wanted = [equality_key(comparison_operand(value, schema.affinity), schema.collation) for value in child_distinct]
    found = [NULL if key is None else code_of.get(key, DANGLING) for key in wanted]
    return KeyCodes(
        _masked(np.array(found, np.int64)[child_inverse], child.nulls),
        _masked(np.array(codes, np.int64)[parent_inverse], parent.nulls),
        len(code_of),
    )


def _distinct_values(column: Column) -> tuple[list[Scalar], IntArray]:
    """The distinct values and, for each row, the offset of its own; a NULL's offset is arbitrary but valid."""
    if column.kind is Kind.TEXT:
        return list(column.texts.objects().tolist()) or [None], column.values.astype(np.int64)
    if column.kind is Kind.MIXED:
        return column.to_list() or [None], np.arange(len(column))
    distinct, inverse = np.unique(column.values, return_inverse=True)
    return list(distinct.tolist()) or [None], inverse.reshape(-1)
