"""Steps over expressions, and tells what a DEFAULT stands for: a literal, the next number, or something computed."""

from app.sources.sql.definitions.model import Computed, Default, Drawn, Literal
from app.sources.sql.definitions.namespace import Namespace
from app.sources.sql.definitions.types import read_type
from app.sources.sql.lexing.cursor import Cursor
from app.sources.sql.lexing.syntax import compiled
from app.sources.sql.lexing.tokens import TokenKind

_SIGNS = ("+", "-", "~", "!")
_OPERATORS = frozenset(["+", "-", "*", "/", "%", "^", "|", "&", "<", ">", "=", "~", "!", "#", "@"])
_WORD_OPERATORS = ("AT TIME ZONE", "AND", "OR", "XOR", "DIV", "MOD", "LIKE", "IS NOT", "IS", "COLLATE")
_CONSTANTS = (TokenKind.TEXT, TokenKind.NATIONAL, TokenKind.NUMBER, TokenKind.BITS, TokenKind.BYTES)
_SHOWN = 60


def read_default(cursor: Cursor, namespace: Namespace) -> Default:
    """The default whose expression comes next."""
    first = cursor.token
    drawn = _drawn(cursor, namespace)
    if drawn is not None:
        return drawn
    skip_expression(cursor, namespace)
    written = _without_brackets(cursor.script.text[first.start : cursor.peek(-1).end])
    if compiled(cursor.syntax.cell).fullmatch(written) and written.upper() != "DEFAULT":
        return Literal(written)
    return Computed(" ".join(written.split())[:_SHOWN])


def _without_brackets(written: str) -> str:
    """A constant without the brackets around it, and without a blank after its sign."""
    while written.startswith("(") and written.endswith(")"):
        written = written[1:-1].strip()
    return written[0] + written[1:].lstrip() if written[:1] in ("+", "-") else written


def _drawn(cursor: Cursor, namespace: Namespace) -> Default | None:
    """The default that is nothing but the next number of a sequence that is known."""
    ahead = 0
    while cursor.peek(ahead).word == "(":
        ahead += 1
    words = [cursor.peek(ahead + place).word for place in range(3)]
    if "NEXTVAL" not in words and words != ["NEXT", "VALUE", "FOR"]:
        return None
    attempt = cursor.copy()
    for _ in range(ahead):
        attempt.expect("(")
    attempt.accept("PG_CATALOG .")
    if attempt.accept("NEXT VALUE FOR"):
        name = attempt.table_name("")
    elif attempt.accept("NEXTVAL"):
        inner = attempt.within(attempt.group())
        while inner.accept("("):
            pass
        is_text = inner.token.kind is TokenKind.TEXT
        name = namespace.named_in_text(inner, inner.text()) if is_text else inner.table_name("")
    else:
        return None
    sequence = namespace.sequence(name)
    if sequence is None or not all(attempt.accept(")") for _ in range(ahead)) or attempt.word in _OPERATORS:
        return None
    cursor.go_to(attempt)
    return Drawn(sequence)


def skip_expression(cursor: Cursor, namespace: Namespace) -> None:
    """Step over an expression: operands with operators between; whatever comes after is for others to understand."""
    _skip_operand(cursor, namespace)
    while _accept_operator(cursor):
        _skip_operand(cursor, namespace)


def _accept_operator(cursor: Cursor) -> bool:
    if cursor.accept(*_WORD_OPERATORS):
        return True
    found = False
    while cursor.word in _OPERATORS:
        cursor.take()
        found = True
    return found


def _skip_operand(cursor: Cursor, namespace: Namespace) -> None:
    while cursor.accept(*_SIGNS, "NOT"):
        pass
    if cursor.word == "(":
        cursor.group()
    elif cursor.token.kind in _CONSTANTS:
        cursor.take()
    elif cursor.accept("ARRAY"):
        _skip_square_brackets(cursor)
    elif cursor.at_name:
        cursor.dotted_name()
        if cursor.word == "(":
            cursor.group()
        elif cursor.token.kind in (TokenKind.TEXT, TokenKind.BYTES, TokenKind.BITS):
            cursor.take()
    else:
        raise cursor.refusal("a value is wanted")
    while cursor.accept("::"):
        read_type(cursor, namespace.types)


def _skip_square_brackets(cursor: Cursor) -> None:
    cursor.expect("[")
    depth = 1
    while depth and not cursor.at_end:
        word = cursor.take().word
        depth += (word == "[") - (word == "]")
