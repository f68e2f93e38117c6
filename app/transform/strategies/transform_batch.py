"""transform_batch: several transformations that are accepted or rejected as one."""

from collections.abc import Mapping, Sequence
from typing import Any

from pydantic import Field

from app.graph.model.property_graph import PropertyGraph
from app.transform.strategies.materialize_join import MaterializeJoin
from app.transform.strategy import Arguments, Strategy, refused


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

    >>> from app.transform.example import example_graph, outline
    >>> from app.transform.registry import strategy_named
    >>> batch = strategy_named("transform_batch")
    >>> entities = {"table": "student", "column": "city", "node_type": "City"}
    >>> arguments = batch.parse({"steps": [
    ...     {"tool": "add_primary_key", "arguments": {"table": "student", "columns": ["name"]}},
    ...     {"tool": "generate_entity_table", "arguments": entities},
    ... ]})
    >>> lines = outline(batch.apply(example_graph(), arguments)).splitlines()
    >>> print(lines[0], lines[-1], sep="\\n")
    student: 3 nodes with id, name, city, tags, key name
    (student)-[HAS_CITY]->(City): 3
    """

    name = "transform_batch"
    arguments = TransformBatchArguments

    def __init__(self, steps: Mapping[str, Strategy[Any]]) -> None:
        self._steps = steps

    def steps(self, arguments: TransformBatchArguments) -> Sequence[tuple[Strategy[Any], Any]]:
        """The steps; an unknown one or a wrong order is refused before anything is done."""
        return [self._step(step) for step in self._checked(arguments)]

    def apply(self, graph: PropertyGraph, arguments: TransformBatchArguments) -> PropertyGraph:
        """The graph after all steps."""
        for strategy, own in self.steps(arguments):
            graph = strategy.apply(graph, own)
        return graph

    def signature(self, graph: PropertyGraph, arguments: TransformBatchArguments) -> str | None:
        """None: a batch is not a kind of its own."""
        del graph, arguments
        return None

    def _step(self, step: BatchStep) -> tuple[Strategy[Any], Any]:
        strategy = self._steps.get(step.tool)
        if strategy is None:
            hint = "Steps are " + ", ".join(self._steps) + "; batches do not nest."
            raise refused(self.name, "step_unknown", f"{step.tool!r} cannot be a step.", hint=hint)
        return strategy, strategy.parse(step.arguments)

    def _checked(self, arguments: TransformBatchArguments) -> tuple[BatchStep, ...]:
        materializes = [step.tool == MaterializeJoin.name for step in arguments.steps]
        if materializes != sorted(materializes):
            message = "a step after materialize_join would make its paths stale."
            raise refused(self.name, "step_order", message, hint="Put every materialize_join at the end.")
        return arguments.steps
