"""The query cases: the oracle gives the listed answers; what the DSL cannot say is refused with its reason."""

import pytest

from app.errors import PlanInvalidError
from app.oracle.sqlite_oracle import SqliteOracle
from app.workload.binding.bind import bind_plan
from app.workload.binding.cell_types import cell_types
from app.workload.binding.parsing import parse_plan
from tests.support.case_plans import CaseQuery, answered_queries, case_sql, refused_queries
from tests.support.sql_tables import sql_tables


@pytest.mark.parametrize("query", answered_queries(), ids=str)
def test_the_oracle_gives_the_listed_answer(query: CaseQuery) -> None:
    source = sql_tables(case_sql(query.case))
    plan = bind_plan(parse_plan(query.document), source.schema, cell_types(source.tables))
    with SqliteOracle.over_image(source.image) as oracle:
        rows = oracle.answers(plan).rows
    assert query.answer is not None
    assert rows == query.answer
    assert [list(map(type, row)) for row in rows] == [list(map(type, row)) for row in query.answer]


@pytest.mark.parametrize("query", refused_queries(), ids=str)
def test_what_the_dsl_cannot_say_is_refused_with_its_reason(query: CaseQuery) -> None:
    source = sql_tables(case_sql(query.case))
    with pytest.raises(PlanInvalidError) as refusal:
        bind_plan(parse_plan(query.document), source.schema, cell_types(source.tables))
    assert refusal.value.where["reason"] == query.refused
    assert refusal.value.where["plan"] == query.name
