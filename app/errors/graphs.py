"""Graphs, candidates, and the directory that a graph is written to."""

from app.errors.base import GraphwrightError


class GraphInvalidError(GraphwrightError):
    """A graph or a construction_graph.v1 document that contradicts itself."""

    code = "graph_invalid"
    http_status = 422


class DocumentMismatchError(GraphwrightError):
    """A graph document that does not read back as the graph it was written from."""

    code = "document_mismatch"


class TransformError(GraphwrightError):
    """A transformation whose arguments do not fit the graph."""

    code = "transform_invalid"
    http_status = 422


class QueryAccuracyError(GraphwrightError):
    """The final graph does not answer every frozen plan as the source does."""

    code = "query_accuracy_target_not_met"


class SourceFidelityError(GraphwrightError):
    """The graph does not hold every source row, value and declared reference."""

    code = "source_fidelity_failed"


class OutputError(GraphwrightError):
    """The output directory cannot be written."""

    code = "output_not_written"


class OutputBusyError(OutputError):
    """Another build is writing to the output directory."""

    code = "output_busy"
    http_status = 409
