"""The skeleton's cache: `{graph}_ctxt.md` in the data directory, with the revision that it belongs to."""

from contextlib import closing, nullcontext
from pathlib import Path

from app.store.connect import connect_store
from app.store.servers.config import StoreSettings
from app.store.servers.files import write_private
from app.store.servers.pointer import folder_name, not_published, published_receipt
from app.store.servers.server import Neo4jServer
from app.store.skeleton.skeleton import DEFAULT_MIN_COUNT, DEFAULT_TOP_N, build_skeleton


def load_or_build_context(
    settings: StoreSettings,
    graph: str,
    min_count: int = DEFAULT_MIN_COUNT,
    top_n: int = DEFAULT_TOP_N,
    *,
    refresh: bool = False,
    server: Neo4jServer | None = None,
) -> str:
    """The skeleton of a published graph: the cached text if it is of the published revision, else built and kept.

    Reading the cache needs no Neo4j; without `server` one is connected for the time of building.
    """
    receipt = published_receipt(settings, graph)
    if receipt is None:
        raise not_published(graph)
    path = context_path(settings, graph)
    cached = None if refresh else _cached(path, _heading(receipt.revision, min_count, top_n))
    if cached is not None:
        return cached
    with nullcontext(server) if server else closing(connect_store(settings)) as store, store.slot(graph) as slot:
        text = build_skeleton(slot, min_count, top_n)
        write_private(path, _heading(slot.revision, min_count, top_n) + text)
    return text


def context_path(settings: StoreSettings, graph: str) -> Path:
    """Where a graph's skeleton is kept."""
    return settings.data_dir / f"{folder_name(graph)}_ctxt.md"


def _heading(revision: str, min_count: int, top_n: int) -> str:
    return f"<!-- skeleton of revision {revision}, min_count {min_count}, top_n {top_n} -->\n"


def _cached(path: Path, heading: str) -> str | None:
    try:
        text = path.read_text(encoding="utf-8")
    except FileNotFoundError:
        return None
    return text.removeprefix(heading) if text.startswith(heading) else None
