"""A script without its texts and comments, so that words found in it are words of statements.

Every pattern is possessive and matches wherever it stands, so that the time is proportional to the length.
"""

import re

from app.sources.sql.lexing.patterns import compile_pattern
from app.sources.sql.lexing.syntax import BLOCK, DASHES

_FLAGS = int(re.VERBOSE)
_ESCAPED = r"'(?:[^'\\]++|\\[\s\S]|'')*+(?:'|\Z)"
"""Quotes here may be cut off by the end of what is looked at."""

_TAG = r"(?:[A-Za-z_][A-Za-z0-9_]*+)?+"
_BACKTICKS = r"`[^`]*+(?:`|\Z)"
_NO_BLOCK = r"/(?!\*)|/\*(?=M?+!)"
"""A slash that begins no comment, or a version comment of MySQL, which holds words of statements."""

_GLUE = r"[\s,()0-9.NUL]*+"
"""What stands between the texts of rows; a run of them is one match."""

_PLAIN = r"'(?:[^']++|'')*+(?:'|\Z)"
_WITHOUT_ESCAPES = rf"""
    ((?:[^'"`/$\-]++ | "[\w\ .$]*+" | {_BACKTICKS} | -(?!-) | {_NO_BLOCK} | \$(?!{_TAG}\$))*+)
    (?:(?<=[^\w][eE]){_ESCAPED} | {_PLAIN}(?:{_GLUE}{_PLAIN})*+ | "(?:[^"]++|"")*+(?:"|\Z) | {DASHES} | {BLOCK}
    | \$(?P<tag>{_TAG})\$(?:[^$]++|\$(?!(?P=tag)\$))*+(?:\$(?P=tag)\$|\Z) | \Z)"""
_WITH_ESCAPES = rf"""
    ((?:[^'"`/\#\-]++ | {_BACKTICKS} | -(?!-) | {_NO_BLOCK})*+)
    (?:{_ESCAPED}(?:{_GLUE}{_ESCAPED})*+ | "(?:[^"\\]++|\\[\s\S]|"")*+(?:"|\Z) | {DASHES} | \#[^\n]*+ | {BLOCK} | \Z)"""
_TOP = rf"(?:\s++|\\[^\n]*+|{DASHES}|{BLOCK})*+"
_TOP_COMMENT = rf"({DASHES})|{BLOCK}|\\[^\n]*+"
COPY_FROM_STDIN = r"^[\ \t]*+COPY\s++(?:\"[^\"]*+\"|[^\s(;'\"]++)*+\s*+(?:\([^();']*+\)\s*+)?+FROM\s++STDIN\b"
"""A verbose pattern for the beginning of a line, in upper case."""


def without_prose(text: str) -> str:
    """What SQLite and PostgreSQL read as words: without texts, comments and bodies in dollars; names stay."""
    return " ".join(part for part, _ in compile_pattern(_WITHOUT_ESCAPES, _FLAGS).findall(text))


def without_escaped_prose(text: str) -> str:
    """What MySQL reads as words: backslashes escape in texts, which double quotes begin too, and # begins a comment."""
    return " ".join(compile_pattern(_WITH_ESCAPES, _FLAGS).findall(text))


def before_copied_lines(text: str) -> str:
    """The text up to the lines of its first COPY … FROM stdin, whose quotes mean nothing."""
    if not any(word in text for word in ("stdin", "STDIN")):
        return text
    copy = compile_pattern(COPY_FROM_STDIN, _FLAGS | int(re.MULTILINE | re.IGNORECASE)).search(text)
    return text[: copy.end()] if copy else text


def top_comments(text: str) -> str:
    """The line comments before the first statement, each on its line."""
    top = compile_pattern(_TOP, _FLAGS).match(text)
    assert top is not None, "the pattern matches nothing at all as well"
    return "\n".join(compile_pattern(_TOP_COMMENT, _FLAGS).findall(top[0]))
