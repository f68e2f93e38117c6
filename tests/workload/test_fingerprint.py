"""Plans that ask the same have one fingerprint; plans that ask something else have another."""

import random
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.workload.binding.bind import bind_plan
from app.workload.binding.parsing import parse_plan
from app.workload.fingerprint import semantic_fingerprint
from app.workload.plan import Plan
from tests.support.random_plans import random_plans
from tests.support.sql_tables import sql_tables

SOURCE = sql_tables("""
CREATE TABLE a (id INTEGER PRIMARY KEY, name TEXT COLLATE NOCASE, n REAL, up INTEGER REFERENCES a (id));
CREATE TABLE b (id INTEGER PRIMARY KEY, a_id INTEGER REFERENCES a (id), c_id INTEGER REFERENCES c (id), note TEXT);
CREATE TABLE c (id INTEGER PRIMARY KEY, kind TEXT);
INSERT INTO a VALUES (1,'x',1.0,NULL),(2,'Y',2.5,1);
INSERT INTO b VALUES (1,1,1,'p');
""")
TO_A = {"table": "b", "columns": ["a_id"], "ref_table": "a", "ref_columns": ["id"]}
TO_C = {"table": "b", "columns": ["c_id"], "ref_table": "c", "ref_columns": ["id"]}


def join(alias: str, table: str, key: dict[str, Any], kind: str = "inner") -> dict[str, Any]:
    way = {"direction": "forward", "type": kind}
    return {"from": "t0", "table": table, "alias": alias, "foreign_key": key, **way}


def fingerprint(**parts: Any) -> str:
    document = {"id": "p", "question": "?", "root": {"table": "b"}, "projection": ["t0.id"], **parts}
    return semantic_fingerprint(bind_plan(parse_plan(document), SOURCE.schema))


def where(column: str, op: str, value: Any) -> dict[str, Any]:
    return {"filters": [{"column": column, "op": op, "value": value}]}


TWO = [join("x", "a", TO_A), join("y", "c", TO_C)]
SAME: list[tuple[dict[str, Any], dict[str, Any]]] = [
    ({}, {"id": "other", "question": "In other words?"}),
    ({}, {"root": {"table": "B"}, "projection": [{"column": "T0.ID", "as": "key"}]}),
    ({"projection": ["t0.id", "t0.note"]}, {"projection": ["t0.note", "t0.id"]}),
    ({"joins": TWO}, {"joins": TWO[::-1]}),
    ({"joins": TWO, "projection": ["x.id"]}, {"joins": [join("t9", "a", TO_A), TWO[1]], "projection": ["t9.id"]}),
    (where("t0.id", "in", [1, 2]), where("t0.id", "in", [2, 1.0, 1])),
    (where("t0.id", "in", [1]), where("t0.id", "eq", "01")),
    (where("t0.id", "in", [1, 1.0, True, "1"]), where("t0.id", "eq", 1)),
    (where("t0.id", "lt", "1e400"), where("t0.id", "lt", "9e999")),
    (where("t0.note", "eq", 1), where("t0.note", "eq", "1")),
    (
        {"joins": TWO, **where("x.name", "in", ["abc", "ABC"])},
        {"joins": TWO, **where("x.name", "eq", "Abc")},
    ),
    (
        {"joins": TWO, **where("x.name", "eq", "abc")},
        {"joins": TWO, **where("x.name", "eq", "ABC")},
    ),
]
DIFFERENT: list[tuple[dict[str, Any], dict[str, Any]]] = [
    ({}, {"projection": ["t0.note"]}),
    ({}, {"order_by": [{"column": "t0.id"}]}),
    ({}, {"joins": TWO[:1]}),
    ({"joins": TWO[:1]}, {"joins": [join("x", "a", TO_A, "left")]}),
    (where("t0.id", "lt", 1), where("t0.id", "le", 1)),
    (where("t0.id", "eq", 1), where("t0.id", "eq", 1.5)),
    (where("t0.id", "lt", "1e400"), where("t0.id", "lt", "-1e400")),
    (where("t0.note", "in", ["a", "A"]), where("t0.note", "eq", "a")),
    (where("t0.note", "eq", "a"), where("t0.note", "eq", "A")),
    (
        {"joins": TWO, **where("x.name", "contains", "a")},
        {"joins": TWO, **where("x.name", "contains", "A")},
    ),
    ({"order_by": [{"column": "t0.id"}], "limit": 1}, {"order_by": [{"column": "t0.id"}], "limit": 2}),
    (
        {"order_by": [{"column": "t0.id"}, {"column": "n"}], "projection": ["t0.id", {"column": "t0.note", "as": "n"}]},
        {"order_by": [{"column": "n"}, {"column": "t0.id"}], "projection": ["t0.id", {"column": "t0.note", "as": "n"}]},
    ),
]


@pytest.mark.parametrize(("one", "other"), SAME)
def test_the_same_question_in_another_form_has_the_same_fingerprint(one: dict[str, Any], other: dict[str, Any]) -> None:
    assert fingerprint(**one) == fingerprint(**other)


@pytest.mark.parametrize(("one", "other"), DIFFERENT)
def test_another_question_has_another_fingerprint(one: dict[str, Any], other: dict[str, Any]) -> None:
    assert fingerprint(**one) != fingerprint(**other)


@given(plan=random_plans(SOURCE.schema, SOURCE.tables), seed=st.integers(0, 2**16))
def test_shuffling_what_has_no_order_keeps_the_fingerprint(plan: Plan, seed: int) -> None:
    shuffler = random.Random(seed)
    document = plan.normalised()
    for part in ("filters", "projection", "group_by", "aggregations"):
        shuffler.shuffle(document[part])
    other = parse_plan({**document, "id": "shuffled", "question": "Again?"})
    first, second = (semantic_fingerprint(bind_plan(each, SOURCE.schema)) for each in (plan, other))
    assert first == second
