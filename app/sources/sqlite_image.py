"""SQLite images: found by their header, read as they are, with nothing written beside them."""

import os
from collections.abc import Sequence

import apsw

from app.sources.input_file import InputFile
from app.sources.options import ResourceProfile, SourceOptions
from app.sources.relational_source import RelationalSource, SourceKind
from app.sources.sqlite_connection import damaged, is_wal_image, open_image_bytes, open_image_file, sqlite_failures
from app.sources.sqlite_reader import read_database
from app.sources.sqlite_schema import refuse_objects

_HEADER_BYTES = 100
_MOST_LANES = 4
_WAL_NOTE = "The database is in WAL mode; changes that were only in its -wal file are not part of it."


def load_image(file: InputFile, options: SourceOptions) -> RelationalSource:
    """Read an image: from a private copy in memory, or under full_scale from the file itself.

    Raises `SourceDamagedError` for pages that do not hold together, and what `read_database` raises.
    """
    _check_size(file)
    with sqlite_failures(file.name):
        if options.resource_profile is ResourceProfile.BOUNDED:
            return _read([open_image_bytes(file.content())], "integrity_check", file, options)
        connections = [open_image_file(file.path) for _ in range(_lanes())]
        source = _read(connections, "quick_check", file, options)
    file.check_unchanged()
    return source


def _lanes() -> int:
    """How many connections read a file side by side."""
    return min(_MOST_LANES, os.cpu_count() or 1)


def _read(
    connections: Sequence[apsw.Connection], check: str, file: InputFile, options: SourceOptions
) -> RelationalSource:
    try:
        refuse_objects(connections[0])
        _check_pages(connections[0], check, file.name)
        content = read_database(connections, options, file.size)
    finally:
        for connection in connections:
            connection.close()
    notes = (_WAL_NOTE, *content.notes) if is_wal_image(file.header) else content.notes
    image = file.content() if options.resource_profile is ResourceProfile.BOUNDED else file
    return RelationalSource(
        SourceKind.SQLITE_IMAGE,
        content.schema,
        content.tables,
        file.sha256(),
        file.size,
        image,
        content.warnings,
        notes,
    )


def _check_size(file: InputFile) -> None:
    """Refuse a file that is shorter than its header says; SQLite itself would take zeros for the rest of a page."""
    header = file.header.ljust(_HEADER_BYTES, b"\0")
    page = int.from_bytes(header[16:18]) if header[16:18] != b"\x00\x01" else 65_536
    pages_are_known = header[24:28] == header[92:96]
    expected = page * int.from_bytes(header[28:32]) if pages_are_known else _HEADER_BYTES
    if file.size < expected:
        raise damaged(file.name, f"it has {file.size:,} of {expected:,} bytes")


def _check_pages(connection: apsw.Connection, check: str, source: str) -> None:
    """`integrity_check` also compares indexes with their tables; `quick_check` leaves that out on large files."""
    findings = connection.execute(f"PRAGMA {check}(1)").fetchall()
    if findings != [("ok",)]:
        raise damaged(source, str(findings[0][0]).strip().splitlines()[-1])
