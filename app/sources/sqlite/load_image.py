"""SQLite images: found by their header, read as they are, with nothing written beside them."""

from collections.abc import Callable
from contextlib import ExitStack, closing

import apsw

from app.sources.files.input_file import InputFile
from app.sources.options import ResourceProfile, SourceOptions, Unsupported
from app.sources.relational_source import RelationalSource, SourceKind, SourceWarning, WarningCode
from app.sources.sqlite.completeness import refuse_short_image, refuse_side_files
from app.sources.sqlite.connection import (
    WAL_WARNING,
    is_wal_image,
    open_image_bytes,
    open_image_file,
    open_memory,
    restrict_to_reading,
)
from app.sources.sqlite.copies.private_folder import PrivateFolder
from app.sources.sqlite.copies.utf8_copy import stores_utf8, utf8_copy
from app.sources.sqlite.copies.without_bytes import without_bytes
from app.sources.sqlite.failures import damaged, naming_file, sqlite_failures
from app.sources.sqlite.pages.page_file import pages_in_memory, pages_of_file
from app.sources.sqlite.reading.database import DatabaseContent, check_row_count, read_database
from app.sources.sqlite.schema import read_catalogue, refuse_objects
from app.sources.sqlite.threads import run_together


def load_image(file: InputFile, options: SourceOptions) -> RelationalSource:
    """Read an image: from a private copy in memory, or under full_scale from the file itself.

    A file in UTF-16, or with BLOBs that are to be skipped, is copied to a file of our own first.

    Raises `SourceIncompleteError` if changes are in a file beside it, `SourceDamagedError` for pages that do not
    hold together, and what `read_database` raises.
    """
    refuse_side_files(file.path, file.name)
    refuse_short_image(file)
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
    readable, skipped = _readable(connection, options, lambda: opened.enter_context(closing(open_memory())))
    if readable is not connection:
        image = readable.serialize("main")
        restrict_to_reading(readable)
    content = read_database(readable, options, file.size, pages_in_memory(image))
    return _source(file, content, image, (*objects, *skipped))


def _load_in_place(file: InputFile, options: SourceOptions, opened: ExitStack) -> RelationalSource:
    checker = opened.enter_context(closing(open_image_file(file.path)))
    objects = tuple(refuse_objects(checker, options.unsupported))
    folder = PrivateFolder()

    def new_database() -> apsw.Connection:
        """Where to copy to, once it is known that the copy will be of use."""
        _check_pages(checker, "quick_check", file.name)
        check_row_count(checker, read_catalogue(checker, options.unsupported), options.max_source_rows)
        return opened.enter_context(closing(folder.new_database()))

    readable, skipped = _readable(checker, options, new_database)
    held = file if readable is checker else folder.file_of(readable, file.name)
    return _source(file, _read_checked(held, readable, options, opened), held, (*objects, *skipped))


def _readable(
    connection: apsw.Connection, options: SourceOptions, new_database: Callable[[], apsw.Connection]
) -> tuple[apsw.Connection, tuple[SourceWarning, ...]]:
    """The database, or a copy of it in UTF-8 and, if they are skipped, without BLOBs; and what was skipped."""
    if not stores_utf8(connection):
        connection = utf8_copy(connection, new_database())
    return without_bytes(connection, new_database) if options.unsupported is Unsupported.SKIP else (connection, ())


def _read_checked(
    file: InputFile, checker: apsw.Connection, options: SourceOptions, opened: ExitStack
) -> DatabaseContent:
    """Read a file while its pages are checked; what the check finds comes first, as it explains what else failed."""
    connection = opened.enter_context(closing(open_image_file(file.path)))
    content: list[DatabaseContent] = []
    pages = opened.enter_context(pages_of_file(file.path))
    run_together(
        [
            lambda: _check_pages(checker, "quick_check", file.name),
            lambda: content.append(read_database(connection, options, file.size, pages)),
        ]
    )
    return content[0]


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


def _check_pages(connection: apsw.Connection, check: str, source: str) -> None:
    """`integrity_check` also compares indexes with their tables; `quick_check` leaves that out on large files."""
    findings = connection.execute(f"PRAGMA {check}(1)").fetchall()
    if findings != [("ok",)]:
        raise damaged(source, str(findings[0][0]).strip().splitlines()[-1])
