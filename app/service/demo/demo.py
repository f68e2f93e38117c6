"""The main job on the sample that ships: build, publish, map."""

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from app.build.progress import Progress, ProgressCallback
from app.service.demo.sample import write_sample
from app.service.services import Services

if TYPE_CHECKING:
    from app.build.result import BuildResult
    from app.service.neo4j_server import ServerStatus

DEMO_NAME = "bookshop"
SAMPLE_FILE = "bookshop.sqlite"


@dataclass(frozen=True, slots=True)
class Demo:
    """What the demo made: the sample, its graph, where it was published, its map, and the server that runs on."""

    source: Path
    build: "BuildResult"
    published: Mapping[str, Any]
    skeleton: str
    server: "ServerStatus"


def run_demo(services: Services, output: Path, progress: ProgressCallback) -> Demo:
    """Write the sample into `output`, build its graph there, publish it as `bookshop`, and read its map.

    Neo4j goes on running, so that the graph can be looked at.
    """
    progress(Progress("sample", "Writing the sample bookshop"))
    output.mkdir(parents=True, exist_ok=True)
    source = output / SAMPLE_FILE
    write_sample(source)
    build = services.builds.build([source], output, {}, progress)
    with services.graphs.connected(progress):
        published = services.graphs.publish_graph(build.graph, DEMO_NAME, progress=progress)
        skeleton = services.graphs.skeleton(DEMO_NAME, progress=progress)
        server = services.neo4j.keep_running(progress)
    return Demo(source, build, published, skeleton, server)
