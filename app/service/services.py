"""The use cases that doors are handed."""

from dataclasses import dataclass

from app.service.build import BuildService
from app.service.graphs import GraphService
from app.service.neo4j_server import Neo4jService


@dataclass(frozen=True, slots=True)
class Services:
    """What the command line can do."""

    builds: BuildService
    graphs: GraphService
    neo4j: Neo4jService
