"""The main job: a relational source becomes a graph that is proven against SQL and improved under a frozen workload."""

from pathlib import Path

from app.budget import deadline
from app.build.limits import loop_limits, measurement_options, query_limits
from app.build.options import DEFAULT_QUERY_COUNT, BuildOptions
from app.build.output import OutputDirectory, open_output
from app.build.progress import Progress, ProgressCallback, no_progress
from app.build.report import Report, config_document, history_fields, performance_document, size_document
from app.build.result import BuildResult
from app.build.warnings import all_warnings, warnings_document
from app.errors import (
    GraphwrightError,
    NotAvailableError,
    QueryAccuracyError,
    QueryTimeError,
    SourceFidelityError,
)
from app.evolution.acceptance import PairedComparison, compare
from app.evolution.evaluation import Evaluation
from app.evolution.evaluator import WorkloadEvaluator
from app.evolution.loop import Evaluator, Evolution
from app.graph.checks.integrity import SourceIntegrity
from app.graph.document.order import IdentifiedGraph
from app.graph.document.read_back import check_document
from app.graph.document.writer import write_document
from app.graph.g0 import References, build_initial_graph, match_references
from app.graph.model.property_graph import PropertyGraph
from app.oracle.sqlite_oracle import SqliteOracle
from app.sources.relational_source import RelationalSource, SourceWarning
from app.workload.binding.cell_types import cell_types
from app.workload.coverage import workload_coverage
from app.workload.freezing import FrozenWorkload, freeze
from app.workload.generation.generator import GeneratorInput, generate_plans


def build_graph(
    source: RelationalSource, options: BuildOptions, output: Path, progress: ProgressCallback = no_progress
) -> BuildResult:
    """Build, prove and improve the graph of `source`, and write `graph.json` and `evolution-report.json` to `output`.

    On any failure the directory keeps what it had, beside it the failed report; every failure is a
    `GraphwrightError`.
    """
    if options.mode == "llm":
        raise NotAvailableError("mode=llm is not available yet.", hint="Use mode=rules, which needs no model.")
    with deadline(options.max_seconds, "the construction", "max_seconds"), open_output(output) as directory:
        report = Report(directory, progress)
        report.set(config=config_document(options), llm_used=False, model=None, source_sha256=source.source_sha256)
        try:
            return _MainJob(source, options, directory, report, progress).run()
        except GraphwrightError as error:
            report.fail(error)
            raise


class _MainJob:
    """One run of the phases; each fills its part of the report."""

    def __init__(
        self,
        source: RelationalSource,
        options: BuildOptions,
        output: OutputDirectory,
        report: Report,
        progress: ProgressCallback,
    ) -> None:
        self._source = source
        self._options = options
        self._output = output
        self._report = report
        self._progress = progress
        self._notes: tuple[str, ...] = ()

    def run(self) -> BuildResult:
        with self._report.phase("initial_graph", "Building the initial graph"):
            graph, integrity, warnings = self._initial_graph()
        with self._report.phase("workload", "Freezing the workload"):
            workload = self._freeze(integrity)
        with self._report.phase("oracle", "Answering the workload with SQL"):
            evaluator = self._evaluator(workload)
        with self._report.phase("baseline", "Measuring the initial graph"):
            baseline = evaluator.evaluate(graph)
            self._report.set(baseline=baseline.to_dict())
        with self._report.phase("evolution", "Trying better graphs"):
            evolution = self._evolve(graph, baseline, workload, integrity, evaluator)
        with self._report.phase("final_validation", "Checking the final graph"):
            final = self._validated(evolution, workload, integrity, evaluator)
            compared = compare_with_initial(graph, evolution, evaluator, self._options) if baseline.all_passed else None
            performance = performance_document(baseline, final, compared)
        with self._report.phase("output", "Writing the graph"):
            document = IdentifiedGraph.of(evolution.graph)
            sha256 = self._write(document)
        with self._report.phase("read_back", "Reading the graph back"):
            check_document(document, self._output.new_graph)
        self._report.set(state="ready", performance=performance)
        self._report.write()
        self._output.commit()
        return BuildResult(
            graph=evolution.graph,
            output=self._output.path,
            warnings=warnings,
            initial_nodes=graph.node_count,
            initial_edges=graph.edge_count,
            initial_queries_passed=baseline.passed,
            queries_total=len(final.results),
            queries_passed=final.passed,
            candidates_evaluated=evolution.evaluated,
            accepted_candidates=evolution.accepted,
            baseline_cost=performance["baseline_cost"],
            final_cost=performance["final_cost"],
            workload_sha256=workload.workload_sha256,
            source_sha256=self._source.source_sha256,
            final_graph_sha256=sha256,
            notes=(*self._source.notes, *self._notes),
        )

    def _initial_graph(self) -> tuple[PropertyGraph, SourceIntegrity, tuple[SourceWarning, ...]]:
        source = self._source
        references = match_references(source.schema, source.tables)
        graph = build_initial_graph(source.schema, source.tables, references)
        integrity = SourceIntegrity(source.schema, source.tables, references)
        warnings = all_warnings(source, references)
        self._report.set(
            source_schema=[table.to_dict() for table in source.schema],
            domain_profile=_domain_profile(self._options),
            warnings=warnings_document(warnings),
            notes=list(source.notes),
            initial_size=size_document(graph),
        )
        return graph, integrity, warnings

    def _freeze(self, integrity: SourceIntegrity) -> FrozenWorkload:
        workload = freeze_workload(self._source, integrity.references, self._options)
        wanted = self._options.query_count or DEFAULT_QUERY_COUNT
        if len(workload) < wanted:
            self._notes = (f"Only {len(workload)} different queries can be asked of this source, not {wanted}.",)
        self._report.set(
            notes=[*self._source.notes, *self._notes],
            queries=workload.documents,
            workload_sha256=workload.workload_sha256,
            workload_coverage=workload_coverage(workload.bound, self._source.schema),
        )
        return workload

    def _evaluator(self, workload: FrozenWorkload) -> WorkloadEvaluator:
        with SqliteOracle.over_image(self._source.image) as oracle:
            answers = []
            for number, plan in enumerate(workload.bound, start=1):
                self._progress(Progress("oracle", f"Answering {plan.id} with SQL", number, len(workload)))
                answers.append(oracle.answers(plan).rows)
        return WorkloadEvaluator(workload, answers, query_limits(self._options), measurement_options(self._options))

    def _evolve(
        self,
        graph: PropertyGraph,
        baseline: Evaluation,
        workload: FrozenWorkload,
        integrity: SourceIntegrity,
        evaluator: WorkloadEvaluator,
    ) -> Evolution:
        size = graph.node_count + graph.edge_count
        evolution = Evolution(
            graph,
            baseline,
            workload,
            integrity,
            evaluator,
            loop_limits(self._options),
            size,
            on_attempt=self._tell_attempt,
        )
        if self._options.evolve:
            evolution.run()
        self._report.set(**history_fields(evolution), experience={"status": "no_store"})
        return evolution

    def _tell_attempt(self, evolution: Evolution) -> None:
        attempt = evolution.history[-1]
        message = f"{attempt.proposal.tool}: {attempt.outcome.value}"
        self._progress(Progress("evolution", message, len(evolution.history), self._options.max_iterations))
        self._report.set(**history_fields(evolution))
        self._report.write()

    def _validated(
        self,
        evolution: Evolution,
        workload: FrozenWorkload,
        integrity: SourceIntegrity,
        evaluator: WorkloadEvaluator,
    ) -> Evaluation:
        workload.verify()
        errors = integrity.errors(evolution.graph)
        if errors:
            raise SourceFidelityError(f"The final graph has lost source data: {errors[0]}", errors=len(errors))
        final = evaluator.evaluate(evolution.graph)
        self._report.set(final=final.to_dict(), final_size=size_document(evolution.graph))
        if not final.all_passed:
            raise _inaccurate(final)
        return final

    def _write(self, document: IdentifiedGraph) -> str:
        with self._output.graph_file() as file:
            sha256 = write_document(document, file)
        self._report.set(final_graph_sha256=sha256)
        return sha256


def compare_with_initial(
    initial: PropertyGraph, evolution: Evolution, evaluator: Evaluator, options: BuildOptions
) -> PairedComparison | None:
    """G0 and the final graph side by side.

    None if they are one, or if one of them meets a limit this time: both were proven before, and nothing is claimed.
    """
    if not evolution.accepted:
        return None
    try:
        return compare(
            lambda first: evaluator.measure_pair(initial, evolution.graph, first),
            options.comparison_rounds,
            options.min_speedup,
        )
    except (QueryTimeError, MemoryError):
        return None


def freeze_workload(source: RelationalSource, references: References, options: BuildOptions) -> FrozenWorkload:
    """Freeze the plans that the user supplies, or else generated ones.

    A number of queries that the user asks for must be met; without one, there are as many as can be asked.
    """
    wanted, types = options.query_count or DEFAULT_QUERY_COUNT, cell_types(source.tables)
    if options.queries is not None:
        return freeze(options.queries, source.schema, wanted, types)
    limit = query_limits(options).rows.rows
    generator_input = GeneratorInput(source.schema, source.tables, references.pointers, limit)
    plans = generate_plans(generator_input, wanted, may_be_fewer=options.query_count is None)
    return freeze(plans, source.schema, len(plans), types)


def _domain_profile(options: BuildOptions) -> dict[str, object]:
    """An explicit category is certain; without one the domain is not guessed."""
    if options.domain_category == "auto":
        return {"category": "general", "confidence": 0.0}
    return {"category": options.domain_category, "confidence": 1.0}


def _inaccurate(final: Evaluation) -> QueryAccuracyError:
    failed = [result for result in final.results if not result.passed]
    first = failed[0]
    why = first.difference or (first.error or {}).get("message") or "no answer"
    return QueryAccuracyError(
        f"{len(failed)} of {len(final.results)} plans are not answered as the source does; {first.plan_id}: {why}",
        hint="See final.results in the failed report.",
        query=first.plan_id,
    )
