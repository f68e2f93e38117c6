"""Generated workloads: deterministic, different, answerable, and about what matters in the source."""

from collections import Counter
from collections.abc import Iterable
from dataclasses import replace
from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given

from app.errors import WorkloadGenerationError
from app.graph.g0 import match_references
from app.oracle.sqlite_oracle import SqliteOracle
from app.tables.column import Column, Kind, column_of, int_column
from app.tables.schema import ColumnSchema, ForeignKey, RelationalSchema, TableSchema
from app.tables.table import Table
from app.values import affinity_of
from app.workload.binding.bind import bind_plan
from app.workload.binding.cell_types import cell_types
from app.workload.bound import BoundOutput, BoundPlan
from app.workload.coverage import Coverage, plan_coverage, workload_coverage
from app.workload.freezing import freeze
from app.workload.generation.categories import Category
from app.workload.generation.generator import GeneratorInput, generate_plans
from app.workload.generation.names import suggests_category, suggests_identifier, suggests_measure
from app.workload.plan import Comparison, Function, Plan
from tests.oracle.test_joins import loaded
from tests.support.music_shop import MusicShop
from tests.support.random_source import RandomSource, random_sources
from tests.support.sql_tables import SqlTables, sql_tables

SHOP = sql_tables("""
CREATE TABLE country (code TEXT PRIMARY KEY, name TEXT);
CREATE TABLE customer (id INTEGER PRIMARY KEY, name TEXT, status TEXT, country TEXT REFERENCES country (code));
CREATE TABLE orders (id INTEGER PRIMARY KEY, customer_id INTEGER REFERENCES customer (id), amount REAL, year INTEGER);
CREATE TABLE audit (id INTEGER PRIMARY KEY, order_id INTEGER REFERENCES orders (id));
INSERT INTO country VALUES ('DE','Germany'),('FR','France'),('JP','Japan');
INSERT INTO customer VALUES (1,'Ann','gold','DE'),(2,'Bob','silver','FR'),(3,'Cid','gold',NULL),(4,'Dee','gold','DE'),
  (5,'Eve','bronze','FR'),(6,'Fay','bronze',NULL);
INSERT INTO orders VALUES (1,1,10.5,2020),(2,1,20.5,2021),(3,2,5.0,2021),(4,NULL,7.5,2020),(5,4,NULL,2021);
""")


def generator_input(source: SqlTables, row_limit: int = 200_000) -> GeneratorInput:
    pointers = match_references(source.schema, source.tables).pointers
    return GeneratorInput(source.schema, source.tables, pointers, row_limit)


def bound(source: SqlTables, plans: list[Plan]) -> list[BoundPlan]:
    stored = cell_types(source.tables)
    return [bind_plan(plan, source.schema, stored) for plan in plans]


def most_plans(source: SqlTables, wanted: int = 10_000) -> list[Plan]:
    """All plans that can be generated, by the number that the refusal names."""
    try:
        return generate_plans(generator_input(source), wanted)
    except WorkloadGenerationError as error:
        found = error.where["found"]
        assert isinstance(found, int)
        return generate_plans(generator_input(source), found)


ALL = most_plans(SHOP)


def test_generation_is_deterministic() -> None:
    one, other = (generate_plans(generator_input(SHOP), 40) for _ in range(2))
    assert [plan.normalised() for plan in one] == [plan.normalised() for plan in other]


def test_too_few_different_plans_fail_clearly() -> None:
    with pytest.raises(WorkloadGenerationError, match=f"Only {len(ALL)} different plans can be asked") as error:
        generate_plans(generator_input(SHOP), len(ALL) + 1)
    assert error.value.where == {"found": len(ALL), "expected": len(ALL) + 1}


def test_generated_plans_freeze_and_cover_everything() -> None:
    workload = freeze(generate_plans(generator_input(SHOP), 15), SHOP.schema, 15, cell_types(SHOP.tables))
    assert covered(workload.bound) == set(Coverage)
    report = workload_coverage(workload.bound, SHOP.schema)
    assert report["queries"] == 15
    assert report["root_tables"] == {"country": 4, "customer": 5, "orders": 5, "audit": 1}
    assert report["joins"]["total"] == report["joins"]["inner"] + report["joins"]["left"] > 0
    assert sum(report["hops"].values()) == 15


def test_root_tables_come_in_turn_and_no_category_takes_over() -> None:
    plans = generate_plans(generator_input(SHOP), 20)
    assert set(Counter(plan.root.table for plan in plans[:4]).values()) == {1}
    assert max(Counter(plan.id[5:] for plan in plans).values()) <= 2


def test_ids_are_unique_and_name_the_category() -> None:
    assert len({plan.id for plan in ALL}) == len(ALL)
    assert {plan.id.split("_", 1)[1] for plan in ALL} == {str(category) for category in Category}


def test_keys_are_looked_up_but_never_summed_or_grouped_by_alone() -> None:
    keys = {"id", "customer_id", "order_id", "code"}
    for plan in bound(SHOP, ALL):
        summed = {
            output.column.name
            for output in plan.outputs
            if output.function in (Function.SUM, Function.AVG)
            if output.column
        }
        assert not summed & (keys | {"year"})
        if plan.id.endswith(("grouped_measure", "grouped_count", "joined_measure")):
            assert not {column.name for column in plan.group_by} & keys
    assert any(part.column.name in keys for plan in bound(SHOP, ALL) for part in plan.filters)


def test_constants_come_from_the_data_and_find_rows() -> None:
    with SqliteOracle.over_image(SHOP.image) as oracle:
        for plan in bound(SHOP, ALL):
            answer = oracle.answers(plan)
            tested = {part.op for part in plan.filters} - {Comparison.IS_NULL, Comparison.NOT_NULL}
            if tested:
                assert answer.rows, plan.id
                assert plan.outputs[0].name != "row_count" or answer.rows[0][0] > 0, plan.question


def test_paths_never_turn_back_or_repeat_a_directed_relation() -> None:
    for plan in bound(SHOP, ALL):
        steps = [(join.foreign_key, join.forward) for join in plan.joins]
        assert len(set(steps)) == len(steps)
        for (key, forward), (next_key, next_forward) in pairwise(steps):
            assert (key, forward) != (next_key, not next_forward)


def test_nothing_is_asked_along_relations_that_lead_nowhere() -> None:
    """No audit row has an order, so only optional questions, which keep rows without the relation, may follow it."""
    assert not [plan for plan in bound(SHOP, ALL) if any("order_id" in join.foreign_key.columns for join in plan.joins)]


def test_left_joins_ask_for_rows_that_lack_the_relation() -> None:
    lacking = [plan for plan in bound(SHOP, ALL) if plan.id.endswith("optional_relation") and plan.filters]
    with SqliteOracle.over_image(SHOP.image) as oracle:
        assert lacking
        assert all(oracle.answers(plan).rows[0][0] > 0 for plan in lacking)


def test_rows_are_shown_in_a_bounded_number() -> None:
    for plan in bound(SHOP, ALL):
        assert plan.limit is not None or plan.is_aggregate or SHOP.tables[plan.tables["t0"].name].row_count <= 200


def covered(plans: Iterable[BoundPlan]) -> set[Coverage]:
    return set().union(*map(plan_coverage, plans))


def test_a_source_without_references_covers_what_it_can() -> None:
    source = sql_tables("CREATE TABLE one (kind TEXT); INSERT INTO one VALUES ('a'),('a'),('b'),('b')")
    plans = bound(source, most_plans(source))
    assert Coverage.RELATIONSHIP not in covered(plans)
    assert Coverage.GROUPING in covered(plans)
    only_count = [plan for plan in plans if plan.id.endswith("record_count")]
    assert covered(only_count) == {Coverage.AGGREGATION}


def joined_rows(plan: BoundPlan) -> BoundPlan:
    """How many rows the joins of a plan have before anything else happens to them."""
    count = BoundOutput("n", None, Function.COUNT)
    return replace(plan, filters=(), outputs=(count,), group_by=(), order_by=(), limit=None)


@pytest.mark.parametrize("row_limit", [3, 5, 6])
def test_a_path_over_the_row_limit_is_not_asked(row_limit: int) -> None:
    plans = bound(SHOP, generate_plans(generator_input(SHOP, row_limit), 30))
    with SqliteOracle.over_image(SHOP.image) as oracle:
        sizes = [oracle.answers(joined_rows(plan)).rows[0][0] for plan in plans if plan.joins]
    assert max(sizes, default=0) <= row_limit
    assert bool(sizes) == (row_limit > 3)


def test_names_suggest_parts_of_questions() -> None:
    assert suggests_category("OrderStatus")
    assert suggests_category("categories") is False
    assert suggests_measure("unit_prices")
    assert suggests_measure("订单金额")
    assert suggests_identifier("CustomerId")
    assert not suggests_identifier("width")


def large_source(rows: int) -> GeneratorInput:
    """A million facts on a thousand dimensions, in columns alone."""
    key = ForeignKey("fact", ("dim_id",), "dim", ("id",))
    integer, real, text = affinity_of("INTEGER"), affinity_of("REAL"), affinity_of("TEXT")
    dim = TableSchema("dim", (ColumnSchema("id", "INTEGER", integer), ColumnSchema("region", "TEXT", text)), ("id",))
    fact = TableSchema(
        "fact",
        (
            ColumnSchema("id", "INTEGER", integer),
            ColumnSchema("dim_id", "INTEGER", integer),
            ColumnSchema("amount", "REAL", real),
        ),
        ("id",),
        (key,),
    )
    spread = np.arange(rows, dtype=np.int64) % 1000
    amounts = Column(Kind.FLOAT64, np.linspace(0, 1000, rows))
    tables = {
        "dim": Table(
            dim, {"id": int_column(np.arange(1000)), "region": column_of([f"r{n % 7}" for n in range(1000)])}, 1000
        ),
        "fact": Table(fact, {"id": int_column(np.arange(rows)), "dim_id": int_column(spread), "amount": amounts}, rows),
    }
    return GeneratorInput(RelationalSchema.of([dim, fact]), tables, {key: spread}, rows * 4)


def test_a_million_rows_need_no_work_a_row_in_python() -> None:
    plans = generate_plans(large_source(1_000_000), 15)
    assert sum(bool(plan.joins) for plan in plans) >= 5


@given(source=random_sources())
def test_every_plan_of_a_random_source_is_answered(source: RandomSource) -> None:
    read = loaded(source)
    plans = bound(read, most_plans(read, 60))
    assert plans
    with SqliteOracle.over_image(read.image) as oracle:
        for plan in plans:
            oracle.answers(plan)


def test_a_music_shop_gets_fifteen_analytic_questions(music_shop: MusicShop) -> None:
    source = sql_tables(music_shop.sqlite.read_text(encoding="utf-8-sig"))
    plans = bound(source, generate_plans(generator_input(source), 15))
    assert covered(plans) == set(Coverage)
    assert set(workload_coverage(plans, source.schema)["root_tables"].values()) == {1, 2}
    assert sum(bool(plan.joins) for plan in plans) >= 9
