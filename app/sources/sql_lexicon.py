"""The words of the accepted SQL subset as regular expressions that never backtrack.

Every quantifier is possessive and every alternative starts differently, so that checking a dump takes time
proportional to its length, whatever is in it.
"""

import re

from app.sources.patterns import WORD_PART, WORD_START, compile_pattern
from app.values import fold_identifier

_FLAGS = int(re.VERBOSE | re.IGNORECASE | re.ASCII)

_GAP = r"[\ \t\n\f\r]*+"
"""Space without comments."""

_COMMENT = r"(?:--[^\n]*+|/\*(?:[^*]++|\*(?!/))*+(?:\*/|\Z))"
SPACE = rf"{_GAP}(?:{_COMMENT}{_GAP})*+"
"""Any white space and comments; an unclosed comment ends with the text, as in SQLite."""

WORD = rf"{WORD_START}{WORD_PART}*+"
END_OF_WORD = rf"(?!{WORD_PART})"
TEXT = r"'(?:[^']++|'')*+'"
_DOUBLE = r'"(?:[^"]++|"")*+"'
NAME = rf"""(?:{WORD} | {_DOUBLE} | `(?:[^`]++|``)*+` | \[[^\]]*+\] | {TEXT})"""
"""A name; SQLite takes a text for one, where nothing but a name can stand."""

OWN_TABLE = rf"""["'`\[]?sqlite_(?:sequence|stat[134])["'`\]]?{END_OF_WORD}"""
"""SQLite's own bookkeeping tables."""

NUMBER = r"""(?: 0[xX][0-9a-fA-F]++ | [0-9](?:[0-9]|_(?=[0-9]))*+(?:\.[0-9]*+)?+(?:[eE][+-]?+[0-9]++)?+
                | \.[0-9]++(?:[eE][+-]?+[0-9]++)?+ )"""

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

LITERAL = rf"""(?: {TEXT} | {_DOUBLE} | [xX]{TEXT} | (?:[+-]{SPACE})?+{NUMBER}{END_OF_WORD}
                 | (?:NULL|TRUE|FALSE){END_OF_WORD} | {TEXT_WITH_LINE_ENDS} )"""
"""What may be a cell. A text in double quotes is one in VALUES, where SQLite has no column that it could name."""

ROW = rf"\({SPACE}{LITERAL}{SPACE}(?:,{SPACE}{LITERAL}{SPACE})*+\)"
_PLAIN_ROW = rf"""\((?:[0-9.,\ \t\n\f\r]++ | '[^']*+' | NULL | (?:(?<=[(,])|(?<=[(,][\ \t\n]))-(?=[0-9.])
                  | (?<=[0-9.])[eE][+-]?+[0-9] | (?<=0)[xX][0-9a-fA-F]++ | [xX]'[^']*+' | "[^"]*+" | TRUE | FALSE
                  | {TEXT_WITH_LINE_ENDS})++\)"""
"""A row that holds nothing but literals, if SQLite takes it at all.

Matching each literal would take twice as long. So commas and numbers are matched together, and what no grammar
allows, `1,,2` or `NULL5`, passes here and is refused by SQLite. Nothing passes that means something and is not a
literal: names, calls and brackets have no alternative, and a sign has one only before a number that begins a cell.
"""
ROWS = rf"{ROW}{SPACE}(?:,{SPACE}{ROW}{SPACE})*+"
_PLAIN_ROWS = rf"{_PLAIN_ROW}{_GAP}(?:,{_GAP}{_PLAIN_ROW}{_GAP})*+"
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


MAIN = rf"(?:(?:main|\"main\"|`main`|\[main\]|'main'){SPACE}\.{SPACE})?+"
"""The name of the one schema before that of a table."""

COLUMN_LIST = rf"\({SPACE}{NAME}{SPACE}(?:,{SPACE}{NAME}{SPACE})*+\){SPACE}"
_ON_CONFLICT = rf"{word('INSERT OR')}(?:ROLLBACK|ABORT|FAIL|IGNORE|REPLACE){END_OF_WORD}{SPACE}{word('INTO')}"
INSERT_HEAD = (
    rf"(?:(?P<simple>{word('INSERT INTO')})|{_ON_CONFLICT}|{word('REPLACE INTO')})"
    rf"{MAIN}(?!{OWN_TABLE})(?P<table>{NAME}){SPACE}(?:{COLUMN_LIST})?+"
)
VALUES = word("VALUES")
DO_NOTHING = rf"(?:{word('ON CONFLICT')}(?:{COLUMN_LIST})?+{word('DO NOTHING')})?+"


BLANK = rf"(?:{SPACE};)*+{SPACE}"
"""Empty statements, space and comments."""

INSERT = rf"(?P<head>{INSERT_HEAD}{VALUES})(?P<rows>{ROWS})(?P<tail>{DO_NOTHING}){STOP}{SPACE}"
"""One complete literal INSERT and the space after it."""

PLAIN_INSERT = rf"(?P<head>{INSERT_HEAD}{VALUES})(?P<rows>{_PLAIN_ROWS})(?P<tail>);{SPACE}".replace(SPACE, _GAP)
"""The same without comments, as nearly all of them are written."""

TOKENS = rf"""(?:[^;'"`\[/-]++ | {TEXT} | "(?:[^"]++|"")*+" | `(?:[^`]++|``)*+` | \[[^\]]*+\]
              | --[^\n]*+ | /\*(?:[^*]++|\*(?!/))*+(?:\*/|\Z) | [/-])*+"""
"""Anything up to a semicolon outside quotes and comments, or up to a quote that is never closed."""
