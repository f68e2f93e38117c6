"""A cursor over the tokens of one statement; every complaint says where it stands."""

from collections.abc import Iterator, Sequence

from app.errors import SourceError
from app.sources.dialect import Dialect
from app.sources.sql.lexing.names import TableName
from app.sources.sql.lexing.script import Script
from app.sources.sql.lexing.syntax import Syntax
from app.sources.sql.lexing.tokens import Token, TokenKind

MOST_NESTED = 49
_END = Token(TokenKind.SIGN, "", "", 0, 0)
_NAMES = (TokenKind.WORD, TokenKind.NAME)
_DEEPER = {"(": 1, "[": 1, ")": -1, "]": -1}


class Cursor:
    """Walks over tokens without comments; `end` is the offset after the last of them."""

    def __init__(self, script: Script, syntax: Syntax, tokens: Sequence[Token], end: int) -> None:
        self.script = script
        self.syntax = syntax
        self._tokens = tokens
        self._next = 0
        self._end = end

    @property
    def dialect(self) -> Dialect:
        """Whose words these are."""
        return self.syntax.dialect

    @property
    def token(self) -> Token:
        """The next token; an empty sign at the end."""
        return self._tokens[self._next] if self._next < len(self._tokens) else _END

    @property
    def word(self) -> str:
        """The next keyword or sign, see `Token.word`."""
        return self.token.word

    @property
    def at(self) -> int:
        """Where the next token begins, or the end."""
        return self._end if self.at_end else self.token.start

    @property
    def at_end(self) -> bool:
        """Whether no token is left."""
        return self._next >= len(self._tokens)

    def peek(self, ahead: int = 1) -> Token:
        """A token after the next one."""
        place = self._next + ahead
        return self._tokens[place] if place < len(self._tokens) else _END

    def copy(self) -> "Cursor":
        """A cursor at the same place, for an attempt."""
        copied = Cursor(self.script, self.syntax, self._tokens, self._end)
        copied._next = self._next
        return copied

    def go_to(self, attempt: "Cursor") -> None:
        """Take over the place of a copy whose attempt went well."""
        self._next = attempt._next

    def take(self) -> Token:
        """The next token, which is then behind."""
        token = self.token
        self._next += 1
        return token

    def accept(self, *phrases: str) -> bool:
        """Step over the words of the first phrase that comes next whole, if any does."""
        for phrase in phrases:
            words = phrase.split()
            if all(self.peek(place).word == word for place, word in enumerate(words)):
                self._next += len(words)
                return True
        return False

    def expect(self, phrase: str) -> None:
        """Step over these words; a refusal if something else comes."""
        if not self.accept(phrase):
            raise self.refusal(f"{phrase} is wanted")

    def expect_end(self) -> None:
        """Refuse whatever is left: what is not understood is not passed over."""
        if not self.at_end:
            raise self.refusal(f"{self.token.written[:40]} is not understood here")

    def refusal(self, reason: str) -> SourceError:
        """A refusal at the next token."""
        return self.script.unsupported(self.at, reason)

    @property
    def at_name(self) -> bool:
        """Whether a name comes next; SQLite takes a text for one."""
        kind = self.token.kind
        return not self.at_end and (kind in _NAMES or (kind is TokenKind.TEXT and self.dialect is Dialect.SQLITE))

    def name(self) -> str:
        """A name; PostgreSQL folds those without quotes to lower case."""
        if not self.at_name:
            raise self.refusal("a name is wanted")
        token = self.take()
        folds = self.dialect is Dialect.POSTGRES and token.kind is TokenKind.WORD
        return token.meaning.lower() if folds else token.meaning

    def dotted_name(self) -> list[str]:
        """A name and those before it, with dots between."""
        parts = [self.name()]
        while self.accept("."):
            parts.append(self.name())
        return parts

    def table_name(self, schema: str) -> TableName:
        """A table's name, in `schema` if it names none, or SQLite's own; of three parts the first is the database."""
        *before, name = self.dotted_name()
        is_own = self.dialect is Dialect.SQLITE and [part.lower() for part in before] == ["main"]
        return TableName(schema if is_own or not before else before[-1], name)

    def text(self) -> str:
        """A text literal."""
        if self.token.kind not in (TokenKind.TEXT, TokenKind.NATIONAL):
            raise self.refusal("a text is wanted")
        return self.take().meaning

    def integer(self) -> int:
        """A whole number with or without a sign."""
        sign = -1 if self.accept("-") else 1
        self.accept("+")
        if self.token.kind is not TokenKind.NUMBER or not self.token.written.isdecimal():
            raise self.refusal("a whole number is wanted")
        return sign * int(self.take().written)

    def group(self) -> list[Token]:
        """The tokens between an opening bracket, which comes next, and its closing one; both are stepped over."""
        opening = self.at
        self.expect("(")
        inside: list[Token] = []
        depth = 1
        while not self.at_end:
            token = self.take()
            depth += (token.word == "(") - (token.word == ")")
            if depth == 0:
                return inside
            if depth > MOST_NESTED:
                raise self.script.unsupported(token.start, f"brackets are nested deeper than {MOST_NESTED}")
            inside.append(token)
        raise self.script.invalid(opening, "a bracket is never closed")

    def within(self, tokens: Sequence[Token]) -> "Cursor":
        """A cursor over some of the tokens."""
        return Cursor(self.script, self.syntax, tokens, tokens[-1].end if tokens else self.at)

    def elements(self, tokens: Sequence[Token]) -> Iterator["Cursor"]:
        """A cursor for each part between commas outside brackets; an empty part is refused by whoever reads it."""
        part: list[Token] = []
        depth = 0
        for token in tokens:
            depth += _DEEPER.get(token.word, 0)
            if depth < 0:
                raise self.script.unsupported(token.start, f"{token.written} closes nothing")
            if token.word == "," and depth == 0:
                yield Cursor(self.script, self.syntax, part, token.start)
                part = []
            else:
                part.append(token)
        if depth:
            raise self.script.unsupported(tokens[0].start, "a bracket is never closed")
        yield Cursor(self.script, self.syntax, part, tokens[-1].end if tokens else self.at)

    def rest(self) -> Sequence[Token]:
        """All tokens that are left, which are then behind."""
        rest, self._next = self._tokens[self._next :], len(self._tokens)
        return rest

    def elements_of_group(self) -> Iterator["Cursor"]:
        """The parts between commas in the brackets that come next."""
        return self.elements(self.group())

    def written(self, first: Token, last: Token) -> str:
        """The text from one token to another, with single blanks for its white space."""
        return " ".join(self.script.text[first.start : last.end].split())
