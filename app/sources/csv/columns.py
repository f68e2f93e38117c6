"""Turns the fields of a block into text columns, without a Python object a field.

A field is cut out together with the separator after it, since Arrow's strings lie side by side, and encoded in a
dictionary. Separators, quotes and doubled quotes are then taken off each distinct field once.
"""

from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from app.sources.csv.scanner import Block
from app.tables.column import Column, Kind
from app.tables.dictionary import TextDictionary


def block_columns(block: Block, columns: int) -> list[Column]:
    """The columns of a block whose records all have so many fields (see `check_fields`)."""
    fields = _fields_with_separators(block)
    last = columns - 1
    return [_column(fields, place, columns, ends_record=place == last) for place in range(columns)]


def _fields_with_separators(block: Block) -> Any:
    offsets = np.concatenate([[block.start], block.separators + 1])
    buffers = [None, pa.py_buffer(offsets), pa.py_buffer(block.content)]
    return pa.LargeBinaryArray.from_buffers(pa.large_binary(), len(block.separators), buffers)


def _column(fields: Any, place: int, columns: int, *, ends_record: bool) -> Column:
    cells = fields if columns == 1 else fields.take(pa.array(np.arange(place, len(fields), columns)))
    encoded = cells.dictionary_encode()
    codes = encoded.indices.to_numpy()
    distinct, folds = _without_quotes(_without_separator(encoded.dictionary, ends_record=ends_record))
    texts = distinct.cast(pa.large_string())
    if folds or ends_record:  # "a" and a, or a CR LF and a LF, are the same text
        again = texts.dictionary_encode()
        codes, texts = again.indices.to_numpy()[codes], again.dictionary
    return Column(Kind.TEXT, codes.astype(np.int32, copy=False), None, TextDictionary(texts))


def _without_separator(fields: Any, *, ends_record: bool) -> Any:
    bare = pc.binary_slice(fields, 0, -1)
    if not ends_record:
        return bare
    has_return = pc.ends_with(bare, pattern="\r")
    return pc.if_else(has_return, pc.binary_slice(bare, 0, -1), bare) if pc.any(has_return).as_py() else bare


def _without_quotes(fields: Any) -> tuple[Any, bool]:
    """The fields' texts, and whether any was quoted."""
    quoted = pc.starts_with(fields, pattern='"')
    if not pc.any(quoted).as_py():
        return fields, False
    texts = pc.replace_substring(pc.binary_slice(fields, 1, -1), pattern='""', replacement='"')
    return pc.if_else(quoted, texts, fields), True
