"""Every rule of the DSL: what is allowed binds, what is not is refused with its stable reason and the plan's id."""

import copy
import itertools
import json
from typing import Any

import pytest

from app.errors import PlanInvalidError
from app.tables.schema import RelationalSchema
from app.workload.binding.bind import bind_plan
from app.workload.binding.cell_types import CellType, ColumnCells, cell_types
from app.workload.binding.parsing import parse_plan
from app.workload.bound import BoundPlan
from tests.support.sql_tables import sql_tables

SOURCE = sql_tables("""
CREATE TABLE Customers (id INTEGER PRIMARY KEY, name TEXT COLLATE NOCASE, "a.b" NUMERIC);
CREATE TABLE orders (id INTEGER PRIMARY KEY, customer_id INTEGER REFERENCES customers (id), amount REAL, note TEXT,
  untyped, mixed INTEGER, "t0" INTEGER);
CREATE TABLE pairs (a INTEGER, b INTEGER, PRIMARY KEY (a, b));
CREATE TABLE links (a INTEGER, b INTEGER, FOREIGN KEY (a, b) REFERENCES pairs (a, b));
INSERT INTO orders (id, untyped, mixed) VALUES (1, 2, 3), (2, 2.5, 'x');
""")
SCHEMA = SOURCE.schema
KEY = {"table": "orders", "columns": ["customer_id"], "ref_table": "Customers", "ref_columns": ["id"]}
JOIN = {"from": "t0", "table": "customers", "alias": "t1", "foreign_key": KEY, "direction": "forward", "type": "inner"}
COUNT = {"function": "count", "column": "*", "as": "n"}
BASE: dict[str, Any] = {
    "id": "p1",
    "question": "?",
    "root": {"table": "orders", "alias": "t0"},
    "projection": ["t0.id"],
}


def bound(schema: RelationalSchema = SCHEMA, **parts: Any) -> BoundPlan:
    return bind_plan(parse_plan({**BASE, **parts}), schema, cell_types(SOURCE.tables))


def where(op: str, *value: Any, column: str = "t0.amount") -> dict[str, Any]:
    part = {"column": column, "op": op}
    return {"filters": [{**part, "value": value[0]} if value else part]}


def summed(function: str, column: str) -> dict[str, Any]:
    return {"projection": [], "aggregations": [{"function": function, "column": column, "as": "x"}]}


def joined(**changes: Any) -> dict[str, Any]:
    return {"joins": [{**JOIN, **changes}]}


def keyed(**changes: Any) -> dict[str, Any]:
    return joined(foreign_key={**KEY, **changes})


COMPOSITE = {"table": "links", "columns": ["a", "b"], "ref_table": "pairs", "ref_columns": ["a", "b"]}
HALF = {**COMPOSITE, "columns": ["a"], "ref_columns": ["a"]}
UNEVEN = {**KEY, "ref_columns": ["id", "name"]}
SWAPPED = {"table": "Customers", "columns": ["id"], "ref_table": "orders", "ref_columns": ["customer_id"]}
ORDERED = {"order_by": [{"column": "t0.id"}]}
FOUR = [{**JOIN, "alias": f"t{n}"} for n in (1, 2, 3, 4)]

REFUSED: list[tuple[str, dict[str, Any]]] = [
    ("root_alias", {"root": {"table": "orders", "alias": "o"}}),
    ("unknown_table", {"root": {"table": "order", "alias": "t0"}}),
    ("missing_field", {"root": {"alias": "t0"}}),
    ("unknown_field", {"having": []}),
    ("unknown_field", {"distinct": True}),
    ("malformed", {"projection": "t0.id"}),
    ("malformed", {"question": 3}),
    ("text_invalid", {"question": "\ud800"}),
    ("too_many_joins", {"joins": FOUR}),
    ("unknown_table", joined(table="client")),
    ("unknown_alias", {"joins": [{**JOIN, "from": "t2"}]}),
    ("alias_duplicate", joined(alias="T0")),
    ("alias_duplicate", {"joins": [JOIN, {**JOIN, "alias": "T1"}]}),
    ("alias_invalid", joined(alias="a.b")),
    ("alias_invalid", joined(alias="")),
    ("foreign_key_not_declared", keyed(columns=["id"])),
    ("foreign_key_not_declared", {"joins": [{**JOIN, "foreign_key": UNEVEN}]}),
    ("foreign_key_not_declared", {"root": {"table": "links"}, "projection": ["t0.a"], **joined(foreign_key=HALF)}),
    ("foreign_key_swapped", joined(foreign_key=SWAPPED)),
    ("join_direction", joined(direction="reverse")),
    ("join_direction", joined(table="orders")),
    ("malformed", joined(type="right")),
    ("column_not_qualified", where("eq", 1, column="amount")),
    ("unknown_alias", where("eq", 1, column="t1.amount")),
    ("unknown_column", where("eq", 1, column="t0.price")),
    ("having_not_supported", {**where("gt", 1, column="N"), "projection": [], "aggregations": [COUNT]}),
    ("unknown_operator", where("like", "a")),
    ("unknown_operator", where("not_in", [1])),
    ("value_not_allowed", where("is_null", 0)),
    ("value_not_allowed", where("not_null", False)),
    ("value_not_allowed", where("is_null", None)),
    ("value_not_allowed", where("not_null", None)),
    ("value_missing", where("eq")),
    ("value_null", where("eq", None)),
    ("value_missing", where("in")),
    ("value_invalid", where("in", [])),
    ("value_invalid", where("in", 1)),
    ("value_invalid", where("in", list(range(10_001)))),
    ("value_null", where("in", [1, None])),
    ("value_invalid", where("in", [[1]])),
    ("value_invalid", where("eq", [1])),
    ("value_invalid", where("eq", {"a": 1})),
    ("value_invalid", where("eq", float("nan"))),
    ("value_invalid", where("lt", float("inf"))),
    ("value_invalid", where("eq", 2**63)),
    ("value_invalid", where("eq", "\udc00", column="t0.note")),
    ("value_invalid", where("contains", 1, column="t0.note")),
    ("float_text_comparison", where("eq", 1.5, column="t0.note")),
    ("float_text_comparison", where("in", ["1", 1.5], column="t0.note")),
    ("star_not_allowed", summed("sum", "*")),
    ("unknown_function", summed("median", "t0.amount")),
    ("not_numeric", summed("sum", "t0.note")),
    ("not_numeric", summed("avg", "t0.mixed")),
    ("unknown_column", summed("max", "t0.nothing")),
    ("no_output", {"projection": []}),
    ("not_grouped", {"aggregations": [COUNT]}),
    ("not_grouped", {"group_by": ["t0.note"]}),
    ("group_duplicate", {"group_by": ["t0.id", "T0.ID"]}),
    ("output_duplicate", {"projection": ["t0.id", "T0.Id"]}),
    (
        "output_duplicate",
        {"projection": [{"column": "t0.id", "as": "N"}], "group_by": ["t0.id"], "aggregations": [COUNT]},
    ),
    ("alias_invalid", {"projection": [{"column": "t0.id", "as": ""}]}),
    ("order_unknown_output", {"order_by": [{"column": "t0.amount"}]}),
    ("order_duplicate", {"order_by": [{"column": "t0.id"}, {"column": "T0.ID", "direction": "desc"}]}),
    ("malformed", {"order_by": [{"column": "t0.id", "direction": "down"}]}),
    ("limit_invalid", {**ORDERED, "limit": 0}),
    ("limit_invalid", {**ORDERED, "limit": True}),
    ("limit_invalid", {**ORDERED, "limit": 2.0}),
    ("limit_invalid", {**ORDERED, "limit": 2**63}),
    ("limit_not_ordered", {"limit": 10}),
    ("limit_not_ordered", {**ORDERED, "projection": ["t0.id", "t0.note"], "limit": 10}),
]


@pytest.mark.parametrize(("reason", "parts"), REFUSED, ids=[f"{n}-{reason}" for n, (reason, _) in enumerate(REFUSED)])
def test_a_plan_that_breaks_a_rule_is_refused_by_its_reason(reason: str, parts: dict[str, Any]) -> None:
    with pytest.raises(PlanInvalidError) as error:
        bound(**copy.deepcopy(parts))
    assert error.value.where["reason"] == reason
    assert error.value.where.get("plan") == (None if reason == "text_invalid" else "p1")
    assert json.dumps(error.value.to_dict())


ALLOWED: list[dict[str, Any]] = [
    where("is_null"),
    where("not_null"),
    where("eq", True),
    where("eq", 2**63 - 1, column="t0.note"),
    where("in", ["a", 1], column="t0.note"),
    where("in", list(range(10_000))),
    where("contains", "", column="t0.amount"),
    where("eq", 1.5, column="t0.untyped"),
    summed("count", "*"),
    summed("count", "t0.note"),
    summed("max", "t0.note"),
    summed("sum", "t0.amount"),
    summed("avg", "t0.untyped"),
    {"group_by": ["t0.id", "t0.note"]},
    {"group_by": ["t0.note"], "projection": [], "aggregations": [COUNT]},
    {**ORDERED, "limit": 2**63 - 1},
    {**joined(**{"from": "T0", "alias": "c"}), "projection": ["C.a.b", "t0.T0"]},
]


@pytest.mark.parametrize("parts", ALLOWED, ids=lambda parts: str(parts)[:60])
def test_a_plan_within_the_rules_binds(parts: dict[str, Any]) -> None:
    assert bound(**parts).id == "p1"


def test_names_resolve_to_their_declared_spelling() -> None:
    plan = bound(**joined(), projection=["T1.NAME"], group_by=["t1.Name"], aggregations=[COUNT])
    assert plan.joins[0].table == "Customers"
    assert plan.joins[0].foreign_key == SCHEMA.foreign_keys[0]
    assert (plan.outputs[0].name, plan.outputs[0].column.name) == ("T1.NAME", "name")  # type: ignore[union-attr]
    assert plan.is_aggregate


def test_a_composite_key_may_list_its_pairs_in_any_order() -> None:
    key = {**COMPOSITE, "columns": ["b", "a"], "ref_columns": ["b", "a"]}
    join = {**JOIN, "table": "pairs", "foreign_key": key}
    plan = bound(root={"table": "links"}, joins=[join], projection=["t1.a"])
    assert plan.joins[0].foreign_key.columns == ("a", "b")


def test_without_data_a_declared_affinity_decides_what_is_numeric() -> None:
    plan = parse_plan({**BASE, **summed("sum", "t0.mixed")})
    assert bind_plan(plan, SCHEMA).outputs[0].column is not None
    with pytest.raises(PlanInvalidError, match="needs numbers"):
        bind_plan(parse_plan({**BASE, **summed("sum", "t0.untyped")}), SCHEMA)


@pytest.mark.parametrize("cells", ["(1e271)", "(-1.7e308), (1.0)", "(1), (1e300)", "(NULL), (2.5), (-1e271)"])
def test_sums_that_may_leave_real_are_refused(cells: str) -> None:
    made = sql_tables(f"CREATE TABLE t (x NUMERIC, r REAL); INSERT INTO t (x) VALUES {cells}; UPDATE t SET r = x")
    for column, function in itertools.product(("x", "r"), ("sum", "avg")):
        summing = {
            "root": {"table": "t"},
            "aggregations": [{"function": function, "column": f"t0.{column}", "as": "s"}],
        }
        plan = parse_plan({"id": "p", "question": "?", **summing})
        with pytest.raises(PlanInvalidError) as error:
            bind_plan(plan, made.schema, cell_types(made.tables))
        assert error.value.where["reason"] == "sum_may_overflow"


def test_cell_types_are_those_of_the_cells() -> None:
    types = cell_types(SOURCE.tables)["orders"]
    assert types["untyped"] == ColumnCells(frozenset({CellType.INTEGER, CellType.REAL}), 2.5)
    assert types["mixed"] == ColumnCells(frozenset({CellType.INTEGER, CellType.TEXT}))
    assert types["amount"] == ColumnCells(frozenset())


def test_a_normalised_plan_is_filled_in_and_reads_back_as_itself() -> None:
    plan = parse_plan({**BASE, **where("is_null")})
    document = plan.normalised()
    assert document["filters"] == [{"column": "t0.amount", "op": "is_null"}]
    assert (document["joins"], document["group_by"], document["limit"]) == ([], [], None)
    assert parse_plan(document).normalised() == document


@pytest.mark.parametrize("document", [None, [], "SELECT 1", 3, {}])
def test_what_is_no_plan_at_all_is_refused(document: object) -> None:
    with pytest.raises(PlanInvalidError):
        parse_plan(document)
