"""Turns the fields of a block into text columns, without a Python object a field.

A field is cut out together with the separator after it, since Arrow's strings lie side by side, and encoded in a
dictionary. Separators, quotes and doubled quotes are then taken off each distinct field once.
"""

from collections.abc import Callable
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from app.sources.csv.scanner import Block
from app.tables.arrow import of_numpy, to_numpy
from app.tables.column import Column, Kind
from app.tables.dictionary import TextDictionary


def block_columns(block: Block, columns: int) -> list[Column]:
    """The columns of a block whose records all have `columns` fields (see `check_fields`)."""
    fields = _fields_with_separators(block)
    last = columns - 1
    return [_column(fields, position, columns, ends_record=position == last) for position in range(columns)]


def _fields_with_separators(block: Block) -> Any:
    offsets = np.concatenate([[block.start], block.separators + 1])
    buffers = [None, pa.py_buffer(offsets), pa.py_buffer(block.content)]
    return pa.LargeBinaryArray.from_buffers(pa.large_binary(), len(block.separators), buffers)


def _column(fields: Any, position: int, columns: int, *, ends_record: bool) -> Column:
    cells = fields if columns == 1 else fields.take(of_numpy(np.arange(position, len(fields), columns)))
    encoded = cells.dictionary_encode()
    codes = to_numpy(encoded.indices)
    bare, mixes_ends = _without_separator(encoded.dictionary, ends_record=ends_record)
    distinct, mixes_quotes = _without_quotes(bare)
    texts = distinct.cast(pa.large_string())
    if mixes_ends or mixes_quotes:
        again = texts.dictionary_encode()
        codes, texts = to_numpy(again.indices)[codes], again.dictionary
    return Column(Kind.TEXT, codes.astype(np.int32, copy=False), None, TextDictionary(texts))


def _without_separator(fields: Any, *, ends_record: bool) -> tuple[Any, bool]:
    """The fields alone, and whether some ended in CR LF and some in LF, so that two may be the same now."""
    bare = pc.binary_slice(fields, 0, -1)
    if not ends_record:
        return bare, False
    return _where(pc.ends_with(bare, pattern="\r"), lambda: pc.binary_slice(bare, 0, -1), bare)


def _without_quotes(fields: Any) -> tuple[Any, bool]:
    """The fields' texts, and whether some were quoted and some were not, so that two may be the same now."""

    def texts() -> Any:
        return pc.replace_substring(pc.binary_slice(fields, 1, -1), pattern='""', replacement='"')

    return _where(pc.starts_with(fields, pattern='"'), texts, fields)


def _where(chosen: Any, changed: Callable[[], Any], fields: Any) -> tuple[Any, bool]:
    """The fields with the chosen ones changed, and whether some are chosen and some are not."""
    if not pc.any(chosen).as_py():
        return fields, False
    if pc.all(chosen).as_py():
        return changed(), False
    return pc.if_else(chosen, changed(), fields), True
