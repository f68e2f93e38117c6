"""All transformations, in their fixed order."""

from typing import Any

from app.errors import TransformError
from app.transform.strategies.add_primary_key import AddPrimaryKey
from app.transform.strategies.connect_columns import ConnectColumns
from app.transform.strategies.generate_entity_table import GenerateEntityTable
from app.transform.strategies.materialize_join import MaterializeJoin
from app.transform.strategies.optimize_graph import OptimizeGraph
from app.transform.strategies.remove_primary_key import RemovePrimaryKey
from app.transform.strategies.transform_batch import TransformBatch
from app.transform.strategies.unfold_multi_category import UnfoldMultiCategory
from app.transform.strategy import Strategy

_SINGLE: tuple[Strategy[Any], ...] = (
    ConnectColumns(),
    MaterializeJoin(),
    GenerateEntityTable(),
    UnfoldMultiCategory(),
    AddPrimaryKey(),
    RemovePrimaryKey(),
    OptimizeGraph(),
)

STRATEGIES: tuple[Strategy[Any], ...] = (*_SINGLE, TransformBatch({strategy.name: strategy for strategy in _SINGLE}))


def strategy_named(name: str) -> Strategy[Any]:
    """The transformation of that name; `TransformError` if there is none."""
    for strategy in STRATEGIES:
        if strategy.name == name:
            return strategy
    raise TransformError(
        f"There is no transformation {name!r}.", hint="Known: " + ", ".join(s.name for s in STRATEGIES) + ".", tool=name
    )
