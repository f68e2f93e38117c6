"""Arrow's numbers as numpy's and back, without a copy.

pyarrow's own `to_numpy` and `array` look for pandas first and import it, which costs most of a second.
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


def of_numpy(numbers: npt.NDArray[Any]) -> Any:
    """An Arrow array of these numbers, which must not change any more.

    >>> of_numpy(np.array([1.5, 2.5])).to_pylist()
    [1.5, 2.5]
    """
    contiguous = np.ascontiguousarray(numbers)
    kind = pa.from_numpy_dtype(contiguous.dtype)
    return pa.Array.from_buffers(kind, len(contiguous), [None, pa.py_buffer(contiguous)])
