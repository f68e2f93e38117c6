"""In which order operators leave joined rows, so that nothing is sorted that is in order already."""

from collections.abc import Sequence

from app.executor.operators.frame import Alias
from app.executor.operators.join.left_join import LeftExpansion
from app.executor.operators.join.reverse_expansion import ReverseExpansion
from app.executor.operators.order.ordered_prefix import OrderedPrefix
from app.executor.operators.order.sort_keys import ColumnKey
from app.executor.operators.protocol import Operator
from app.executor.operators.scan.attribute_lookup import AttributeLookup
from app.executor.operators.scan.key_lookup import KeyLookup
from app.executor.operators.scan.scan import Scan

RowOrder = list[tuple[Alias, bool]]
"""Joined rows are ordered by the row offsets of these aliases, the first one first; True where they descend."""


def row_order(operators: Sequence[Operator]) -> RowOrder:
    """The order in which operators leave rows; empty where nothing is known.

    An expansion puts the children of a row in its place, in their own order; all else keeps rows where they are.
    """
    first, *others = operators
    order = _first_order(first)
    if isinstance(first, OrderedPrefix):
        others = [*first.operators, *others]
    if order:
        order += [(one.child, False) for one in others if isinstance(one, ReverseExpansion | LeftExpansion)]
    return order


def _first_order(operator: Operator) -> RowOrder:
    if isinstance(operator, OrderedPrefix):
        return [(operator.alias, operator.descending)]
    if type(operator) is Scan or (isinstance(operator, KeyLookup) and len(operator.keys) == 1):
        return [(operator.alias, False)]
    if isinstance(operator, AttributeLookup) and operator.one_entity:
        return [(operator.alias, False)]
    return []


def is_in_order(operators: Sequence[Operator], keys: Sequence[ColumnKey]) -> bool:
    """Whether operators leave rows in the order of these keys: columns that ascend with the rows of their tables."""
    order = row_order(operators)
    return len(keys) <= len(order) and all(
        key.access.alias == alias and not key.access.hops and key.descending == descending and key.view.ascends
        for key, (alias, descending) in zip(keys, order, strict=False)
    )
