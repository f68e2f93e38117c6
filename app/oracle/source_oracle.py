"""The oracle of a relational source."""

from collections.abc import Iterator
from contextlib import contextmanager

from app.oracle.sqlite_oracle import SqliteOracle
from app.sources.input_file import InputFile
from app.sources.relational_source import RelationalSource


@contextmanager
def oracle_of(source: RelationalSource) -> Iterator[SqliteOracle]:
    """An oracle over its own copy of the source, or over the source's file, which must stay as it was read.

    Raises `SourceChangedError` where the file is another one before or after.
    """
    image = source.image
    if isinstance(image, InputFile):
        image.check_unchanged()
        with SqliteOracle.over_image(image.path) as oracle:
            yield oracle
        image.check_unchanged()
    else:
        with SqliteOracle.over_image(image) as oracle:
            yield oracle
