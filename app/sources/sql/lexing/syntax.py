"""What words, quotes, comments and literals look like in each dialect: one lexer, and a table of differences for each.

Every pattern is possessive and every alternative starts differently, so that lexing takes time proportional to the
text, whatever is in it. No library serves here: tokenizers for SQL build an object a token, which for the rows of a
dump costs more than all the rest of reading it, and none tells apart what a dialect's settings change.
"""

import re
from dataclasses import dataclass
from functools import cached_property, lru_cache

from app.sources.dialect import Dialect
from app.sources.sql.lexing.line_ends import TEXT_WITH_LINE_ENDS
from app.sources.sql.lexing.patterns import WORD_PART, WORD_START, compile_pattern

_FLAGS = int(re.VERBOSE | re.ASCII)

WORD = rf"{WORD_START}{WORD_PART}*+"
END_OF_WORD = rf"(?!{WORD_PART})"

_ESCAPED = r"'(?:[^'\\]++|\\[\s\S]|'')*+'"
_DOUBLED = r"'(?:[^']++|'')*+'"
_ESCAPED_IN_DOUBLE = r"\"(?:[^\"\\]++|\\[\s\S]|\"\")*+\""
_IN_DOUBLE = r"\"(?:[^\"]++|\"\")*+\""
_BACKTICKS = r"`(?:[^`]++|``)*+`"
_BRACKETS = r"\[[^\]]*+\]"
DASHES = r"--[^\n]*+"
_MYSQL_DASHES = r"--(?:(?=[\ \t\r\n\f])[^\n]*+|\Z)"
BLOCK = r"/\*(?:[^*]++|\*(?!/))*+(?:\*/|\Z)"
_TAG = rf"(?:{WORD_START}[^\x00-/:-@\[-\^`{{-\x7f]*+)?+"
"""What stands between the dollars of PostgreSQL: a name without dollars.

A range up to the last character compiles slowly, so that all is named that ASCII has besides letters, digits and _.
"""

_VERSION_NOTE = r"/\*(?!M?+!(?!999999))(?:[^*]++|\*(?!/))*+(?:\*/|\Z)"
"""A comment of MySQL: a version comment counts as words, unless it is for a version that no server has."""

_VERSION_MARK = r"/\*M?+!(?!999999)[0-9]*+|\*/"
_SPACE_CHARACTERS = r"[\ \t\n\f\r\v]++"
_BLANKS = r"[\ \t\n\f\r\v]*+"

_DECIMAL = r"(?:[0-9]++(?:\.[0-9]*+)?+|\.[0-9]++)(?:[eE][+-]?+[0-9]++)?+"
_SQLITE_NUMBER = (
    r"(?:0[xX][0-9a-fA-F]++|[0-9](?:[0-9]|_(?=[0-9]))*+(?:\.[0-9]*+)?+(?:[eE][+-]?+[0-9]++)?+"
    r"|\.[0-9]++(?:[eE][+-]?+[0-9]++)?+)"
)
_TYPE_NAME = rf"(?:{WORD}|{_IN_DOUBLE})"
_CAST = (
    rf"(?:::{_TYPE_NAME}(?:\.{_TYPE_NAME})?+(?:\ (?:varying|precision){END_OF_WORD})?+"
    rf"(?:\([0-9]++(?:,\ ?+[0-9]++)?+\))?+(?:\ with(?:out)?+\ time\ zone{END_OF_WORD})?+(?:\[[0-9]*+\])*+)*+"
)


def dollar_text(group: str) -> str:
    """A text of PostgreSQL between two equal tags, the tag being in `group`."""
    return rf"\$(?P<{group}>{_TAG})\$[\s\S]*?\$(?P={group})\$"


@lru_cache(maxsize=4_000)
def compiled(pattern: str) -> re.Pattern[str]:
    """A pattern in the words of this module, ready for use; white space in it means nothing."""
    return compile_pattern(pattern, _FLAGS)


@dataclass(frozen=True)
class Syntax:
    """The words of a dialect under the settings in force.

    `escapes` says that a backslash means something in a plain text literal, `ansi_quotes` that double quotes enclose
    names in MySQL, as they do elsewhere, `real_is_float` that its type real has 4 bytes.
    """

    dialect: Dialect
    escapes: bool = False
    ansi_quotes: bool = False
    real_is_float: bool = False

    @cached_property
    def text(self) -> str:
        """A text literal without anything before its quotes."""
        text = _ESCAPED if self.escapes else _DOUBLED
        return rf"{text}|{self._text_in_double}" if self._text_in_double else text

    @property
    def _text_in_double(self) -> str:
        if self.dialect is not Dialect.MYSQL or self.ansi_quotes:
            return ""
        return _ESCAPED_IN_DOUBLE if self.escapes else _IN_DOUBLE

    @cached_property
    def quoted_name(self) -> str:
        """A name in quotes."""
        match self.dialect:
            case Dialect.MYSQL:
                return rf"{_IN_DOUBLE}|{_BACKTICKS}" if self.ansi_quotes else _BACKTICKS
            case Dialect.POSTGRES:
                return _IN_DOUBLE
        return rf"{_IN_DOUBLE}|{_BACKTICKS}|{_BRACKETS}"

    @property
    def word(self) -> str:
        """A keyword, or a name without quotes; MySQL's may begin with digits."""
        return rf"(?:{WORD}|[0-9]++{WORD_PART}++)" if self.dialect is Dialect.MYSQL else WORD

    @cached_property
    def name(self) -> str:
        """A name with quotes or without; SQLite takes a text for one if nothing but a name can stand there."""
        also = rf"|{_DOUBLED}" if self.dialect is Dialect.SQLITE else ""
        return rf"(?:{self.quoted_name}|{self.word}{also})"

    @property
    def line_comment(self) -> str:
        """A comment up to the end of its line."""
        return rf"{_MYSQL_DASHES}|\#[^\n]*+" if self.dialect is Dialect.MYSQL else DASHES

    @property
    def comment(self) -> str:
        """A comment; PostgreSQL's may be nested, so that of these it is only the beginning."""
        match self.dialect:
            case Dialect.MYSQL:
                return rf"{self.line_comment}|{_VERSION_NOTE}"
            case Dialect.POSTGRES:
                return rf"{DASHES}|/\*"
        return rf"{DASHES}|{BLOCK}"

    @cached_property
    def space(self) -> str:
        """White space and comments; of nested ones of PostgreSQL those that hold no other."""
        block = _VERSION_NOTE if self.dialect is Dialect.MYSQL else r"/\*(?:[^*/]++|\*(?!/)|/(?!\*))*+\*/"
        block = BLOCK if self.dialect is Dialect.SQLITE else block
        return rf"(?:{_SPACE_CHARACTERS}|{self.line_comment}|{block})*+"

    @cached_property
    def blank(self) -> str:
        """White space beside a literal; in MySQL also the marks of version comments that hold a part of the rows."""
        marks = rf"|{_VERSION_NOTE}|{_VERSION_MARK}" if self.dialect is Dialect.MYSQL else ""
        return rf"(?:{_SPACE_CHARACTERS}{marks})*+"

    @cached_property
    def literal(self) -> str:
        """One cell of a row: a number, text, NULL, a truth value, bits or bytes, or, in servers, the word DEFAULT."""
        also = "" if self.dialect is Dialect.SQLITE else "|DEFAULT"
        words = rf"(?i:NULL|TRUE|FALSE{also}){END_OF_WORD}"
        match self.dialect:
            case Dialect.MYSQL:
                charset = rf"(?i:_binary|_[a-z0-9]++|n){self.blank}"
                double = rf"| {self._text_in_double}" if self._text_in_double else ""
                plain = _ESCAPED if self.escapes else _DOUBLED
                return rf"""(?:{plain} | [+-]?+{_DECIMAL}{END_OF_WORD} | (?=["_A-Za-z0])(?:
                    {words} {double} | (?:{charset})?+(?:0x[0-9a-fA-F]++|0b[01]++){END_OF_WORD}
                    | (?i:_[a-z0-9]++{self.blank})?+(?:[xX]'[0-9a-fA-F]*+'|[bB]'[01]*+') | {charset}{plain}))"""
            case Dialect.POSTGRES:
                return rf"""(?:{self.text} | [+-]?+{_DECIMAL}{END_OF_WORD} | (?=[A-Za-z])(?:
                    {words} | [eE]{_ESCAPED} | [nN]{self.text} | [bB]'[01]*+'))"""
        return rf"(?:{_DOUBLED} | [+-]?+{_SQLITE_NUMBER}{END_OF_WORD} | {words} | [xX]'[0-9a-fA-F]*+')"

    @cached_property
    def cell(self) -> str:
        """A literal with the casts that may follow it in PostgreSQL, as one group, and blanks around it.

        SQLite takes a text in double quotes as well if no column can be meant, and its shell marks line ends.
        """
        if self.dialect is Dialect.SQLITE:
            return rf"{self.space}({self.literal}|{_IN_DOUBLE}|{TEXT_WITH_LINE_ENDS}){self.space}"
        cast = _CAST if self.dialect is Dialect.POSTGRES else ""
        return rf"{_BLANKS}({self.literal}{cast}){_BLANKS}"

    @cached_property
    def cell_among_marks(self) -> str:
        """The same for rows of which version comments of MySQL hold a part; looking for their marks takes longer."""
        return rf"{self.blank}({self.literal}){self.blank}" if self.dialect is Dialect.MYSQL else self.cell

    @property
    def opening(self) -> str:
        """What begins a text or a name in quotes."""
        match self.dialect:
            case Dialect.MYSQL:
                return r"['\"`]"
            case Dialect.POSTGRES:
                return rf"(?:[eE]?+'|\"|\${_TAG}\$)"
        return r"['\"`\[]"

    @cached_property
    def token(self) -> re.Pattern[str]:
        """One token in a group that says what it is, see `TokenKind`; `unclosed` takes in all that follows."""
        mysql, postgres = self.dialect is Dialect.MYSQL, self.dialect is Dialect.POSTGRES
        marks = rf"|{_VERSION_MARK}" if mysql else ""
        number = _SQLITE_NUMBER if self.dialect is Dialect.SQLITE else _DECIMAL
        return compiled(
            rf"""(?P<space>{_SPACE_CHARACTERS}{marks})
            |(?P<comment>{self.comment})
            |(?P<bits>[bB]'[01]*+'{rf"|0b[01]++{END_OF_WORD}" if mysql else ""})
            |(?P<bytes>[xX]'[0-9a-fA-F]*+'{rf"|0x[0-9a-fA-F]++{END_OF_WORD}" if mysql else ""})
            |(?P<escaped>[eE]{_ESCAPED}{"|" + dollar_text("tag") if postgres else ""})
            |(?P<national>[nN](?:{self.text}))
            |(?P<text>{self.text})
            |(?P<name>{self.quoted_name})
            |(?P<unclosed>{self.opening}[\s\S]*+)
            |(?P<number>{number}){END_OF_WORD}
            |(?P<word>{self.word})
            |(?P<sign>::|:=|[\s\S])"""
        )

    @cached_property
    def skim(self) -> re.Pattern[str]:
        """Anything up to a semicolon outside quotes and comments, a quote never closed, or PostgreSQL's `/*`."""
        if self.dialect is Dialect.POSTGRES:
            plain = r"[\x00-\x21\#%-&(-,.0-:<-@\[-\^`{-\x7f]++"
            return compiled(
                rf"""(?:{plain} | [eE]{_ESCAPED} | {WORD} | {self.text} | {_IN_DOUBLE} | {dollar_text("tag")}
                | \$(?!{_TAG}\$) | {DASHES} | -(?!-) | /(?!\*))*+"""
            )
        if self.dialect is Dialect.MYSQL:
            return self.skim_up_to(";")
        quoted = rf"{self.text}|{self.quoted_name}|{self.line_comment}|{BLOCK}"
        return compiled(rf"(?:[^;'\"`\[\#/-]++|{quoted}|(?!{self.opening})(?:[\[\#-]|/(?!\*)))*+")

    def skim_up_to(self, delimiter: str) -> re.Pattern[str]:
        """Anything up to a delimiter of MySQL outside quotes and comments, or a quote that is never closed.

        Version comments count as words.
        """
        plain = r"[^'\"`\#/" + re.escape(delimiter[0]) + r"-]++"
        other = rf"(?!{re.escape(delimiter)}|{self.opening})[\s\S]"
        return compiled(rf"(?:{plain}|{self.text}|{self.quoted_name}|{self.comment}|{other})*+")
