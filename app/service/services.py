"""The use cases that the command line is handed."""

from collections.abc import Callable
from functools import cached_property
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from app.service.builds.build import BuildService
    from app.service.graphs import GraphService
    from app.service.neo4j_server import Neo4jService


class Services:
    """What the command line can do; each use case is made when it is first asked for, and costs nothing before."""

    def __init__(
        self,
        builds: "Callable[[], BuildService]",
        graphs: "Callable[[], GraphService]",
        neo4j: "Callable[[], Neo4jService]",
    ) -> None:
        self._make_builds, self._make_graphs, self._make_neo4j = builds, graphs, neo4j

    @cached_property
    def builds(self) -> "BuildService":
        """Builds of graphs from sources."""
        return self._make_builds()

    @cached_property
    def graphs(self) -> "GraphService":
        """Published graphs."""
        return self._make_graphs()

    @cached_property
    def neo4j(self) -> "Neo4jService":
        """The Neo4j server itself."""
        return self._make_neo4j()
