"""A plan's joins as a tree of aliases, simplified before anything is chosen."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from itertools import pairwise

from app.executor.indexes.index_cache import IndexCache
from app.executor.indexes.path_index import PathIndex
from app.executor.plan.plan_facts import PATH_HOPS
from app.graph.derivation.paths import PathStep
from app.graph.model.adjacency import Pointers
from app.workload.bound import BoundFilter, BoundJoin, BoundPlan
from app.workload.plan import Comparison


@dataclass(slots=True)
class Link:
    """A join: `pointers` run from rows of `child` to rows of `parent`. A left join keeps all rows of `kept`.

    `columns` are the child's that hold the reference; none for a materialized path.
    """

    child: int
    parent: int
    pointers: Pointers
    kept: int | None
    text: str
    columns: Sequence[str] = ()

    @property
    def left(self) -> bool:
        """Whether it is a left join."""
        return self.kept is not None

    def other(self, end: int) -> int:
        """The other end."""
        return self.parent if end == self.child else self.child


@dataclass(slots=True)
class Node:
    """An alias of the plan, or a materialized path that stands between aliases (`table` None).

    `absent` are left joins of which only rows that find nothing are wanted.
    """

    offset: int
    alias: str
    table: str | None
    rows: int
    filters: list[BoundFilter] = field(default_factory=list)
    absent: list[Link] = field(default_factory=list)


@dataclass(slots=True)
class JoinTree:
    """Nodes by offset and the links between them; node 0 is the root."""

    nodes: list[Node]
    links: list[Link]
    paths: list[PathIndex]

    def links_of(self, node: int, without: Link | None = None) -> Iterator[Link]:
        """The links at a node, but one."""
        return (link for link in self.links if node in (link.child, link.parent) and link is not without)

    def beyond(self, node: int, link: Link) -> set[int]:
        """The node and all nodes that are reached from it without `link`."""
        found = {node}
        for onward in self.links_of(node, link):
            found |= self.beyond(onward.other(node), onward)
        return found

    def core(self) -> list[int]:
        """The nodes that inner joins alone connect with the root; any of them may come first."""
        found = [0]
        for node in found:
            found.extend(
                link.other(node) for link in self.links_of(node) if not link.left and link.other(node) not in found
            )
        return found


def join_tree(plan: BoundPlan, cache: IndexCache) -> JoinTree:
    """The tree of a plan: left joins that a filter or an inner join undoes are inner, complete paths are used."""
    nodes = [
        Node(offset, alias, table.name, cache.row_count(table.name))
        for offset, (alias, table) in enumerate(plan.tables.items())
    ]
    offsets = {node.alias: node.offset for node in nodes}
    for part in plan.filters:
        nodes[offsets[part.column.alias]].filters.append(part)
    left = _remaining_left_joins(plan)
    links = [_link(join, offsets, cache, left=join.alias in left) for join in plan.joins]
    tree = JoinTree(nodes, links, [])
    _drop_absent(plan, tree)
    for chain in _chains(plan, left):
        if _use_path(tree, chain, offsets, cache):
            break
    return tree


def _remaining_left_joins(plan: BoundPlan) -> set[str]:
    """Aliases of left joins that may really add rows of NULLs.

    A filter other than is_null, or an inner join further on, drops such rows again.
    """
    needed = {part.column.alias for part in plan.filters if part.op is not Comparison.IS_NULL}
    needed |= {join.source for join in plan.joins if not join.left}
    for join in reversed(plan.joins):
        if join.alias in needed:
            needed.add(join.source)
    return {join.alias for join in plan.joins if join.left and join.alias not in needed}


def _drop_absent(plan: BoundPlan, tree: JoinTree) -> None:
    """Left joins whose filter keeps only rows that find nothing become conditions on the kept side.

    That is so for is_null on a column of the join's own key, which is never NULL if the join finds a row; the other
    side must not be read further on.
    """
    read = {column.alias for column in plan.group_by}
    read |= {output.column.alias for output in plan.outputs if output.column is not None}
    for join, link in zip(plan.joins, list(tree.links), strict=True):
        if link.kept is None or link.kept not in tree.core():
            continue
        end = tree.nodes[link.other(link.kept)]
        key = join.foreign_key.ref_columns if join.forward else join.foreign_key.columns
        if end.alias in read or len(list(tree.links_of(end.offset))) > 1:
            continue
        if end.filters and all(part.op is Comparison.IS_NULL and part.column.name in key for part in end.filters):
            tree.nodes[link.kept].absent.append(link)
            tree.links.remove(link)


def _link(join: BoundJoin, offsets: dict[str, int], cache: IndexCache, *, left: bool) -> Link:
    source, target = offsets[join.source], offsets[join.alias]
    child, parent = (source, target) if join.forward else (target, source)
    text = f"{join.source} -> {join.alias} by {join.foreign_key.label}"
    row_edges = cache.row_edge_types(join.foreign_key.table)
    if row_edges:
        text += f" over row edges {', '.join(row_edges)}"
    key = join.foreign_key
    return Link(child, parent, cache.pointers(key), source if left else None, text, key.columns)


def _chains(plan: BoundPlan, left: set[str]) -> Iterator[list[BoundJoin]]:
    """Inner joins that follow one another from the root, 3 or 2 of them, longest first."""
    for length in PATH_HOPS:
        for last in plan.joins:
            chain = _chain_to(plan, last)
            if len(chain) == length and not any(join.alias in left for join in chain):
                yield chain


def _chain_to(plan: BoundPlan, last: BoundJoin) -> list[BoundJoin]:
    before = next((join for join in plan.joins if join.alias == last.source), None)
    return [last] if before is None else [*_chain_to(plan, before), last]


def _use_path(tree: JoinTree, chain: Sequence[BoundJoin], offsets: dict[str, int], cache: IndexCache) -> bool:
    """Put a complete materialized path in place of a chain's links; false if there is none."""
    path = cache.path(tuple(PathStep(join.foreign_key, join.forward) for join in chain))
    if path is None:
        return False
    stops = [offsets[chain[0].source], *(offsets[join.alias] for join in chain)]
    replaced = [{before, after} for before, after in pairwise(stops)]
    node = Node(len(tree.nodes), f"path {path.type}", None, path.edges)
    tree.nodes.append(node)
    tree.links = [link for link in tree.links if {link.child, link.parent} not in replaced]
    for stop, pointers in zip(stops, path.stops, strict=True):
        text = f"{node.alias} -> {tree.nodes[stop].alias}"
        tree.links.append(Link(node.offset, stop, pointers, None, text))
    tree.paths.append(path)
    return True
