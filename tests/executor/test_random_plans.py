"""The executor answers random plans over random sources exactly as SQLite does."""

from hypothesis import given
from hypothesis import strategies as st

from tests.executor.support import Source, check_plan, finite
from tests.support.random_plans import random_plans
from tests.support.random_source import random_sources
from tests.support.sql_tables import sql_tables

PLANS_PER_SOURCE = 4


@given(st.data())
def test_g0_answers_as_the_oracle(data: st.DataObject) -> None:
    source = Source(finite(sql_tables(data.draw(random_sources()).script)))
    for _ in range(PLANS_PER_SOURCE):
        plan = data.draw(random_plans(source.tables.schema, source.tables.tables))
        check_plan(source, plan, [source.graph])
