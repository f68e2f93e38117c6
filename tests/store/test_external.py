"""What is special about an external Neo4j: one database, which may be away, occupied, or half written."""

from dataclasses import replace

import neo4j
import pytest

from app.errors import (
    AuthenticationError,
    NotPublishedError,
    PublishError,
    SlotOccupiedError,
    SlotPublishingError,
    UnreachableError,
)
from app.store.connect import connect_store
from app.store.publish.publish import publish
from app.store.publish.writer import write_graph
from app.store.servers.config import StoreSettings
from app.store.servers.external import ExternalServer
from app.store.servers.server import Counts, Replacement, Run
from app.store.skeleton.cache import load_or_build_context
from tests.store.graphs import people

pytestmark = pytest.mark.usefixtures("emptied")


@pytest.fixture
def batched(external_settings: StoreSettings) -> ExternalServer:
    """The external store, with every graph too large for one transaction."""
    return ExternalServer(external_settings, transaction_elements=0)


def test_an_unreachable_server_is_told(external_settings: StoreSettings) -> None:
    server = connect_store(replace(external_settings, uri="bolt://127.0.0.1:1"))
    with pytest.raises(UnreachableError, match=r"No Neo4j answers at bolt://127\.0\.0\.1:1") as caught:
        publish(server, people(), "g")
    assert caught.value.code == "neo4j_unreachable"


@pytest.mark.parametrize("uri", ["nonsense", "http://localhost:7474", "bolt://"])
def test_an_address_that_is_none_is_told(external_settings: StoreSettings, uri: str) -> None:
    with pytest.raises(UnreachableError), ExternalServer(replace(external_settings, uri=uri)).slot("g"):
        pass


def test_a_wrong_password_is_told_without_being_shown(external_settings: StoreSettings) -> None:
    server = ExternalServer(replace(external_settings, password="not the one"))
    with pytest.raises(AuthenticationError, match="refuses the credentials") as caught:
        publish(server, people(), "g")
    assert "not the one" not in f"{caught.value.to_dict()} {replace(external_settings, password='not the one')}"


def test_data_of_others_is_not_replaced_unasked(external: ExternalServer, external_settings: StoreSettings) -> None:
    settings = external_settings
    auth = (settings.username, settings.password)
    with neo4j.GraphDatabase.driver(str(settings.uri), auth=auth) as driver:
        driver.execute_query("CREATE (:Theirs)", database_=settings.database)
    with pytest.raises(SlotOccupiedError, match="holds"):
        publish(external, people(), "new name")
    with pytest.raises(NotPublishedError), external.slot("new name"):
        pass
    assert publish(external, people(), "new name", evict=True).nodes == 3


def test_another_graph_of_ours_is_not_replaced_unasked(external: ExternalServer) -> None:
    publish(external, people(), "one")
    with pytest.raises(SlotOccupiedError, match="holds the graph one"):
        publish(external, people(4), "two")
    with external.slot("one") as slot:
        assert slot.rows("MATCH (n) RETURN count(n)") == [[3]]
    publish(external, people(4), "two", evict=True)
    with pytest.raises(NotPublishedError), external.slot("one"):
        pass


def test_a_large_graph_is_written_in_batches_and_leaves_no_mark(batched: ExternalServer) -> None:
    for count in (5, 6):
        receipt = publish(batched, people(count), "large")
        assert (receipt.nodes, receipt.edges) == (count, count)
    with batched.slot("large") as slot:
        assert slot.rows("MATCH (n) RETURN labels(n), count(n)") == [[["Person"], 6]]


def test_half_a_graph_cannot_be_read_and_is_completed_by_publishing_again(
    batched: ExternalServer, external_settings: StoreSettings
) -> None:
    publish(batched, people(3), "large")

    def write_half(run: Run) -> Counts:
        write_graph(people(10), run)
        raise PublishError("broken off")

    with pytest.raises(PublishError, match="broken off"):
        batched.replace(Replacement("large", "sha", 20, write_half))
    with pytest.raises(SlotPublishingError, match="holds a part of large only"), batched.slot("large"):
        pass
    with pytest.raises(SlotPublishingError):
        load_or_build_context(external_settings, "large", refresh=True)
    with pytest.raises(SlotOccupiedError, match="holds the graph large"):
        publish(batched, people(3), "other")
    assert publish(ExternalServer(external_settings), people(7), "large").nodes == 7
    with batched.slot("large") as slot:
        assert slot.rows("MATCH (n) RETURN count(n)") == [[7]]


def test_the_skeleton_of_an_external_graph(external: ExternalServer, external_settings: StoreSettings) -> None:
    publish(external, people(), "shown")
    assert "Person (n=3)\n  -[KNOWS]-> Person (3 edges)" in load_or_build_context(external_settings, "shown")
