"""The pointer files: which revision of a graph is the published one, with its receipt."""

import json
from collections.abc import Iterator
from dataclasses import asdict
from pathlib import Path
from urllib.parse import quote

from app.errors import GraphNameError
from app.store.files import write_private
from app.store.server import Receipt

_MAX_NAME_BYTES = 120
_POINTER = "current.json"


def folder_name(graph: str) -> str:
    """A graph's name as the name of a file or folder; `GraphNameError` where no graph can have it.

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
