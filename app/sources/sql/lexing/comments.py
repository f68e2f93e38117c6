"""Steps over white space and comments, nested ones of PostgreSQL included, and over whole statements."""

from app.sources.dialect import Dialect
from app.sources.sql.lexing.syntax import Syntax, compiled

_ENDS = r"/\*|\*/"


def after_block_comment(text: str, start: int) -> int:
    """The offset after the comment that begins at `start` and may hold others; the end of the text if it never ends."""
    depth = 0
    for mark in compiled(_ENDS).finditer(text, start):
        depth += 1 if mark[0] == "/*" else -1
        if depth == 0:
            return mark.end()
    return len(text)


def after_space(text: str, start: int, syntax: Syntax, also: str = "") -> int:
    """The offset after white space and comments, and after signs in `also`, a class of characters."""
    pattern = compiled(rf"(?:[{also}]|{syntax.space})*+" if also else syntax.space)
    while True:
        space = pattern.match(text, start)
        assert space is not None, "the pattern matches nothing at all as well"
        start = space.end()
        if syntax.dialect is not Dialect.POSTGRES or not text.startswith("/*", start):
            return start
        start = after_block_comment(text, start)


def end_before(text: str, start: int, syntax: Syntax, delimiter: str) -> int:
    """Where a delimiter of MySQL's client stands outside quotes and comments; the text's end if there is none."""
    found = syntax.skim_up_to(delimiter).match(text, start)
    assert found is not None, "the pattern matches nothing at all as well"
    return found.end() if text.startswith(delimiter, found.end()) else len(text)


def end_of_statement(text: str, start: int, syntax: Syntax) -> int:
    """Where the semicolon stands that ends the statement at `start`; the text's end, or a quote never closed."""
    while True:
        rest = syntax.skim.match(text, start)
        assert rest is not None, "the pattern matches nothing at all as well"
        start = rest.end()
        if syntax.dialect is not Dialect.POSTGRES or not text.startswith("/*", start):
            return start
        start = after_block_comment(text, start)
