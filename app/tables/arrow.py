"""Arrow's numbers and flags as numpy's and back, and texts as Arrow's.

pyarrow's own `to_numpy`, `array` and `scalar` look for pandas first and import it, which costs most of a second.
"""

from typing import Any

import numpy as np
import numpy.typing as npt
import pyarrow as pa


def to_numpy(numbers: Any) -> npt.NDArray[Any]:
    """The values of an Arrow array of numbers without NULLs; not to be written to.

    >>> to_numpy(pa.array([1, 2], pa.int32()))
    array([1, 2], dtype=int32)
    """
    values: npt.NDArray[Any] = np.from_dlpack(numbers)
    return values


def to_flags(booleans: Any) -> npt.NDArray[np.bool_]:
    """The values of an Arrow array of booleans without NULLs.

    >>> to_flags(pa.array([True, False])).tolist()
    [True, False]
    """
    return to_numpy(booleans.cast(pa.uint8())).view(np.bool_)


def with_nulls_as(fill: int, numbers: Any) -> npt.NDArray[Any]:
    """The values of an Arrow array of numbers, with `fill` for NULL.

    >>> with_nulls_as(-1, pa.array([7, None], pa.int32())).tolist()
    [7, -1]
    """
    if numbers.null_count == 0:
        return to_numpy(numbers)
    values = np.frombuffer(numbers.buffers()[1], numbers.type.to_pandas_dtype())
    return np.where(to_flags(numbers.is_null()), fill, values[numbers.offset : numbers.offset + len(numbers)])


def text_scalar(text: str) -> Any:
    """A text as Arrow's functions take it.

    >>> text_scalar("né")
    <pyarrow.LargeStringScalar: 'né'>
    """
    content = text.encode()
    offsets = pa.py_buffer(np.array([0, len(content)]))
    return pa.LargeStringArray.from_buffers(1, offsets, pa.py_buffer(content))[0]


def of_numpy(numbers: npt.NDArray[Any], nulls: npt.NDArray[np.bool_] | None = None) -> Any:
    """An Arrow array of these numbers, which must not change any more, or NULL if `nulls` says so.

    >>> of_numpy(np.array([1.5, 2.5]), np.array([False, True])).to_pylist()
    [1.5, None]
    """
    contiguous = np.ascontiguousarray(numbers)
    kind = pa.from_numpy_dtype(contiguous.dtype)
    return pa.Array.from_buffers(kind, len(contiguous), [validity(nulls), pa.py_buffer(contiguous)])


def validity(nulls: npt.NDArray[np.bool_] | None) -> Any:
    """The buffer that tells Arrow which values of an array are there; None if all are."""
    if nulls is None or not nulls.any():
        return None
    return pa.py_buffer(np.packbits(~nulls, bitorder="little"))
