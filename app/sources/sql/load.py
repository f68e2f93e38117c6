"""SQL scripts of any dialect: one file in SQLite's syntax, or the files of one dump of MySQL or PostgreSQL."""

from collections.abc import Sequence

from app.errors import SqlUnsupportedError
from app.sources.dialect import Dialect
from app.sources.files.input_file import InputFile, check_joint_size
from app.sources.options import SourceOptions
from app.sources.relational_source import RelationalSource
from app.sources.sql.recognition import LOOKED_AT, Recognition, recognise
from app.sources.sql.running.load import load_sql_text


def load_sql_script(files: Sequence[InputFile], options: SourceOptions) -> RelationalSource:
    """Read scripts in the dialect of the options, or in the one that the first file shows.

    Raises `SqlUnsupportedError` for several files in SQLite's syntax, and what the dialect's reader raises.
    """
    check_joint_size(files, options.max_source_bytes)
    found = recognition(files, options.dialect)
    if found.dialect is not Dialect.SQLITE:
        from app.sources.sql.loading.load import load_dump  # takes longer to load than most scripts of SQLite

        return load_dump(files, found, options)
    if len(files) > 1:
        raise SqlUnsupportedError(
            f"{len(files)} files in SQLite's syntax cannot be one source; only dumps of MySQL and PostgreSQL can.",
            hint="Join the scripts into one file, or set dialect to mysql or postgres.",
            file=files[1].name,
        )
    return load_sql_text(files[0], options)


def recognition(files: Sequence[InputFile], dialect: Dialect) -> Recognition:
    """The dialect of scripts that are one source: the one that is asked for, else the first that one of them shows."""
    if dialect is not Dialect.AUTO:
        return Recognition(dialect)
    found = [recognise(file.content()[:LOOKED_AT].decode("utf-8-sig", "replace")) for file in files]
    return next((each for each in found if each.dialect is not Dialect.SQLITE), found[0])
