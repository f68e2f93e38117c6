"""What a transformation is: arguments checked by a model, and a pure function from graph to graph."""

from abc import ABC, abstractmethod
from collections.abc import Sequence
from typing import Any, ClassVar, Generic, TypeVar

from pydantic import BaseModel, ConfigDict, ValidationError

from app.errors import TransformError
from app.graph.model.property_graph import PropertyGraph
from app.tables.schema import RelationalSchema


class Arguments(BaseModel):
    """Base of all argument models; their JSON schema is what a model is shown."""

    model_config = ConfigDict(extra="forbid", frozen=True)


A = TypeVar("A", bound=Arguments)


class Strategy(ABC, Generic[A]):
    """One kind of transformation. `apply` never changes its graph; unchanged tables are shared."""

    name: ClassVar[str]
    keeps_paths: ClassVar[bool] = False
    """Whether materialized paths outlast the step; one that may make them stale drops them."""
    arguments: type[A]

    def parse(self, document: Any) -> A:
        """The arguments of a JSON document; `TransformError` names the first field that is wrong."""
        try:
            return self.arguments.model_validate(document)
        except ValidationError as error:
            first = error.errors(include_url=False)[0]
            field = ".".join(map(str, first["loc"])) or "arguments"
            raise refused(self.name, "arguments_invalid", f"{field}: {first['msg']}.", field=field) from error

    def steps(self, arguments: A) -> "Sequence[tuple[Strategy[Any], Any]]":
        """The single transformations, each with its arguments, that `apply` carries out one after the other."""
        return [(self, arguments)]

    def added_size(self, graph: PropertyGraph, arguments: A) -> int:
        """Nodes and edges that a step adds for certain, counted without building them; 0 if they are there already.

        Steps that add a few for each row at most need not tell: what was built is counted in any case.
        """
        del graph, arguments
        return 0

    @abstractmethod
    def apply(self, graph: PropertyGraph, arguments: A) -> PropertyGraph:
        """The transformed graph, or the same object if nothing changes; `TransformError` if it cannot be."""

    @abstractmethod
    def signature(self, graph: PropertyGraph, arguments: A) -> str | None:
        """The kind and structure of a transformation without any name or value of the source, for experience.

        None if its effect could not be put down to one kind of transformation.
        """


def schema_of(graph: PropertyGraph) -> RelationalSchema:
    """The relational schema that the graph carries."""
    return RelationalSchema.of(graph.row_tables)


def refused(tool: str, reason: str, message: str, *, hint: str = "", **where: object) -> TransformError:
    """The error of a transformation that cannot be; `reason` is stable."""
    return TransformError(f"{tool}: {message}", hint=hint, tool=tool, reason=reason, **where)
