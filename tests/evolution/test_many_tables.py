"""Sources with many tables: the work of each stage, counted in lines, grows with their number and no faster."""

import sys
from collections.abc import Callable
from functools import partial
from pathlib import Path
from tempfile import NamedTemporaryFile
from types import FrameType
from typing import Any

import pytest

from app.graph.document.order import IdentifiedGraph
from app.graph.document.read_back import check_document
from app.graph.document.writer import write_document
from app.graph.model.property_graph import PropertyGraph
from app.workload.freezing import freeze
from app.workload.generation.generator import GeneratorInput, generate_plans
from tests.support.hand_made import HandMade, source, table
from tests.transform.support import applied

APP = str(Path(__file__).parents[2] / "app")


def chain(tables: int) -> HandMade:
    """Tables that reference one another in turn, with 4 rows each."""
    columns = {"id": ("INTEGER", [1, 2, 3, 4]), "status": ("TEXT", ["a", "b", "a", "b"])}
    parent = {"parent": ("INTEGER", [1, 1, 2, None])}
    return source(
        table("t0", columns),
        *(
            table(f"t{number}", columns | parent, references={"parent": (f"t{number - 1}", ["id"])})
            for number in range(1, tables)
        ),
    )


def steps(work: Callable[[], object]) -> int:
    """How many lines of the app some work runs, each turn of a loop counted."""
    count = 0

    def counted(_frame: FrameType, event: str, _argument: object) -> Any:
        nonlocal count
        count += event == "line"
        return counted

    def traced(frame: FrameType, _event: str, _argument: object) -> Any:
        return counted if frame.f_code.co_filename.startswith(APP) else None

    sys.settrace(traced)
    try:
        work()
    finally:
        sys.settrace(None)
    return count


def frozen(made: HandMade) -> object:
    plans = generate_plans(GeneratorInput(made.schema, made.tables, made.references.pointers, 10_000), 15)
    return freeze(plans, made.schema, 15)


def candidate(made: HandMade) -> PropertyGraph:
    return applied(made.graph, "generate_entity_table", table="t1", column="status", node_type="Status")


def read_back(made: HandMade) -> None:
    document = IdentifiedGraph.of(made.graph)
    with NamedTemporaryFile() as file:
        write_document(document, file)
        file.flush()
        check_document(document, Path(file.name))


STAGES: dict[str, Callable[[HandMade], object]] = {
    "freezing": frozen,
    "transforming": candidate,
    "checking": lambda made: made.integrity.errors(made.graph),
    "checking a candidate": lambda made: made.integrity.errors(candidate(made), checked=made.graph),
    "writing and reading back": read_back,
}


@pytest.mark.parametrize("stage", STAGES)
def test_twice_as_many_tables_take_at_most_twice_the_work(stage: str) -> None:
    once, twice = (steps(partial(STAGES[stage], chain(tables))) for tables in (60, 120))
    assert 0 < twice < 2.2 * once
