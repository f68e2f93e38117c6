"""The words of MySQL's and PostgreSQL's dumps as regular expressions that never backtrack.

Every quantifier is possessive and every alternative starts differently, so that reading a dump takes time
proportional to its length, whatever is in it.
"""

import re
from dataclasses import dataclass, replace
from functools import cache, lru_cache

from app.sources.patterns import WORD_PART, WORD_START, compile_pattern
from app.sources.sql.dialect import Dialect

_FLAGS = int(re.VERBOSE | re.ASCII)
_TAG = rf"(?:{WORD_START}[^\x00-/:-@\[-\^`{{-\x7f]*+)?+"
"""Everything but what ASCII has besides letters, digits and _; a range up to the last character compiles slowly."""

WORD = rf"{WORD_START}{WORD_PART}*+"
END_OF_WORD = rf"(?!{WORD_PART})"
STOP = r"(?:;|\Z)"
BLANK = r"[\ \t\n\f\r\v]*+"
NOTE_START = r"/\*(?!M?+!(?!999999))"
"""What begins a comment of MySQL: a version comment counts, unless it is for a version that no server has."""

_NOTE = rf"{NOTE_START}(?:[^*]++|\*(?!/))*+"
_BLANK_OR_MARK = rf"(?:[\ \t\n\f\r\v]++|{_NOTE}\*/|/\*M?+![0-9]*+|\*/)*+"

_ESCAPED = r"'(?:[^'\\]++|\\[\s\S]|'')*+'"
_DOUBLED = r"'(?:[^']++|'')*+'"
_QUOTED_TEXT = r"\"(?:[^\"\\]++|\\[\s\S]|\"\")*+\""
_QUOTED_NAME = r"\"(?:[^\"]++|\"\")*+\""
_BACKTICKS = r"`(?:[^`]++|``)*+`"
_BLOCK = r"/\*(?:[^*]++|\*(?!/))*+(?:\*/|\Z)"
_INNER = r"[^*/]++|\*(?!/)|/(?!\*)"
_NESTED_BLOCK = rf"/\*(?:{_INNER}|/\*(?:{_INNER}|/\*(?:[^*]++|\*(?!/))*+\*/)*+\*/)*+(?:\*/|\Z)"
_MYSQL_COMMENT = r"--(?:(?=[\ \t\r\n\f])[^\n]*+|\Z)|\#[^\n]*+"

_NUMBER = rf"[+-]?+(?:[0-9]++(?:\.[0-9]*+)?+|\.[0-9]++)(?:[eE][+-]?+[0-9]++)?+{END_OF_WORD}"
_TYPE = (
    rf"(?:{WORD}|{_QUOTED_NAME})(?:\.(?:{WORD}|{_QUOTED_NAME}))?+(?:\ (?:varying|precision){END_OF_WORD})?+"
    rf"(?:\([0-9]++(?:,\ ?+[0-9]++)?+\))?+(?:\ with(?:out)?+\ time\ zone{END_OF_WORD})?+(?:\[[0-9]*+\])*+"
)


@dataclass(frozen=True, slots=True)
class Lexicon:
    """What words, comments, quotes and literals look like in one dialect.

    `escapes` says whether a backslash means something in a plain text literal. `tokens` matches anything up to a
    semicolon outside quotes and comments, or up to a quote that is never closed; `literal` matches one cell, and
    `cast` what may follow it; `blank` is what may stand beside it.
    """

    dialect: Dialect
    escapes: bool
    space: str
    name: str
    tokens: str
    literal: str
    cast: str = ""
    blank: str = BLANK
    ansi_quotes: bool = False

    def with_marks(self) -> "Lexicon":
        """For rows of which version comments hold a part, which every MySQL of today reads."""
        return replace(self, blank=_BLANK_OR_MARK)

    def words(self, text: str) -> str:
        """Keywords in a row in any case, and the space after each."""
        return "".join(rf"(?i:{part}){END_OF_WORD}{self.space}" for part in text.split())


@cache
def mysql_lexicon(*, escapes: bool = True, ansi_quotes: bool = False) -> Lexicon:
    """MySQL's in an SQL mode: `ansi_quotes` says that double quotes enclose names, as backticks do."""
    text = _ESCAPED if escapes else _DOUBLED
    quoted_text = _QUOTED_TEXT if escapes else _QUOTED_NAME
    quoted = _QUOTED_NAME if ansi_quotes else quoted_text
    also_text = "" if ansi_quotes else rf"| {quoted_text}"
    return Lexicon(
        dialect=Dialect.MYSQL,
        escapes=escapes,
        ansi_quotes=ansi_quotes,
        space=rf"(?:[\ \t\n\f\r\v]++|{_MYSQL_COMMENT}|{_NOTE}(?:\*/|\Z))*+",
        name=rf"(?:{_BACKTICKS}|{_QUOTED_NAME}|{WORD})",
        tokens=rf"""(?:[^;'"`/\#-]++ | {text} | {quoted} | {_BACKTICKS} | {_MYSQL_COMMENT}
                    | -(?!-(?:[\ \t\r\n\f]|\Z)) | {_BLOCK} | /(?!\*) )*+""",
        literal=rf"""(?:{text} | {_NUMBER} | (?=["_A-Za-z0])(?:
                     (?i:NULL|TRUE|FALSE){END_OF_WORD}
                     | (?i:_binary|_utf8(?:mb[34])?+|_latin1|_ascii|n){BLANK}{text}
                     {also_text} | 0x[0-9a-fA-F]++{END_OF_WORD} | 0b[01]++{END_OF_WORD}
                     | (?i:_binary{BLANK})?+(?:[xX]'[0-9a-fA-F]*+' | [bB]'[01]*+'))
                     | (?i:_binary){BLANK}0x[0-9a-fA-F]++{END_OF_WORD})""",
    )


def _postgres(escapes: bool) -> Lexicon:
    text = _ESCAPED if escapes else _DOUBLED
    return Lexicon(
        dialect=Dialect.POSTGRES,
        escapes=escapes,
        space=rf"(?:[\ \t\n\f\r\v]++|--[^\n]*+|{_NESTED_BLOCK})*+",
        name=rf"(?:{_QUOTED_NAME}|{WORD})",
        tokens=rf"""(?:[\x00-\x21\#%-&(-,.0-:<-@\[-\^`{{-\x7f]++ | [eE]{_ESCAPED} | {WORD} | {text} | {_QUOTED_NAME}
                    | \$(?P<tag>{_TAG})\$[\s\S]*?\$(?P=tag)\$ | \$(?!{_TAG}\$)
                    | --[^\n]*+ | -(?!-) | {_NESTED_BLOCK} | /(?!\*) )*+""",
        literal=rf"""(?:{text} | {_NUMBER} | (?=[A-Za-z])(?:
                     (?i:NULL|TRUE|FALSE){END_OF_WORD} | [eE]{_ESCAPED} | [nN]{text} | [bB]'[01]*+'))""",
        cast=rf"(?:::{_TYPE})*+",
    )


MYSQL = mysql_lexicon()
POSTGRES = _postgres(escapes=False)
POSTGRES_WITH_ESCAPES = _postgres(escapes=True)
"""While standard_conforming_strings is off."""


def compiled(pattern: str) -> re.Pattern[str]:
    """A pattern of this module, ready for use; white space in it means nothing."""
    return compile_pattern(pattern, _FLAGS)


@lru_cache(maxsize=1_000)
def row_pattern(lexicon: Lexicon, width: int, head: str) -> re.Pattern[str]:
    """A row of exactly `width` literals, each a group, and in the last group, `next`, what leads to the next row.

    That is a comma, or a semicolon and the same `head` of a statement again.
    """
    cell = rf"{lexicon.blank}({lexicon.literal}){lexicon.cast}{lexicon.blank}"
    return compiled(rf"\({','.join([cell] * width)}\){_next_row(lexicon, head)}")


@lru_cache(maxsize=1_000)
def wide_row_pattern(lexicon: Lexicon, width: int, head: str) -> re.Pattern[str]:
    """The same for many columns, where a group for each would take long to compile: `next` is the only group."""
    cell = rf"{lexicon.blank}{lexicon.literal}{lexicon.cast}{lexicon.blank}"
    return compiled(rf"\({cell}(?:,{cell}){{{width - 1}}}+\){_next_row(lexicon, head)}")


def _next_row(lexicon: Lexicon, head: str) -> str:
    again = rf";{BLANK}{re.escape(head)}"
    return rf"{lexicon.space}(?P<next>,{lexicon.space}|{again})?+"


@cache
def cell_pattern(lexicon: Lexicon) -> re.Pattern[str]:
    """A literal after a bracket or comma, as the only group."""
    return compiled(rf"[(,]{lexicon.blank}({lexicon.literal}){lexicon.cast}{lexicon.blank}")
