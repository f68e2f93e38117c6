"""The pointer files: which revision of a graph is the published one, with its receipt."""

import hashlib
import json
from collections.abc import Iterator
from dataclasses import asdict
from pathlib import Path
from urllib.parse import quote

from app.errors import GraphNameError, NotPublishedError
from app.store.servers.config import StoreSettings
from app.store.servers.files import write_private
from app.store.servers.server import Receipt

_MAX_NAME_BYTES = 120
_POINTER = "current.json"


def folder_name(graph: str) -> str:
    """A graph's name as the name of a file or folder; `GraphNameError` if no graph can have it.

    >>> folder_name("chinook"), folder_name("../a b")
    ('chinook', '%2E%2E%2Fa%20b')
    """
    escaped = quote(graph, safe="").replace(".", "%2E")
    if not graph or not graph.isprintable() or len(escaped) > _MAX_NAME_BYTES:
        raise GraphNameError(
            "A graph's name is printable text on one line, at most 120 bytes long.",
            hint="For example: chinook.",
            name=graph,
        )
    return escaped


def pointer_folder(settings: StoreSettings, graph: str) -> Path:
    """Where the pointer of a graph is: with its stores, or, for an external database, under that one's address."""
    folder = folder_name(graph)
    if settings.uri is None:
        return settings.embedded_dir / "graphs" / folder
    return external_folder(settings)


def external_folder(settings: StoreSettings) -> Path:
    """Where the pointer of an external database is."""
    key = json.dumps([settings.uri, settings.database or ""]).encode("utf-8")
    return settings.embedded_dir / "external" / hashlib.sha256(key).hexdigest()[:32]


def published_receipt(settings: StoreSettings, graph: str) -> Receipt | None:
    """The receipt of a published graph, None if it is not published; needs no server."""
    receipt = read_pointer(pointer_folder(settings, graph))
    return receipt if receipt is not None and receipt.name == graph else None


def not_published(graph: str) -> NotPublishedError:
    """The error for a graph that nobody published."""
    return NotPublishedError(
        f"No graph named {graph} is published.", hint="Publish it: graphwright publish DIR --name NAME.", graph=graph
    )


def read_pointer(folder: Path) -> Receipt | None:
    """The receipt that the folder's pointer holds, None without one."""
    try:
        return Receipt(**json.loads((folder / _POINTER).read_text(encoding="utf-8")))
    except FileNotFoundError:
        return None


def move_pointer(folder: Path, receipt: Receipt) -> None:
    """Let the folder's pointer hold this receipt, in one step."""
    write_private(folder / _POINTER, json.dumps(asdict(receipt), indent=1, ensure_ascii=False))


def pointers_below(folder: Path) -> Iterator[Receipt]:
    """The receipts of all folders below, in name order."""
    for path in sorted(folder.glob(f"*/{_POINTER}")):
        receipt = read_pointer(path.parent)
        if receipt is not None:
            yield receipt
