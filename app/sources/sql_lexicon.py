"""The words of the accepted SQL subset as regular expressions that never backtrack.

Every quantifier is possessive and every alternative starts differently, so that checking a dump takes time
proportional to its length, whatever is in it.
"""

import re

from app.sources.patterns import WORD_PART, WORD_START, compile_pattern
from app.values import fold_identifier

_FLAGS = int(re.VERBOSE | re.IGNORECASE | re.ASCII)

SPACE = r"(?:[\ \t\n\f\r]++|--[^\n]*+|/\*(?:[^*]++|\*(?!/))*+(?:\*/|\Z))*+"
"""Any white space and comments; an unclosed comment ends with the text, as in SQLite."""

WORD = rf"{WORD_START}{WORD_PART}*+"
END_OF_WORD = rf"(?!{WORD_PART})"
TEXT = r"'(?:[^']++|'')*+'"
NAME = rf"""(?:{WORD} | "(?:[^"]++|"")*+" | `(?:[^`]++|``)*+` | \[[^\]]*+\] | {TEXT})"""
"""A name; SQLite takes a text for one, where nothing but a name can stand."""

OWN_TABLE = rf"""["'`\[]?sqlite_(?:sequence|stat[134])["'`\]]?{END_OF_WORD}"""
"""SQLite's own bookkeeping tables."""

NUMBER = r"""(?: 0[xX][0-9a-fA-F]++ | [0-9](?:[0-9]|_(?=[0-9]))*+(?:\.[0-9]*+)?+(?:[eE][+-]?+[0-9]++)?+
                | \.[0-9]++(?:[eE][+-]?+[0-9]++)?+ )"""

_GAP = r"[\ \t\n\f\r]*+"
"""Space without comments: it is allowed where the shell never writes any, and shorter patterns compile sooner."""

_COMMA = rf"{_GAP},{_GAP}"
_REPLACE = rf"replace{_GAP}\({_GAP}"


def _line_end(mark: str, code: int) -> str:
    """A mark in a text, one of those that the shell chooses from, the character it stands for, and the call's end."""
    marks = rf"(?-i:\\(?:{mark}|0{code:02o})|\(\\{mark}[0-9]++\))"
    return rf"'{marks}'{_COMMA}char{_GAP}\({_GAP}{code}{_GAP}\){_GAP}\)"


_LINE_FEED, _CARRIAGE_RETURN = _line_end("n", 10), _line_end("r", 13)
TEXT_WITH_LINE_ENDS = rf"""{_REPLACE}(?: {TEXT}{_COMMA}(?:{_LINE_FEED}|{_CARRIAGE_RETURN})
                             | {_REPLACE}{TEXT}{_COMMA}{_CARRIAGE_RETURN}{_COMMA}{_LINE_FEED} )"""
r"""A text whose line ends are marked, as `.dump` of the sqlite3 shell writes it: `replace('a\nb','\n',char(10))`."""

LITERAL = rf"""(?: {TEXT} | [xX]{TEXT} | (?:[+-]{SPACE})?+{NUMBER}{END_OF_WORD}
                 | (?:NULL|TRUE|FALSE){END_OF_WORD} | {TEXT_WITH_LINE_ENDS} )"""
ROW = rf"\({SPACE}{LITERAL}{SPACE}(?:,{SPACE}{LITERAL}{SPACE})*+\)"
ROWS = rf"{ROW}{SPACE}(?:,{SPACE}{ROW}{SPACE})*+"
STOP = r"(?:;|\Z)"


def compiled(pattern: str) -> re.Pattern[str]:
    """A pattern of this module, ready for use; white space in it means nothing."""
    return compile_pattern(pattern, _FLAGS)


def word(text: str) -> str:
    """A keyword, or several in a row, and the space after them."""
    return "".join(rf"{part}{END_OF_WORD}{SPACE}" for part in text.split())


def unquoted(name: str) -> str:
    """The folded name that an identifier of SQL text means."""
    return fold_identifier(as_written(name))


def as_written(name: str) -> str:
    """The name that an identifier of SQL text means, without its quotes."""
    inner = name[1:-1] if name[0] in "\"'`[" else name
    return inner.replace(name[0] * 2, name[0]) if name[0] in "\"'`" else inner


COLUMN_LIST = rf"\({SPACE}{NAME}{SPACE}(?:,{SPACE}{NAME}{SPACE})*+\){SPACE}"
INSERT_HEAD = rf"{word('INSERT INTO')}(?P<table>{NAME}){SPACE}(?:{COLUMN_LIST})?+"
_USER_INSERT = INSERT_HEAD.replace("(?P<table>", rf"(?!{OWN_TABLE})(?:")


BLANK = rf"(?:{SPACE};)*+{SPACE}"
"""Empty statements, space and comments."""

INSERT = rf"{_USER_INSERT}{word('VALUES')}{ROWS}{STOP}{SPACE}"
"""One complete literal INSERT and the space after it."""

INSERTS = rf"(?:{INSERT}){{1,1000}}+"
"""Up to 1,000 complete literal INSERTs in a row."""

TOKENS = rf"""(?:[^;'"`\[/-]++ | {TEXT} | "(?:[^"]++|"")*+" | `(?:[^`]++|``)*+` | \[[^\]]*+\]
              | --[^\n]*+ | /\*(?:[^*]++|\*(?!/))*+(?:\*/|\Z) | [/-])*+"""
"""Anything up to a semicolon outside quotes and comments, or up to a quote that is never closed."""
