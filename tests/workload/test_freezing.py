"""Freezing: exactly the wanted number of different valid plans, under a digest that anyone can recompute."""

import copy
import hashlib
import json
from typing import Any

import pytest

from app.errors import WorkloadChangedError, WorkloadInvalidError
from app.workload.freezing import FrozenWorkload, freeze
from tests.support.sql_tables import sql_tables

SCHEMA = sql_tables("CREATE TABLE orders (id INTEGER PRIMARY KEY, amount REAL, status TEXT)").schema


def counting(name: str, *filters: dict[str, Any]) -> dict[str, Any]:
    return {
        "id": name,
        "question": "How many?",
        "root": {"table": "orders", "alias": "t0"},
        "filters": list(filters),
        "aggregations": [{"function": "count", "column": "*", "as": "n"}],
    }


MISSING = counting("missing_amount", {"column": "t0.amount", "op": "is_null"})
SOME = counting("some", {"column": "t0.status", "op": "in", "value": ["paid", "öpen"]})


def frozen() -> FrozenWorkload:
    return freeze(copy.deepcopy([MISSING, SOME]), SCHEMA, 2)


def test_the_digest_is_that_of_the_normalised_documents() -> None:
    workload = frozen()
    text = json.dumps(workload.documents, sort_keys=True, separators=(",", ":"), ensure_ascii=False)
    assert workload.workload_sha256 == hashlib.sha256(text.encode("utf-8")).hexdigest()
    assert workload.documents[0] == {
        **MISSING,
        "joins": [],
        "projection": [],
        "group_by": [],
        "order_by": [],
        "limit": None,
    }
    workload.verify()


def test_the_digest_does_not_depend_on_what_was_left_out() -> None:
    assert freeze(frozen().documents, SCHEMA, 2).workload_sha256 == frozen().workload_sha256


def test_later_changes_of_the_input_or_of_copies_change_nothing() -> None:
    documents = copy.deepcopy([MISSING, SOME])
    workload = freeze(documents, SCHEMA, 2)
    documents[1]["filters"][0]["value"].append("late")
    workload.documents[1]["filters"][0]["value"].append("late")
    workload.verify()


def test_a_changed_plan_is_noticed() -> None:
    workload = frozen()
    workload.plans[1].filters[0].value.append("easier")
    with pytest.raises(WorkloadChangedError, match="changed after it was frozen"):
        workload.verify()


@pytest.mark.parametrize("count", [1, 3])
def test_the_number_of_plans_must_be_the_wanted_one(count: int) -> None:
    with pytest.raises(WorkloadInvalidError, match=f"has 2 plans; query_count says {count}"):
        freeze([MISSING, SOME], SCHEMA, count)


def test_all_problems_are_told_at_once() -> None:
    twin = {**copy.deepcopy(MISSING), "id": "twin", "question": "How many orders lack one?"}
    namesake = counting("some")
    wrong = counting("wrong", {"column": "t0.amount", "op": "is_null", "value": 0})
    with pytest.raises(WorkloadInvalidError, match="asks the same as plan missing_amount") as error:
        freeze([MISSING, SOME, twin, namesake, wrong, "nonsense"], SCHEMA, 6)
    problems = error.value.where["problems"]
    assert isinstance(problems, list)
    assert [(problem.get("plan"), problem["reason"]) for problem in problems] == [
        ("twin", "plan_duplicate"),
        ("some", "id_duplicate"),
        ("wrong", "value_not_allowed"),
        (None, "malformed"),
    ]
