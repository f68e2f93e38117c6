"""P is honest: a compiled plan finds everything it reads prepared, and a run leaves nothing behind."""

from hypothesis import given
from hypothesis import strategies as st

from app.executor.columns.views.column_view import ColumnView
from app.executor.columns.views.text_view import SMALL_DICTIONARY
from app.executor.indexes.index_cache import IndexCache
from app.executor.operators.frame import Frame
from app.executor.plan.compiler import compile_plan
from app.graph.model.property_graph import PropertyGraph
from app.workload.binding.parsing import parse_plan
from tests.executor.support import WIDE, Source, medium_source, oracle_answer
from tests.executor.test_clusters import GRAPH as CLUSTERED
from tests.executor.test_clusters import clustered_plans
from tests.executor.test_random_medium import evolved
from tests.support.random_plans import random_plans

SOURCE = medium_source()
GRAPHS = (SOURCE.graph, evolved())


def prepared(cache: IndexCache) -> set[str]:
    """The names of everything that is built, in every view, its reader, every pointer and index."""
    names: set[str] = set()
    for key, built in cache._built.items():
        parts = [built, getattr(built, "reader", None), *getattr(built, "stops", ())]
        parts += [getattr(built, "pointers", None), getattr(built, "values", None), getattr(built, "clusters", None)]
        names |= {f"{key}: kept {kept}" for kept in getattr(built, "_kept", ())}
        for part in parts:
            names |= {f"{key}: {type(part).__name__}.{name}" for name in getattr(part, "__dict__", ())}
    return names


def check_nothing_is_left(source: Source, graph: PropertyGraph, plan: object) -> None:
    bound = source.bind(plan)  # type: ignore[arg-type]
    if oracle_answer(source, bound) is None:
        return
    cache = IndexCache(graph)
    operators = compile_plan(bound, cache, WIDE).operators
    for view in [built for built in cache._built.values() if isinstance(built, ColumnView)]:
        _ = getattr(view, "reader", None)
    before = prepared(cache)
    frame = Frame()
    for operator in operators:
        operator.run(frame)
    assert prepared(cache) == before, [operator.describe() for operator in operators]


@given(st.data())
def test_a_run_prepares_nothing(data: st.DataObject) -> None:
    plan = data.draw(random_plans(SOURCE.tables.schema, SOURCE.tables.tables))
    for graph in GRAPHS:
        check_nothing_is_left(SOURCE, graph, plan)


@given(clustered_plans())
def test_a_run_over_clusters_prepares_nothing(plan: dict[str, object]) -> None:
    check_nothing_is_left(SOURCE, CLUSTERED, parse_plan(plan))


def test_few_rows_are_ordered_by_a_large_dictionary_without_ranking_it() -> None:
    rows = SMALL_DICTIONARY + 500
    cells = ", ".join(f"({number}, {number % 3}, 'text {number * 7919 % rows}')" for number in range(rows))
    source = Source.of(f"CREATE TABLE t (id INTEGER PRIMARY KEY, k INTEGER, name TEXT); INSERT INTO t VALUES {cells}")
    orders = [["id", "name"], ["k", "name", "id"], ["name", "k", "id"]]
    for names in orders:
        for direction in ("asc", "desc"):
            for limit in (7, None):
                plan = {
                    "root": {"table": "t", "alias": "t0"},
                    "filters": [{"column": "t0.k", "op": "ne", "value": 1}],
                    "projection": [f"t0.{name}" for name in names],
                    "order_by": [{"column": f"t0.{name}", "direction": direction} for name in names],
                    "limit": limit,
                }
                source.rows(plan)
                check_nothing_is_left(source, source.graph, plan)
    cache = IndexCache(source.graph)
    by_id = {"projection": ["t0.id", "t0.name"], "order_by": [{"column": "t0.id"}, {"column": "t0.name"}]}
    compile_plan(source.bind(plan | by_id), cache, WIDE)
    views = [built for built in cache._built.values() if isinstance(built, ColumnView)]
    assert "_ranks" not in {name for view in views for name in vars(view)}
