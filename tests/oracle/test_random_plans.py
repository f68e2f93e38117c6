"""Random plans over awkward sources: each binds, compiles, runs, and its SQL says what the plan says."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.errors import IntegerOverflowError, OracleError
from app.oracle.sqlite_oracle import SqliteOracle
from app.workload.binding.bind import bind_plan
from app.workload.binding.cell_types import cell_types
from app.workload.plan import Plan
from tests.support.random_plans import random_plans
from tests.support.sql_tables import sql_tables

SOURCE = sql_tables("""
CREATE TABLE "na""me" (id INTEGER PRIMARY KEY, "a.b" TEXT COLLATE NOCASE UNIQUE, boss INTEGER REFERENCES "na""me" (id));
CREATE TABLE wide (x, y NUMERIC, z REAL, t VARCHAR(9) COLLATE RTRIM, "order" TEXT REFERENCES "na""me" ("a.b"));
CREATE TABLE pair (a INTEGER, b TEXT, n INTEGER, PRIMARY KEY (a, b)) WITHOUT ROWID;
CREATE TABLE leaf (a REAL, b TEXT, w INTEGER, FOREIGN KEY (a, b) REFERENCES pair (a, b));
CREATE TABLE "empty" (v TEXT, k INTEGER REFERENCES "na""me" (id));
INSERT INTO "na""me" VALUES (1,'Ada',NULL),(2,'bob',1),(3,'Äda',1),(4,NULL,4);
INSERT INTO wide VALUES (1,'7',1.5,'m','ada'),('1',8,NULL,'m  ','BOB'),
  (1.0,'x',2.5,'M','none'),(NULL,NULL,1e300,'',NULL),
  (NULL,'',0.0,'a','ADA');
INSERT INTO pair VALUES (1,'p',9223372036854775807),(1,'q',1),(2,'p',NULL);
INSERT INTO leaf VALUES (1.0,'p',5),(1.0,'p',6),(2.0,NULL,7),(3.0,'q',8),(1.5,'p',9);
""")
STORED = cell_types(SOURCE.tables)


@pytest.fixture(scope="module")
def oracle() -> SqliteOracle:
    return SqliteOracle.over_image(SOURCE.image)


@given(plan=random_plans(SOURCE.schema, SOURCE.tables))
def test_random_plans_are_valid_and_answered(oracle: SqliteOracle, plan: Plan) -> None:
    bound = bind_plan(plan, SOURCE.schema, STORED)
    try:
        answer = oracle.answers(bound)
    except (IntegerOverflowError, OracleError):
        return
    assert all(len(row) == len(bound.outputs) for row in answer.rows)
    assert bound.limit is None or len(answer.rows) <= bound.limit


@given(plan=random_plans(SOURCE.schema, SOURCE.tables), data=st.data())
def test_a_limited_answer_is_the_beginning_of_the_whole_one(
    oracle: SqliteOracle, plan: Plan, data: st.DataObject
) -> None:
    orders = tuple({"column": name} for name in [part.output for part in (*plan.projection, *plan.aggregations)])
    whole = Plan.model_validate({**plan.normalised(), "order_by": orders, "limit": 10_000})
    limited = whole.model_copy(update={"limit": data.draw(st.integers(1, 5))})
    try:
        rows = oracle.answers(bind_plan(whole, SOURCE.schema, STORED)).rows
    except (IntegerOverflowError, OracleError):
        return
    assert oracle.answers(bind_plan(limited, SOURCE.schema, STORED)).rows == rows[: limited.limit]
