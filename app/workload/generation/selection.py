"""Which candidates make up the workload: root tables in turn, and in each the category that is due."""

from collections import Counter, defaultdict, deque
from collections.abc import Callable, Iterable

from app.workload.generation.categories import Category
from app.workload.generation.documents import Candidate

_ROTATION = {category: place for place, category in enumerate(Category)}


class Selection:
    """Candidates waiting by root table and category, and what was chosen so far.

    `accept` says whether a candidate is really new; one that is not is dropped.
    """

    def __init__(self, candidates: Iterable[Candidate], accept: Callable[[Candidate], bool]) -> None:
        self._accept = accept
        self._used: Counter[Category] = Counter()
        self._chosen: Counter[str] = Counter()
        self._waiting: dict[str, dict[Category, deque[Candidate]]] = {}
        for item in sorted(candidates, key=lambda item: item.is_poor):
            by_category = self._waiting.setdefault(item.root, defaultdict(deque))
            by_category[item.category].append(item)

    def choose(self) -> Candidate | None:
        """The next candidate, or None when all are used up."""
        while self._waiting:
            root = min(self._waiting, key=self._root_order)
            found = self._from(root)
            if found is not None:
                self._chosen[root] += 1
                self._used[found.category] += 1
                return found
            del self._waiting[root]
        return None

    def _root_order(self, root: str) -> tuple[bool, int]:
        """A table that has poor candidates only waits until no table has better ones."""
        return all(queue[0].is_poor for queue in self._waiting[root].values()), self._chosen[root]

    def _from(self, root: str) -> Candidate | None:
        queues = self._waiting[root]
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
