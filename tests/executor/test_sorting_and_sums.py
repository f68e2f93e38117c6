"""Sorting, partial selection and sums against plain Python."""

import math
from typing import Any

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from app.executor.columns.sums import group_integers, group_reals
from app.executor.columns.vector import Vector
from app.executor.operators.frame import Computed, Frame
from app.executor.operators.order.sort_keys import ResultKey, ascending, sorted_positions
from app.executor.operators.order.top_k import TopK
from app.tables.column import Kind
from tests.executor.support import Source

INT64 = st.integers(-(2**63), 2**63 - 1)
GROUPS = st.integers(0, 3)
REALS = st.one_of(
    st.floats(-1e12, 1e12), st.sampled_from([1e15, -1e15, 0.1, -0.1, 0.25, 1e-9, 3e7]), st.floats(-1.0, 1.0)
)


def frame_of(columns: list[list[int]]) -> Frame:
    arrays = [np.array(column, np.int64) for column in columns]
    results = [Computed(Vector(Kind.INT64, array), lambda array=array: array) for array in arrays]
    return Frame(length=len(columns[0]), results=list(results))


@given(st.data(), st.integers(1, 30), st.integers(65, 9_000), st.integers(0, 2**32 - 1))
def test_top_k_is_the_head_of_the_sorted_rows(data: st.DataObject, wanted: int, rows: int, seed: int) -> None:
    random = np.random.default_rng(seed)
    spreads = data.draw(st.lists(st.sampled_from([1, 2, 50, 10**6, 2**62]), min_size=1, max_size=3))
    directions = data.draw(st.lists(st.booleans(), min_size=len(spreads), max_size=len(spreads)))
    columns = [random.integers(-spread, spread, rows).tolist() for spread in spreads]
    frame = frame_of(columns)
    keys = [ResultKey(number, descending) for number, descending in enumerate(directions)]
    TopK(keys, wanted, "").run(frame)
    signs = [-1 if descending else 1 for descending in directions]
    expected = sorted(
        tuple(sign * value for sign, value in zip(signs, row, strict=True)) for row in zip(*columns, strict=True)
    )
    found = list(zip(*(result.vector.to_list() for result in frame.results), strict=True))
    assert [tuple(s * int(v) for s, v in zip(signs, row, strict=True)) for row in found] == expected[:wanted]


@given(
    st.lists(st.tuples(st.integers(-(2**63), 2**63 - 1), REALS, st.integers(-3, 3)), min_size=1, max_size=300),
    st.data(),
)
def test_any_keys_sort(rows: list[tuple[int, float, int]], data: st.DataObject) -> None:
    chosen = data.draw(st.lists(st.integers(0, 2), min_size=1, max_size=3, unique=True))
    columns: list[Any] = [np.array(column) for column in zip(*rows, strict=True)]
    descending = data.draw(st.booleans())
    keys = [ascending(columns[number], descending=descending) for number in chosen]
    positions = sorted_positions(keys)
    order = list(range(len(rows))) if positions is None else positions.tolist()
    assert sorted(order) == list(range(len(rows)))
    ordered = [tuple(rows[position][number] for number in chosen) for position in order]
    assert ordered == sorted(ordered, reverse=descending)


@given(
    st.lists(st.tuples(st.integers(0, 3), REALS, st.integers(0, 5)), min_size=1, max_size=200),
    st.booleans(),
    st.booleans(),
)
@example([(0, 1e15, 0), (1, 0.1, 0), (1, 1e-9, 0), (1, -0.1, 0)], False, False)
def test_real_sums_are_as_accurate_as_compensated_ones(
    rows: list[tuple[int, float, int]], weighted: bool, exact: bool
) -> None:
    codes, values, weights = (np.array(column) for column in zip(*rows, strict=True))
    found = group_reals(codes, 4, values, weights if weighted else None, mixed_signs=True, exact=exact)
    for group in range(4):
        parts = [value for code, value, weight in rows if code == group for _ in range(weight if weighted else 1)]
        expected = math.fsum(parts)
        assert math.isclose(found[group], expected, rel_tol=1e-10, abs_tol=0.0) or found[group] == expected


@given(
    st.lists(st.tuples(st.integers(0, 3), st.integers(-(2**63), 2**63 - 1)), min_size=1, max_size=50),
    st.integers(1, 63),
)
def test_integer_sums_are_exact(rows: list[tuple[int, int]], bits: int) -> None:
    kept = [(code, value >> bits) for code, value in rows]
    codes, values = (np.array(column) for column in zip(*kept, strict=True))
    found = group_integers(codes, 4, values, float(np.abs(values.astype(np.float64)).max()))
    expected = [sum(value for code, value in kept if code == group) for group in range(4)]
    assert [int(value) for value in found] == expected
    assert int(group_integers(None, 1, values, float(2**63 >> bits))[0]) == sum(expected)


@pytest.mark.parametrize(
    "cells", [[1e16, 0.1, 0.2, -0.3, -1e16], [1e15, 0.1, 0.2, -0.3, -1e15], [9e269, 1.5, -9e269], [1, 0.5, -1e16, 1e16]]
)
def test_sums_that_cancel_agree_but_for_what_compensation_rounds_off(cells: list[float]) -> None:
    rows = ", ".join(f"({cell!r})" for cell in cells)
    source = Source.of(f"CREATE TABLE t (n NUMERIC, r REAL); INSERT INTO t (r) VALUES {rows}; UPDATE t SET n = r")
    names = [(function, column) for function in ("sum", "avg") for column in ("n", "r")]
    aggregations = [{"function": f, "column": f"t0.{c}", "as": f"{f}_{c}"} for f, c in names]
    source.rows({"root": {"table": "t"}, "aggregations": aggregations, "order_by": [{"column": "sum_r"}]})
