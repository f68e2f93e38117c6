"""Columns of text: dictionary codes in each row, comparisons on the dictionary."""

from collections.abc import Callable
from functools import cached_property, partial
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from typing_extensions import override

from app.executor.columns.conditions import ByCode, Compare, Condition
from app.executor.columns.vector import Array, Vector
from app.executor.columns.views.column_view import COMPARATORS, ColumnView, narrowed
from app.executor.columns.views.keys import GroupKeys, group_keys
from app.executor.columns.views.numbers import Numbers, general_numbers
from app.executor.columns.views.text_reader import TextReader
from app.tables.column import Kind
from app.tables.dictionary import BoolArray, CodeArray, TextDictionary
from app.values import Collation, Scalar
from app.workload.plan import Comparison

SMALL_DICTIONARY = 4_096
"""Entries up to which a dictionary is ranked, or tested against a constant, when a plan is compiled.

Larger ones are tested in each run: their entries are nearly rows, so a kept test would be a kept answer.
"""

_ARROW: dict[Comparison, Callable[[Any, Any], Any]] = {
    Comparison.LT: pc.less,
    Comparison.LE: pc.less_equal,
    Comparison.GT: pc.greater,
    Comparison.GE: pc.greater_equal,
}


class TextView(ColumnView):
    """A column of text."""

    @property
    def _dictionary(self) -> TextDictionary:
        return self.column.texts

    @property
    def _is_small(self) -> bool:
        return len(self._dictionary) <= SMALL_DICTIONARY

    @cached_property
    def reader(self) -> TextReader:
        """Decodes codes."""
        return TextReader(self._dictionary)

    def prepare_texts(self) -> None:
        """Decode the dictionary's texts if that pays."""
        self.reader.prepare()

    @cached_property
    @override
    def keys(self) -> Array:
        return narrowed(self._classes, 0, len(self._dictionary))

    @property
    def _classes(self) -> Array:
        """Codes under BINARY, else the class of each code's collation key."""
        if self.schema.collation is Collation.BINARY:
            return self.column.values
        return self._class_of_code.take(self.column.values) if len(self._dictionary) else self.column.values

    @cached_property
    def _collated(self) -> Any:
        return self._dictionary.collated(self.schema.collation)

    @cached_property
    def _class_of_code(self) -> Array:
        encoded = self._collated.dictionary_encode()
        classes: Array = encoded.indices.to_numpy()
        return classes

    @override
    def key_of(self, value: Scalar) -> list[Any]:
        if not isinstance(value, str):
            return []
        key = self.schema.collation.key(value)
        code = int(pc.index(self._collated, pa.scalar(key, pa.large_string())).as_py())
        if code < 0:
            return []
        return [code if self.schema.collation is Collation.BINARY else int(self._class_of_code[code])]

    @override
    def compare(self, op: Comparison, value: Scalar) -> Condition:
        if not isinstance(value, str):
            return self.against_other_class(op, cell_is_less=False)
        key = pa.scalar(self.schema.collation.key(value), pa.large_string())
        if not self._is_small:
            return ByCode(self.column.values, partial(_flags, _ARROW[op], self._collated, key), self.valid)
        below = _flags(pc.less if op in (Comparison.LT, Comparison.GE) else pc.less_equal, self._collated, key)
        rank = int(self._ranks[below].max()) + 1 if below.any() else 0
        comparison = COMPARATORS[Comparison.LT if op in (Comparison.LT, Comparison.LE) else Comparison.GE]
        bound = self.order.dtype.type(rank)
        # NULL ranks -1, below each text.
        return Compare(self.order, comparison, bound, self.valid if op in (Comparison.LT, Comparison.LE) else None)

    @override
    def contains(self, part: str) -> Condition:
        if not self._is_small:
            return ByCode(self.column.values, partial(self._dictionary.containing, part), self.valid)
        found = self._dictionary.containing(part)
        if self.schema.collation is Collation.BINARY and np.count_nonzero(found) <= 4:
            return self.any_of(found.nonzero()[0].tolist(), negated=False)
        return ByCode(self.column.values, lambda: found, self.valid)

    @cached_property
    def _ranks(self) -> CodeArray:
        return self._dictionary.ranks(self.schema.collation)

    @cached_property
    @override
    def order(self) -> Array:
        ranks = self._ranks.take(self.column.values) if len(self._ranks) else self.column.values
        if self.nulls is not None:
            ranks = np.where(self.nulls, np.int32(-1), ranks)
        return narrowed(ranks, -1, len(self._ranks) + 1)

    @override
    def order_at(self, rows: Array) -> Array:
        if "order" in self.__dict__ or not len(self._dictionary):
            return self.order.take(rows)
        codes = self.column.values.take(rows)
        ranks = self._local_ranks(codes) if self.ranks_are_costly else self._ranks.take(codes)
        return ranks if self.nulls is None else np.where(self.nulls.take(rows), np.int32(-1), ranks)

    @property
    @override
    def ranks_are_costly(self) -> bool:
        return len(self._dictionary) > SMALL_DICTIONARY and "_ranks" not in self.__dict__

    def _local_ranks(self, codes: CodeArray) -> CodeArray:
        """Ranks of these codes' texts among one another."""
        return TextDictionary(self._dictionary.entries.take(pa.array(codes))).ranks(self.schema.collation)

    @cached_property
    def _code_of_rank(self) -> Array:
        codes = np.zeros(len(self._ranks), np.int32)
        codes[self._ranks] = np.arange(len(self._ranks), dtype=np.int32)
        return codes

    @property
    @override
    def null_order(self) -> int:
        return -1

    @override
    def from_order(self, keys: Array) -> Vector:
        codes = self._code_of_rank.take(keys) if len(keys) else keys.astype(np.int32)
        return Vector(Kind.TEXT, codes, None, self.reader)

    @cached_property
    @override
    def groups(self) -> GroupKeys:
        size = len(self._dictionary)
        if self._is_small and size:
            return group_keys(self._ranks.take(self.column.values), size, self.nulls, ordered=True)
        return group_keys(self._classes, size, self.nulls, ordered=False)

    @cached_property
    @override
    def numbers(self) -> Numbers:
        return general_numbers(self.column.objects())

    @override
    def take(self, rows: Array) -> Vector:
        nulls = None if self.nulls is None else self.nulls.take(rows)
        return Vector(Kind.TEXT, self.column.values.take(rows), nulls, self.reader)

    @override
    def whole(self) -> Vector:
        return Vector(Kind.TEXT, self.column.values, self.nulls, self.reader)


def _flags(comparison: Callable[[Any, Any], Any], entries: Any, key: Any) -> BoolArray:
    flags: BoolArray = comparison(entries, key).to_numpy(zero_copy_only=False)
    return flags
