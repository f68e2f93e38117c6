"""Generates a workload from a source, deterministically: the same source and count give the same plans."""

from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from itertools import islice

from app.budget import check_deadline
from app.errors import WorkloadGenerationError
from app.tables.schema import RelationalSchema
from app.tables.table import Table
from app.workload.binding.bind import bind_plan
from app.workload.binding.cell_types import CellTypes
from app.workload.binding.parsing import parse_plan
from app.workload.fingerprint import semantic_fingerprint
from app.workload.generation.categories import Category
from app.workload.generation.documents import Candidate
from app.workload.generation.paths import PathFinder, Pointers
from app.workload.generation.relation_pool import RelationPool
from app.workload.generation.selection import Selection
from app.workload.generation.table_pool import table_candidates
from app.workload.generation.traits import TableTraits, table_traits
from app.workload.plan import Plan

MAX_CANDIDATES = 2_000
"""Plans considered over all tables, unless each would then have fewer than `_LEAST_SHARE`."""

_LEAST_SHARE = 24

_PATHS_FROM_A_TABLE = 24


@dataclass(frozen=True, eq=False)
class GeneratorInput:
    """A source as the generator sees it; no plan needs more than `row_limit` intermediate rows."""

    schema: RelationalSchema
    tables: Mapping[str, Table]
    pointers: Pointers
    row_limit: int


def generate_plans(source: GeneratorInput, query_count: int, *, may_be_fewer: bool = False) -> list[Plan]:
    """Exactly `query_count` plans that ask different things.

    If there are fewer, these are all plans if there `may_be_fewer`; else it is a `WorkloadGenerationError`.
    """
    traits = table_traits(source.schema, source.tables)
    novelty = _Novelty(source.schema, traits)
    selection = Selection(_candidates(source, traits), novelty.accept)
    while len(novelty.plans) < query_count:
        check_deadline()
        if selection.choose() is None:
            if may_be_fewer and novelty.plans:
                break
            raise WorkloadGenerationError(
                f"Only {len(novelty.plans)} different plans can be asked of this source; {query_count} are wanted.",
                hint=f"Set query_count to at most {len(novelty.plans)}, or supply queries.",
                found=len(novelty.plans),
                expected=query_count,
            )
    return novelty.plans


class _Novelty:
    """The plans accepted so far, by what they ask."""

    def __init__(self, schema: RelationalSchema, traits: Mapping[str, TableTraits]) -> None:
        self._schema = schema
        self._stored: CellTypes = {
            name: {column.name: column.cells for column in table.columns} for name, table in traits.items()
        }
        self._known: set[str] = set()
        self.plans: list[Plan] = []

    def accept(self, item: Candidate) -> bool:
        """Keep the candidate as a plan unless the same is asked already."""
        plan = parse_plan({"id": f"q{len(self.plans) + 1:03d}_{item.category}", **item.document})
        fingerprint = semantic_fingerprint(bind_plan(plan, self._schema, self._stored))
        if fingerprint in self._known:
            return False
        self._known.add(fingerprint)
        self.plans.append(plan)
        return True


def _candidates(source: GeneratorInput, traits: Mapping[str, TableTraits]) -> Iterator[list[Candidate]]:
    """The candidates of one table after the other, those with most rows first, each with an equal share of all."""
    finder = PathFinder(source.schema, source.tables, source.pointers, source.row_limit)
    pool = RelationPool(traits, finder)
    roots = sorted(traits.values(), key=lambda table: -table.row_count)
    share = max(_LEAST_SHARE, MAX_CANDIDATES // max(len(roots), 1))
    for root in roots:
        related = _related(finder, pool, root.name)
        yield list(islice(_alternating(related, list(table_candidates(root))), share))


def _related(finder: PathFinder, pool: RelationPool, root: str) -> list[Candidate]:
    """The candidates along paths: the best of every path first, then the second best, and so on.

    Chains are counted along long paths first, so that a small workload has them too.
    """
    ranked: list[tuple[int, int, Candidate]] = []
    for path in finder.paths(root, _PATHS_FROM_A_TABLE):
        places: Counter[Category] = Counter()
        for item in pool.candidates(path):
            hops = -len(path.hops) if item.category is Category.PATH_COUNT else len(path.hops)
            ranked.append((places[item.category], hops, item))
            places[item.category] += 1
    return [item for *_, item in sorted(ranked, key=lambda entry: entry[:2])]


def _alternating(first: list[Candidate], second: list[Candidate]) -> Iterator[Candidate]:
    for offset in range(max(len(first), len(second))):
        yield from first[offset : offset + 1]
        yield from second[offset : offset + 1]
