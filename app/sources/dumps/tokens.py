"""The tokens of one definition, cut by sqlglot, and a cursor that walks over them.

sqlglot's parser is left aside: it knows fewer types and table options than dumps have, and it recurses.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from enum import Enum

from sqlglot.errors import SqlglotError
from sqlglot.tokenizer_core import Token as ForeignToken
from sqlglot.tokenizer_core import TokenType

from app.errors import SourceError
from app.sources.dialect import Dialect
from app.sources.dumps.lexicon import NOTE_START, Lexicon
from app.sources.dumps.model import TableName
from app.sources.dumps.script import Script
from app.sources.dumps.tokenizers import foreign_tokens
from app.sources.patterns import compile_pattern

_MOST_CHARACTERS = 1024 * 1024
_MOST_NESTED = 49
_TEXTS = frozenset(
    {TokenType.STRING, TokenType.NATIONAL_STRING, TokenType.HEREDOC_STRING, TokenType.BYTE_STRING, TokenType.RAW_STRING}
)
_KEPT = rf"`[^`]*+`|--(?=\s)[^\n]*+|\#[^\n]*+|{NOTE_START}(?:[^*]++|\*(?!/))*+\*/)|/\*M?!\d*+|\*/"
_MARKS = rf"(?P<kept>'(?:[^'\\]++|\\[\s\S])*+'|\"(?:[^\"\\]++|\\[\s\S])*+\"|{_KEPT}"
_MARKS_WITHOUT_ESCAPES = rf"(?P<kept>'[^']*+'|\"[^\"]*+\"|{_KEPT}"
_BITS = {TokenType.BIT_STRING: 2, TokenType.HEX_STRING: 16}


class TokenKind(Enum):
    """What a token is; BITS has become a decimal number."""

    WORD = "word"
    NAME = "quoted name"
    TEXT = "text"
    NUMBER = "number"
    BITS = "bits"
    SYMBOL = "symbol"


@dataclass(frozen=True, slots=True)
class Token:
    """A token's content without quotes, and where it begins and ends in the script."""

    kind: TokenKind
    text: str
    start: int
    end: int

    @property
    def word(self) -> str:
        """The upper-case word, or the symbol itself; "" for anything quoted."""
        return self.text.upper() if self.kind in (TokenKind.WORD, TokenKind.SYMBOL) else ""


_END = Token(TokenKind.SYMBOL, "", 0, 0)


def tokens_of(script: Script, start: int, end: int, lexicon: Lexicon) -> list[Token]:
    """The tokens of the statement at `start` to `end`; comments are gone.

    Raises `SqlUnsupportedError` for a statement too long or nested too deep, `SqlInvalidError` without tokens.
    """
    if end - start > _MOST_CHARACTERS:
        raise script.unsupported(start, f"a definition is longer than {_MOST_CHARACTERS:,} characters")
    try:
        foreign = foreign_tokens(_unwrapped(script.text[start:end], lexicon), lexicon)
    except SqlglotError as error:
        raise script.invalid(start, "the definition cannot be cut into words") from error
    tokens = [token for each in foreign for token in _converted(each, start)]
    _check_nesting(script, tokens)
    return tokens


def _unwrapped(text: str, lexicon: Lexicon) -> str:
    """A statement with spaces in place of the marks of MySQL's version comments, whose content is part of it."""
    if lexicon.dialect is Dialect.MYSQL and "/*" in text:
        marks = _MARKS if lexicon.escapes else _MARKS_WITHOUT_ESCAPES
        return compile_pattern(marks).sub(lambda found: found["kept"] or " " * len(found[0]), text)
    return text


def _converted(token: ForeignToken, offset: int) -> Iterator[Token]:
    start, end, kind = token.start + offset, token.end + offset + 1, token.token_type
    if kind is TokenType.IDENTIFIER:
        yield Token(TokenKind.NAME, token.text, start, end)
    elif kind in _TEXTS:
        yield Token(TokenKind.TEXT, token.text, start, end)
    elif kind is TokenType.NUMBER:
        yield Token(TokenKind.NUMBER, token.text, start, end)
    elif kind in _BITS:
        yield Token(TokenKind.BITS, str(int(token.text or "0", _BITS[kind])), start, end)
    else:
        yield from _words(token.text, start, end)


def _words(text: str, start: int, end: int) -> Iterator[Token]:
    """Words that sqlglot takes together, such as PRIMARY KEY, each by itself."""
    for word in text.split():
        is_word = word[0].isalpha() or word[0] == "_" or not word.isascii()
        yield Token(TokenKind.WORD if is_word else TokenKind.SYMBOL, word, start, end)


def _check_nesting(script: Script, tokens: list[Token]) -> None:
    depth = 0
    for token in tokens:
        depth += (token.word == "(") - (token.word == ")")
        if depth > _MOST_NESTED:
            raise script.unsupported(token.start, f"brackets are nested deeper than {_MOST_NESTED}")


class Cursor:
    """Walks over tokens; every complaint says where it stands."""

    def __init__(self, script: Script, dialect: Dialect, tokens: list[Token], at: int) -> None:
        self.script = script
        self.dialect = dialect
        self._tokens = tokens
        self._next = 0
        self._start = at

    @property
    def token(self) -> Token:
        """The next token; an empty symbol at the end."""
        return self._tokens[self._next] if self._next < len(self._tokens) else _END

    @property
    def at(self) -> int:
        """Where the next token begins, or at the end where the definition does."""
        return self.token.start if self.token is not _END else self._start

    @property
    def at_end(self) -> bool:
        """Whether no token is left."""
        return self._next >= len(self._tokens)

    def peek(self, ahead: int = 1) -> Token:
        """A token after the next one."""
        place = self._next + ahead
        return self._tokens[place] if place < len(self._tokens) else _END

    def take(self) -> Token:
        """The next token, which is then behind."""
        token = self.token
        self._next += 1
        return token

    def accept(self, phrase: str) -> bool:
        """Step over these words if they come next, all of them."""
        words = phrase.split()
        found = all(self.peek(place).word == word for place, word in enumerate(words))
        self._next += len(words) if found else 0
        return found

    def expect(self, phrase: str) -> None:
        """Step over these words; `SqlUnsupportedError` if something else comes."""
        if not self.accept(phrase):
            raise self.complaint(f"{phrase} is wanted")

    def complaint(self, reason: str) -> SourceError:
        """A refusal at the next token."""
        return self.script.unsupported(self.at, reason)

    def name(self) -> str:
        """A name; PostgreSQL folds those without quotes to lower case."""
        token = self.take()
        if token.kind is TokenKind.NAME:
            return token.text
        if token.kind is not TokenKind.WORD:
            self._next -= 1
            raise self.complaint("a name is wanted")
        return token.text.lower() if self.dialect is Dialect.POSTGRES else token.text

    def table_name(self, schema: str) -> TableName:
        """A table's name, in `schema` where it names none."""
        parts = [self.name()]
        while self.accept("."):
            parts.append(self.name())
        return TableName(parts[-2] if len(parts) > 1 else schema, parts[-1])

    def group(self) -> list[Token]:
        """The tokens between an opening bracket, which comes next, and its closing one; both are stepped over."""
        self.expect("(")
        inside: list[Token] = []
        depth = 1
        while not self.at_end:
            depth += (self.token.word == "(") - (self.token.word == ")")
            token = self.take()
            if depth == 0:
                return inside
            inside.append(token)
        raise self.script.invalid(self._start, "a bracket is never closed")

    def within(self, tokens: list[Token]) -> "Cursor":
        """A cursor over some of the tokens."""
        return Cursor(self.script, self.dialect, tokens, tokens[0].start if tokens else self.at)

    def elements(self, tokens: list[Token]) -> Iterator["Cursor"]:
        """A cursor for each part between commas outside brackets."""
        part: list[Token] = []
        depth = 0
        for token in tokens:
            depth += (token.word in ("(", "[")) - (token.word in (")", "]"))
            if token.word == "," and depth == 0:
                yield self.within(part)
                part = []
            else:
                part.append(token)
        if part:
            yield self.within(part)

    def rest(self) -> list[Token]:
        """All tokens that are left, which are then behind."""
        rest, self._next = self._tokens[self._next :], len(self._tokens)
        return rest
