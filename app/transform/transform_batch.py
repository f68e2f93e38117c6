"""transform_batch: several transformations that are accepted or rejected as one."""

from collections.abc import Mapping
from typing import Any

from pydantic import Field

from app.errors import TransformError
from app.graph.property_graph import PropertyGraph
from app.transform.materialize_join import MaterializeJoin
from app.transform.strategy import Arguments, Strategy


class BatchStep(Arguments):
    """One transformation with its own arguments."""

    tool: str
    arguments: dict[str, Any]


class TransformBatchArguments(Arguments):
    """1 to 6 steps, none of them a batch, materializations last."""

    steps: tuple[BatchStep, ...] = Field(min_length=1, max_length=6)


class TransformBatch(Strategy[TransformBatchArguments]):
    """Applies its steps in order; only the whole counts, and a step that fails discards it.

    Structure changes come before materialize_join, since they would make its paths stale.
    """

    name = "transform_batch"
    arguments = TransformBatchArguments

    def __init__(self, steps: Mapping[str, Strategy[Any]]) -> None:
        self._steps = steps

    def added_size(self, graph: PropertyGraph, arguments: TransformBatchArguments) -> int:
        """The sum over the steps, each counted on the graph as it is now."""
        return sum(
            strategy.added_size(graph, own) for strategy, own in (self._step(step) for step in self._checked(arguments))
        )

    def apply(self, graph: PropertyGraph, arguments: TransformBatchArguments) -> PropertyGraph:
        """The graph after all steps."""
        for strategy, own in [self._step(step) for step in self._checked(arguments)]:
            graph = strategy.apply(graph, own)
        return graph

    def _step(self, step: BatchStep) -> tuple[Strategy[Any], Any]:
        strategy = self._steps.get(step.tool)
        if strategy is None:
            raise TransformError(
                f"transform_batch: {step.tool!r} cannot be a step.",
                hint="Steps are " + ", ".join(self._steps) + "; batches do not nest.",
                tool=step.tool,
            )
        return strategy, strategy.parse(step.arguments)

    def _checked(self, arguments: TransformBatchArguments) -> tuple[BatchStep, ...]:
        materializes = [step.tool == MaterializeJoin.name for step in arguments.steps]
        if materializes != sorted(materializes):
            raise TransformError(
                "transform_batch: a step after materialize_join would make its paths stale.",
                hint="Put every materialize_join at the end.",
            )
        return arguments.steps
