"""Scripts with one slip of the pen, which a server's parser refuses and ours must not pass over."""

import re
from dataclasses import replace

from tests.campaigns.dumps.script import Definition, Rows, Script, Statement
from tests.campaigns.dumps.words import Dice

_TOKEN = re.compile(r"\w+|'(?:[^'\\\\]|''|\\\\.)*'|\"[^\"]*\"|`[^`]*`|\S", re.DOTALL)


_UNREAD = ("CHECK (", " AS (")
"""What a line has in which an expression stands that nothing of ours evaluates."""


def with_typo(script: Script, dice: Dice) -> Script:
    """The script with a token of a definition, of rows or of a later key left out, doubled, or misspelt."""
    able = [piece for piece in script.pieces if isinstance(piece, Definition | Rows) or _is_read(piece.text())]
    if not able:
        return script
    piece = dice.pick(able)
    slipped = Statement(_slipped(piece.text(), dice))
    return replace(script, pieces=tuple(slipped if each is piece else each for each in script.pieces))


def _is_read(text: str) -> bool:
    """Whether it is an ALTER TABLE; of one that does nothing for want of its table no word is read."""
    return text.upper().startswith("ALTER TABLE") and "IF EXISTS" not in text


def _slipped(text: str, dice: Dice) -> str:
    tokens = [token for token in _TOKEN.finditer(text) if not _is_unread(text, token.start())][:-1]
    if not tokens:
        return text
    token = dice.pick(tokens)
    word = token.group()
    slip = dice.pick(("", "", f"{word} {word}", f"{word} oops", word[:-1], f"{word},", f"{word})", f"({word}"))
    return text[: token.start()] + slip + text[token.end() :]


def _is_unread(text: str, at: int) -> bool:
    line = text[text.rfind("\n", 0, at) + 1 :].partition("\n")[0]
    return any(words in line for words in _UNREAD)
