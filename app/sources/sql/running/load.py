"""SQL text of SQLite: a private in-memory SQLite runs the checked script, and the database that comes of it is read."""

from contextlib import ExitStack, closing

import apsw

from app.errors import SqlUnsupportedError
from app.sources.files.input_file import InputFile
from app.sources.files.utf8 import decoded
from app.sources.options import SourceOptions, Unsupported
from app.sources.relational_source import RelationalSource, SourceKind, SourceWarning
from app.sources.sql.lexing.script import Script
from app.sources.sql.running.lines import RunScript
from app.sources.sql.running.runner import ScriptRunner
from app.sources.sqlite.connection import open_for_script, open_memory, restrict_to_reading
from app.sources.sqlite.copies.without_bytes import without_bytes
from app.sources.sqlite.failures import naming_file, sqlite_failures
from app.sources.sqlite.pages.page_file import pages_in_memory
from app.sources.sqlite.reading.database import read_database
from app.sources.sqlite.schema import TableLayout, quoted, read_catalogue, table_names
from app.values import INT64_MAX


def load_sql_text(file: InputFile, options: SourceOptions) -> RelationalSource:
    """Read a script of the accepted subset; nothing is kept if any statement of it is refused."""
    script = Script(file.name, decoded(file.content(), file.name))
    with naming_file(file.name), sqlite_failures(file.name), ExitStack() as opened:
        read = made = opened.enter_context(closing(open_for_script()))
        outcome = ScriptRunner(made, script, options).run()
        run = RunScript(script, options, made)
        without: tuple[SourceWarning, ...] = ()
        with run.naming_lines(made):
            _refuse_drawn_row_ids(made, script, options)
            if options.unsupported is Unsupported.SKIP:
                read, without = without_bytes(made, open_memory)
                opened.enter_context(closing(read))
        image = read.serialize("main")
        restrict_to_reading(read)
        with run.naming_lines(read):
            content = read_database(read, options, file.size, pages_in_memory(image))
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


def _refuse_drawn_row_ids(connection: apsw.Connection, script: Script, options: SourceOptions) -> None:
    """SQLite draws row ids at random once a table has the largest one; what differs the second time was drawn."""
    layouts = read_catalogue(connection, Unsupported.SKIP).layouts if table_names(connection) else ()
    full = next((layout for layout in layouts if _last_row_id(connection, layout) == INT64_MAX), None)
    if full is None:
        return
    with closing(open_for_script()) as again:
        ScriptRunner(again, script, options).run()
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
