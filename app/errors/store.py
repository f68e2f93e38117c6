"""Neo4j, and the graphs that are published in it."""

from app.errors.base import GraphwrightError
from app.errors.requests import NotFoundError


class StoreError(GraphwrightError):
    """Neo4j failed in a way that no class below names."""

    code = "neo4j_failed"
    http_status = 502


class DownloadFailedError(StoreError):
    """A jar of the embedded Neo4j cannot be fetched, or is not the one that the lock names."""

    code = "neo4j_download_failed"


class ServerStartError(StoreError):
    """The embedded Neo4j did not start."""

    code = "neo4j_start_failed"


class UnreachableError(StoreError):
    """No Neo4j answers at the address."""

    code = "neo4j_unreachable"
    http_status = 503


class AuthenticationError(StoreError):
    """Neo4j refuses the user name or the password."""

    code = "neo4j_auth_failed"


class StoreInUseError(StoreError):
    """Another process holds the store directory, or publishes the same graph."""

    code = "store_in_use"
    http_status = 409


class GraphNameError(StoreError):
    """A name that no published graph can have."""

    code = "graph_name_invalid"
    http_status = 422


class NotPublishedError(NotFoundError):
    """No graph of that name is published."""

    code = "graph_not_published"


class PublishError(StoreError):
    """A graph was not published; whatever was published before is still there."""

    code = "publish_failed"


class SlotOccupiedError(StoreError):
    """The only database of an external Neo4j holds something else than the graph of that name."""

    code = "slot_occupied"
    http_status = 409


class SlotPublishingError(StoreError):
    """The database holds half a graph; reads are refused until a publish completes it."""

    code = "slot_publishing"
    http_status = 409


class CypherRefusedError(StoreError):
    """A statement that a guarded read does not run; `reason` in `where` is stable."""

    code = "cypher_refused"
    http_status = 403


class CypherInvalidError(StoreError):
    """A statement that Neo4j cannot parse or evaluate."""

    code = "cypher_invalid"
    http_status = 422


class CypherTimeoutError(StoreError):
    """A statement that ran into its time limit."""

    code = "cypher_timeout"
    http_status = 504
