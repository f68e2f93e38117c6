"""SQLite images: found by their header, read as they are, with nothing written beside them."""

import os
from contextlib import ExitStack, closing

import apsw

from app.sources.input_file import InputFile
from app.sources.options import ResourceProfile, SourceOptions, Unsupported
from app.sources.pages.page_file import pages_in_memory, pages_of_file
from app.sources.parallel import run_together
from app.sources.relational_source import RelationalSource, SourceKind, SourceWarning, WarningCode
from app.sources.script_places import naming_file
from app.sources.side_files import refuse_side_files
from app.sources.sqlite_connection import (
    WAL_WARNING,
    damaged,
    is_wal_image,
    open_image_bytes,
    open_image_file,
    restrict_to_reading,
    sqlite_failures,
)
from app.sources.sqlite_reader import DatabaseContent, read_database
from app.sources.sqlite_schema import refuse_objects
from app.sources.text_encoding import refuse_utf16, stores_utf8, utf8_copy
from app.sources.unsupported import without_bytes

_HEADER_BYTES = 100
_MOST_LANES = 4


def load_image(file: InputFile, options: SourceOptions) -> RelationalSource:
    """Read an image: from a private copy in memory, or under full_scale from the file itself.

    Raises `SourceIncompleteError` where changes are in a file beside it, `SourceDamagedError` for pages that do not
    hold together, and what `read_database` raises.
    """
    refuse_side_files(file.path, file.name)
    _check_size(file)
    with naming_file(file.name), sqlite_failures(file.name), ExitStack() as opened:
        if options.resource_profile is ResourceProfile.BOUNDED:
            return _load_copy(file, options, opened)
        source = _load_in_place(file, options, opened)
    file.check_unchanged()
    return source


def _load_copy(file: InputFile, options: SourceOptions, opened: ExitStack) -> RelationalSource:
    image = file.content()
    connection = opened.enter_context(closing(open_image_bytes(image)))
    objects = tuple(refuse_objects(connection, options.unsupported))
    _check_pages(connection, "integrity_check", file.name)
    original = connection
    skipped: tuple[SourceWarning, ...] = ()
    if not stores_utf8(connection):
        connection = opened.enter_context(closing(utf8_copy(connection)))
    if options.unsupported is Unsupported.SKIP:
        connection, skipped = without_bytes(connection)
        opened.enter_context(closing(connection))
    if connection is not original:
        image = connection.serialize("main")
        restrict_to_reading(connection)
    content = read_database([connection], options, file.size, pages_in_memory(image))
    return _source(file, content, image, (*objects, *skipped))


def _load_in_place(file: InputFile, options: SourceOptions, opened: ExitStack) -> RelationalSource:
    checker, *connections = (opened.enter_context(closing(open_image_file(file.path))) for _ in range(1 + _lanes()))
    objects = tuple(refuse_objects(checker, options.unsupported))
    refuse_utf16(checker, file.name)
    # Pages are checked while they are read; what the check finds comes first, since it explains whatever else failed.
    content: list[DatabaseContent] = []
    pages = opened.enter_context(pages_of_file(file.path))
    run_together(
        [
            lambda: _check_pages(checker, "quick_check", file.name),
            lambda: content.append(read_database(connections, options, file.size, pages)),
        ],
        _lanes(),
    )
    return _source(file, content[0], file, objects)


def _lanes() -> int:
    """How many connections read a file side by side."""
    return min(_MOST_LANES, os.cpu_count() or 1)


def _source(
    file: InputFile, content: DatabaseContent, image: bytes | InputFile, skipped: tuple[SourceWarning, ...]
) -> RelationalSource:
    return RelationalSource(
        SourceKind.SQLITE_IMAGE,
        content.schema,
        content.tables,
        file.sha256(),
        file.size,
        image,
        (*_wal_warning(file), *skipped, *content.warnings),
        content.notes,
    )


def _wal_warning(file: InputFile) -> tuple[SourceWarning, ...]:
    if not is_wal_image(file.header):
        return ()
    return (SourceWarning(WarningCode.WAL_MODE, WAL_WARNING, {"file": file.name}),)


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
