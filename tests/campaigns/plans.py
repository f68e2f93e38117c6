"""Random plans over random sources, answered from G0 and from transformed graphs, against SQLite.

    python -m tests.campaigns.plans [PLANS] [FIRST SEED]

Each plan is answered by G0 and by the graphs that shipped strategies make of it, which must not lose anything of their
source. The first difference is made as small as it gets and printed.
"""

import json
import sys
import time
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from random import Random

from app.budget import RowLimit, deadline
from app.errors import GraphwrightError, PlanInvalidError, QueryLimitError, QueryTimeError
from app.executor.plan.limits import QueryLimits
from app.executor.run.comparison import compare_rows
from app.executor.run.executor import GraphExecutor
from app.graph.checks.integrity import SourceIntegrity
from app.graph.g0 import match_references
from app.graph.model.property_graph import PropertyGraph
from app.oracle.sqlite_oracle import SqliteOracle
from app.values import Scalar
from app.workload.bound import BoundPlan
from tests.campaigns.candidates import Step, applied, random_steps
from tests.campaigns.questions import Document, Questions
from tests.campaigns.sources import CampaignSource, random_source
from tests.executor.support import Source

Rows = Sequence[tuple[Scalar, ...]]

PLANS_PER_SOURCE = 12
LIMIT = RowLimit(1_000_000)
SECONDS = 2.0


@dataclass(frozen=True)
class Case:
    """A source, one plan and the strategies that make a graph of it; `difference` says how the answers differ."""

    source: CampaignSource
    plan: Document
    steps: tuple[Step, ...] = ()
    difference: str = ""

    def __str__(self) -> str:
        steps = "".join(f"\n{tool} {json.dumps(arguments)}" for tool, arguments in self.steps)
        kind = "-- without types\n" if self.source.typeless else ""
        return f"{self.difference}\n\n{kind}{self.source.script}\n{json.dumps(self.plan, ensure_ascii=False)}{steps}"


@dataclass
class Tally:
    """What was done: plans asked, answers compared, and what was not compared for which reason."""

    counts: Counter[str] = field(default_factory=Counter)

    def __str__(self) -> str:
        return ", ".join(f"{count:,} {name}" for name, count in sorted(self.counts.items()))


def search(plans: int, seed: int, tally: Tally) -> Case | None:
    """Ask at least this many plans; the first case whose answers differ, not yet made smaller."""
    while tally.counts["plans"] < plans:
        tally.counts["sources"] += 1
        for case in _of_source(Random(seed), tally):
            return case
        seed += 1
    return None


def _of_source(random: Random, tally: Tally) -> Iterator[Case]:
    """The cases of one source whose answers differ."""
    made = random_source(random)
    source = Source(made.read())
    questions = Questions(random, source.tables.schema, source.tables.tables)
    drawn = [questions.plan() for _ in range(PLANS_PER_SOURCE)]
    asked = [(plan, bound) for plan in drawn if (bound := _bound(source, plan))]
    bound_plans = [bound for _, bound in asked]
    paths: list[tuple[Step, ...]] = [(), *(tuple(random_steps(random, source.graph, bound_plans)) for _ in range(2))]
    graphs = [(steps, graph) for steps in paths for graph in _graphs(source, steps)]
    yield from (Case(made, drawn[0], steps, loss) for steps, graph in graphs if (loss := _loss(source, graph)))
    with SqliteOracle.over_image(source.tables.image, LIMIT) as oracle:
        for plan, bound in asked:
            tally.counts["plans"] += 1
            expected = _expected(oracle, bound)
            if expected is None:
                tally.counts["refused by SQLite or too large"] += 1
                continue
            for steps, graph in graphs:
                tally.counts["answers compared"] += 1
                difference = _difference(bound, expected, graph)
                if difference:
                    yield Case(made, plan, steps, difference)


def _bound(source: Source, plan: Document) -> BoundPlan | None:
    try:
        return source.bind(plan)
    except PlanInvalidError:
        return None


def _graphs(source: Source, steps: Sequence[Step]) -> list[PropertyGraph]:
    """G0 without steps, else the last graph that they make; none where they change nothing."""
    return list(applied(source.graph, steps))[-1:] if steps else [source.graph]


def _loss(source: Source, graph: PropertyGraph) -> str:
    """What a graph has lost of its source."""
    tables = source.tables
    integrity = SourceIntegrity(tables.schema, tables.tables, match_references(tables.schema, tables.tables))
    return "\n".join(integrity.errors(graph))


def _expected(oracle: SqliteOracle, bound: BoundPlan) -> Rows | None:
    try:
        with deadline(SECONDS, "a plan", "none"):
            return oracle.answers(bound).rows
    except GraphwrightError:
        return None


def _difference(bound: BoundPlan, expected: Rows, graph: PropertyGraph) -> str:
    """How a graph's answer differs, empty where it does not; a plan over a limit has no answer to compare."""
    try:
        compiled = GraphExecutor(graph, QueryLimits(LIMIT, SECONDS)).compile(bound)
        for _ in range(2):
            comparison = compare_rows(bound, expected, compiled.run().rows())
            if not comparison.passed:
                return (
                    f"{comparison.reason}\nexpected {comparison.expected_preview[:5]}\n"
                    f"found    {comparison.actual_preview[:5]}\n{chr(10).join(compiled.physical_plan)}"
                )
    except GraphwrightError as error:
        return "" if error.code in (QueryLimitError.code, QueryTimeError.code) else str(error)
    except Exception as error:  # a fault of any kind is what is looked for
        return f"{type(error).__name__}: {error}"
    return ""


def smallest(case: Case) -> Case:
    """The case with whatever can go taken away: rows, steps, and what a plan asks beside the difference."""
    deadline_at = time.monotonic() + 60
    shrunk = True
    while shrunk and time.monotonic() < deadline_at:
        shrunk = False
        for smaller in _smaller(case):
            found = _again(smaller)
            if found is not None:
                case, shrunk = found, True
                break
    return case


def _again(case: Case) -> Case | None:
    """The case if its answers still differ."""
    try:
        source = Source(case.source.read())
        for graph in _graphs(source, case.steps):
            difference = _loss(source, graph)
            bound = None if difference else _bound(source, case.plan)
            expected = None if bound is None else _expected(source.oracle, bound)
            if bound is not None and expected is not None:
                difference = _difference(bound, expected, graph)
            if difference:
                return replace(case, difference=difference)
    except Exception:  # what is not a source any more shows nothing
        return None
    return None


def _smaller(case: Case) -> Iterator[Case]:
    for number in range(len(case.steps)):
        yield replace(case, steps=case.steps[:number] + case.steps[number + 1 :])
    for table in case.source.tables:
        size = len(table.rows)
        while size:
            for start in range(0, len(table.rows), size):
                rows = table.rows[:start] + table.rows[start + size :]
                yield replace(case, source=case.source.with_table(replace(table, rows=rows)))
            size //= 2
    for name in ("joins", "filters", "projection", "group_by", "aggregations", "order_by"):
        items = case.plan.get(name, [])
        for number in range(len(items)):
            yield replace(case, plan={**case.plan, name: items[:number] + items[number + 1 :]})
    if case.plan.get("limit") is not None:
        yield replace(case, plan={**case.plan, "limit": None})


def main() -> int:
    """Run a campaign; 1 with a difference."""
    plans = int(sys.argv[1]) if len(sys.argv) > 1 else 50_000
    seed = int(sys.argv[2]) if len(sys.argv) > 2 else 1
    tally, started = Tally(), time.monotonic()
    case = search(plans, seed, tally)
    print(f"{tally} in {time.monotonic() - started:.0f} s: {'a difference' if case else 'no difference'}")
    if case is not None:
        print(smallest(case))
    return int(case is not None)


if __name__ == "__main__":
    sys.exit(main())
