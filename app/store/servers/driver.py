"""The official driver, opened the one way we use it, and its failures as ours."""

import logging
from collections.abc import Iterator
from contextlib import contextmanager

import neo4j
from neo4j.exceptions import (
    AuthError,
    ClientError,
    ConfigurationError,
    DriverError,
    Neo4jError,
    ServiceUnavailable,
    SessionExpired,
)

from app.errors import (
    AuthenticationError,
    CypherInvalidError,
    CypherRefusedError,
    CypherTimeoutError,
    StoreError,
    UnreachableError,
)

# Notifications go to whoever asked, as part of the answer; without a handler the driver's log would print them.
logging.getLogger("neo4j").addHandler(logging.NullHandler())

_CONNECT_SECONDS = 10.0
_RETRY_SECONDS = 30.0
_SCHEMES = ("bolt", "bolt+s", "bolt+ssc", "neo4j", "neo4j+s", "neo4j+ssc")
_TIMEOUT_CODES = ("TransactionTimedOut", "TransactionTimedOutClientConfiguration", "LockClientStopped")
_QUERY_CODES = ("Neo.ClientError.Statement.", "Neo.ClientError.Schema.", "Neo.ClientError.Procedure.")


@contextmanager
def open_driver(uri: str, username: str, password: str) -> Iterator[neo4j.Driver]:
    """A driver whose server answered; failures of the enclosed work become our errors."""
    if uri.partition("://")[0] not in _SCHEMES:
        raise _bad_address(uri)
    with driver_errors(uri):
        driver = neo4j.GraphDatabase.driver(
            uri,
            auth=(username, password) if username else None,
            connection_timeout=_CONNECT_SECONDS,
            max_transaction_retry_time=_RETRY_SECONDS,
            telemetry_disabled=True,
            user_agent="graphwright",
        )
        with driver:
            driver.verify_connectivity()
            yield driver


@contextmanager
def driver_errors(uri: str) -> Iterator[None]:
    """Turn the driver's exceptions into ours; `uri` names the server in messages."""
    try:
        yield
    except (Neo4jError, DriverError) as error:
        raise as_store_error(error, uri) from error
    except ValueError as error:
        if "URI" not in str(error):
            raise
        raise _bad_address(uri) from error


def as_store_error(error: Neo4jError | DriverError, uri: str) -> StoreError:
    """The error of ours that says the same."""
    if isinstance(error, AuthError):
        return AuthenticationError(
            f"Neo4j at {uri} refuses the credentials.", hint="Check NEO4J_USERNAME and NEO4J_PASSWORD.", uri=uri
        )
    if isinstance(error, ConfigurationError):
        return _bad_address(uri)
    if isinstance(error, (ServiceUnavailable, SessionExpired)):
        return UnreachableError(
            f"No Neo4j answers at {uri}.",
            hint="Check that it runs and that NEO4J_URI is right, or unset NEO4J_URI to use the embedded one.",
            uri=uri,
        )
    return _statement_error(error, uri)


def _statement_error(error: Neo4jError | DriverError, uri: str) -> StoreError:
    code = getattr(error, "code", None) or ""
    message = getattr(error, "message", None) or str(error)
    if code.endswith(_TIMEOUT_CODES):
        return CypherTimeoutError("The statement ran into its time limit.", hint="Ask for less, or raise the limit.")
    if code.endswith("UnsupportedAdministrationCommand"):
        return CypherRefusedError(f"The statement was not run: {message}.", reason="administration")
    if isinstance(error, ClientError) and code.startswith(_QUERY_CODES):
        return CypherInvalidError(message, neo4j_code=code)
    return StoreError(f"Neo4j at {uri} failed: {message}", uri=uri, neo4j_code=code or None)


def _bad_address(uri: str) -> UnreachableError:
    return UnreachableError(
        f"{uri} is not the address of a Neo4j.", hint="Use for example bolt://localhost:7687.", uri=uri
    )
