"""The use case of explaining plans: how the executor would answer a workload from a graph, without running it."""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from app.budget import deadline
from app.build.limits import query_limits
from app.build.output import GRAPH_FILE
from app.build.phases import freeze_workload
from app.errors import GraphInvalidError
from app.executor.run.executor import GraphExecutor
from app.graph.document.reader import read_document
from app.graph.g0 import build_initial_graph, match_references
from app.graph.model.property_graph import PropertyGraph
from app.service.builds.options import JobOptions
from app.sources.load import load_source
from app.tables.schema import RelationalSchema


@dataclass(frozen=True, slots=True)
class Explanation:
    """The operators of one plan, in the order in which they run."""

    id: str
    question: str
    operators: tuple[str, ...]


def explain(source: Sequence[Path], options: JobOptions, built: Path | None) -> list[Explanation]:
    """The operators of the plans that a build of `source` would freeze, over its first graph or over that in `built`.

    Raises `GraphInvalidError` if the graph in the folder `built` is that of another source.
    """
    with deadline(options.build.max_seconds, "the explanation"):
        loaded = load_source(source, options.source)
        references = match_references(loaded.schema, loaded.tables)
        workload = freeze_workload(loaded, references, options.build)
        if built is None:
            graph = build_initial_graph(loaded.schema, loaded.tables, references)
        else:
            graph = _built_graph(built / GRAPH_FILE, loaded.schema)
        executor = GraphExecutor(graph, query_limits(options.build))
        return [
            Explanation(plan.id, plan.question, executor.compile(bound).physical_plan)
            for plan, bound in zip(workload.plans, workload.bound, strict=True)
        ]


def _built_graph(file: Path, schema: RelationalSchema) -> PropertyGraph:
    graph = read_document(file)
    if graph.row_tables != tuple(schema):
        raise GraphInvalidError(
            f"{file} is the graph of another source.", hint="Name the source that it was built from.", file=str(file)
        )
    return graph
