"""SQL text: rows of plain scripts are read where they stand; a private in-memory SQLite runs all others.

What a script means is what SQLite makes of it. Rows are read without it only where they say so plainly that nothing is
left to decide (see `literal_inserts`), and SQLite still runs the whole script for whoever asks it: the oracle.
"""

from contextlib import ExitStack, closing
from dataclasses import dataclass

import apsw

from app.errors import SqlUnsupportedError
from app.sources.input_file import InputFile
from app.sources.literal_inserts.groups import UnusualScriptError
from app.sources.literal_inserts.plain_script import read_plain_script
from app.sources.options import SourceOptions, Unsupported
from app.sources.pages.page_file import pages_in_memory
from app.sources.parallel import Helper
from app.sources.relational_source import LazyImage, RelationalSource, SourceKind, SourceWarning
from app.sources.script_places import ScriptPlaces, naming_file
from app.sources.script_runner import Outcome, ScriptRunner
from app.sources.sqlite_connection import open_memory, restrict_to_reading, sqlite_failures
from app.sources.sqlite_reader import DatabaseContent, read_database
from app.sources.sqlite_schema import TableLayout, quoted, read_catalogue, table_names
from app.sources.unsupported import without_bytes
from app.sources.utf8 import decoded
from app.values import INT64_MAX


@dataclass(frozen=True, eq=False, slots=True)
class ScriptImage:
    """The database that a script makes; it is made when somebody asks for it."""

    file: InputFile
    options: SourceOptions

    def serialized(self) -> bytes:
        """The image; raises what loading a script raises."""
        text = decoded(self.file.content(), self.file.name)
        with naming_file(self.file.name), sqlite_failures(self.file.name), closing(open_memory()) as connection:
            ScriptRunner(connection, text, self.options).run()
            return connection.serialize("main")


def load_sql_text(file: InputFile, options: SourceOptions) -> RelationalSource:
    """Read a script of the accepted subset; nothing is kept where any statement of it is refused."""
    script = file.content()
    try:
        with Helper() as hasher, Helper() as helper:
            hasher.give(file.sha256)
            content, outcome = read_plain_script(script, options, helper)
    except UnusualScriptError:
        return load_through_sqlite(file, options)
    return _source(file, content, outcome, ScriptImage(file, options))


def load_through_sqlite(file: InputFile, options: SourceOptions) -> RelationalSource:
    """Let SQLite run the script and read the database that comes of it."""
    text = decoded(file.content(), file.name)
    with naming_file(file.name), sqlite_failures(file.name), ExitStack() as opened:
        read = made = opened.enter_context(closing(open_memory()))
        outcome = ScriptRunner(made, text, options).run()
        places = ScriptPlaces(text, options, made)
        without: tuple[SourceWarning, ...] = ()
        with places.naming_lines(made):
            _refuse_drawn_row_ids(made, text, options)
            if options.unsupported is Unsupported.SKIP:
                read, without = without_bytes(made, open_memory)
                opened.enter_context(closing(read))
        image = read.serialize("main")
        restrict_to_reading(read)
        with places.naming_lines(read):
            content = read_database([read], options, file.size, pages_in_memory(image))
    return _source(file, content, outcome, image, without)


def _source(
    file: InputFile,
    content: DatabaseContent,
    outcome: Outcome,
    image: bytes | LazyImage,
    without: tuple[SourceWarning, ...] = (),
) -> RelationalSource:
    return RelationalSource(
        SourceKind.SQL_TEXT,
        content.schema,
        content.tables,
        file.sha256(),
        file.size,
        image,
        (*outcome.objects, *without, *content.warnings),
        (*_skipped_note(outcome.bookkeeping), *content.notes),
    )


def _refuse_drawn_row_ids(connection: apsw.Connection, text: str, options: SourceOptions) -> None:
    """SQLite draws row ids at random once a table has the largest one; what differs the second time was drawn."""
    layouts = read_catalogue(connection, Unsupported.SKIP).layouts if table_names(connection) else ()
    full = next((layout for layout in layouts if _last_row_id(connection, layout) == INT64_MAX), None)
    if full is None:
        return
    with closing(open_memory()) as again:
        ScriptRunner(again, text, options).run()
        if again.serialize("main") != connection.serialize("main"):
            raise SqlUnsupportedError(
                f"Table {full.schema.name} has the largest row id, {INT64_MAX}, and then rows without one, for which "
                "SQLite draws row ids at random.",
                hint="Give each row of the table its key.",
                table=full.schema.name,
            )


def _last_row_id(connection: apsw.Connection, layout: TableLayout) -> int | None:
    if layout.rowid is None:
        return None
    query = f"SELECT max({layout.rowid}) FROM {quoted(layout.schema.name)}"  # noqa: S608
    last = connection.execute(query).fetchall()[0][0]
    return None if last is None else int(last)


def _skipped_note(skipped: list[str]) -> tuple[str, ...]:
    if not skipped:
        return ()
    return (f"Skipped {len(skipped)} bookkeeping statements of the dump: {', '.join(dict.fromkeys(skipped))}.",)
