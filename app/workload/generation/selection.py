"""Which candidates make up the workload: root tables in turn, and in each the category that is due."""

from collections import Counter, deque
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from heapq import heappop, heappush

from app.workload.generation.categories import Category
from app.workload.generation.documents import Candidate

_ROTATION = {category: place for place, category in enumerate(Category)}


@dataclass(order=True, slots=True)
class _Root:
    """A root table whose candidates wait; the least is due.

    A table that has poor candidates only waits until no table has better ones; then the one that was chosen least is
    due, and of several the one that came first.
    """

    is_poor: bool = field(init=False)
    chosen: int
    number: int
    queues: dict[Category, deque[Candidate]] = field(compare=False)

    def __post_init__(self) -> None:
        self.is_poor = all(queue[0].is_poor for queue in self.queues.values())

    @property
    def is_fresh(self) -> bool:
        """Whether no other table can be due before it."""
        return not self.is_poor and self.chosen == 0


class Selection:
    """Candidates waiting by root table and category, and what was chosen so far.

    `tables` has the candidates of one root table after the other; those of a table are made when it can be its turn, so
    that the cost is that of the tables which are asked. `accept` says whether a candidate is really new; one that is
    not is dropped.
    """

    def __init__(self, tables: Iterable[Sequence[Candidate]], accept: Callable[[Candidate], bool]) -> None:
        self._tables = enumerate(tables)
        self._accept = accept
        self._used: Counter[Category] = Counter()
        self._waiting: list[_Root] = []

    def choose(self) -> Candidate | None:
        """The next candidate, or None when all are used up."""
        while (root := self._due()) is not None:
            found = self._from(root.queues)
            if found is not None:
                self._used[found.category] += 1
                heappush(self._waiting, _Root(root.chosen + 1, root.number, root.queues))
                return found
        return None

    def _due(self) -> _Root | None:
        while not (self._waiting and self._waiting[0].is_fresh):
            number, candidates = next(self._tables, (-1, ()))
            if number < 0:
                break
            heappush(self._waiting, _Root(0, number, _by_category(candidates)))
        return heappop(self._waiting) if self._waiting else None

    def _from(self, queues: dict[Category, deque[Candidate]]) -> Candidate | None:
        while queues:
            category = min(queues, key=lambda name: (queues[name][0].is_poor, *self._category_order(name)))
            item = queues[category].popleft()
            if not queues[category]:
                del queues[category]
            if self._accept(item):
                return item
        return None

    def _category_order(self, category: Category) -> tuple[float, int]:
        return (self._used[category] + 1) / category.share, _ROTATION[category]


def _by_category(candidates: Sequence[Candidate]) -> dict[Category, deque[Candidate]]:
    """The candidates of one root table by category, poor ones last."""
    queues: dict[Category, deque[Candidate]] = {}
    for item in sorted(candidates, key=lambda item: item.is_poor):
        queues.setdefault(item.category, deque()).append(item)
    return queues
