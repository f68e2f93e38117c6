"""Errors that previews of several kinds of source raise."""

from app.errors import SourceEmptyError


def no_tables() -> SourceEmptyError:
    """The error for a database or script without tables, as a build has it."""
    return SourceEmptyError("The source holds no tables.", hint="Choose a source that has at least one table.")
