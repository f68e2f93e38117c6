"""Tells what stands before each group in parentheses, and so what the group is.

What stands between two groups (or before the first), up to the parenthesis, is the lead of the second. A dump has few
different ones, so each is matched once: a comma before a further row, `INSERT INTO t VALUES` before the first one, and
`INSERT INTO t` and `VALUES` around a list of columns. The parenthesis is matched too: one in a comment is none.
"""

import re
from dataclasses import dataclass
from enum import IntEnum

import numpy as np

from app.sources import sql_lexicon as lexicon
from app.sources.literal_inserts.distinct import distinct_texts
from app.sources.literal_inserts.groups import Bytes, Groups, UnusualScriptError
from app.sources.sql_lexicon import compiled_bytes, unquoted, word
from app.tables.dictionary import IntArray

_TABLE = rf"(?!{lexicon.OWN_TABLE})(?P<table>{lexicon.NAME}){lexicon.SPACE}"
_INSERT = rf"{word('INSERT INTO')}{_TABLE}(?P<values>{word('VALUES')})?+"
_COMMA, _SEMICOLON, _OPEN = b",", b";", b"("


class Lead(IntEnum):
    """What a group is by its lead."""

    FIRST_ROW = 0
    COLUMN_LIST = 1
    LISTED_ROW = 2
    NEXT_ROW = 3


@dataclass(frozen=True, slots=True)
class _Named:
    """A lead, and the folded name of the table in it."""

    kind: Lead
    table: str = ""


@dataclass(frozen=True, eq=False, slots=True)
class Leads:
    """The leads of groups in order, shape (groups,), and the place of each one's table in `tables`, if it names one.

    `ends` says that a group follows which is led to by anything else.
    """

    kinds: IntArray
    places: IntArray
    tables: list[str]
    ends: bool


def begins(script: bytes, at: int) -> bool:
    """Whether an INSERT into a user's table seems to begin here."""
    return _insert(script, at) is not None


def goes_on(script: bytes, at: int) -> bool:
    """Whether a further row, or an INSERT after the end of a statement, seems to follow a row."""
    at = _after_space(script, at)
    if script.startswith(_SEMICOLON, at):
        return begins(script, after_blank(script, at + 1))
    return script.startswith(_COMMA, at)


def end_of_statement(script: bytes, at: int) -> int:
    """The offset after the semicolon that follows a row; `UnusualScriptError` where there is none."""
    at = _after_space(script, at)
    if at < len(script) and not script.startswith(_SEMICOLON, at):
        raise UnusualScriptError
    return min(at + 1, len(script))


def read_leads(block: Bytes, groups: Groups, *, is_start: bool) -> Leads:
    """The leads up to the first one that leads to no row; at the start of a run, the first begins an INSERT."""
    read: dict[bytes, _Named | None] = {}

    def leads_nowhere(text: bytes) -> bool:
        read[text] = _lead(text)
        return read[text] is None

    starts = np.concatenate([[0], groups.closes + 1])[: len(groups)]
    first = int(is_start and len(groups) > 0)
    codes, texts = distinct_texts(block, starts[first:], groups.opens[first:] + 1, leads_nowhere)
    named = [read[text] for text in texts]
    if first:
        codes = np.concatenate([[len(named)], codes])
        named.append(_first_lead(block[: groups.opens[0] + 1].tobytes()))
    leads_on = np.array([*(each is not None for each in named), False])[codes]
    count = len(codes) if leads_on.all() else int(leads_on.argmin())
    kinds = np.array([each.kind if each else -1 for each in named], np.int64)
    tables = [each.table if each else "" for each in named]
    return Leads(kinds[codes[:count]], codes[:count], tables, ends=count < len(codes))


def _lead(text: bytes) -> _Named | None:
    """What stands between two groups, with the second's parenthesis; None where it leads to no row."""
    at = _after_space(text, 0)
    if text.startswith(_SEMICOLON, at):
        return _first_lead(text, after_blank(text, at + 1))
    if text.startswith(_COMMA, at):
        return _Named(Lead.NEXT_ROW) if text[_after_space(text, at + 1) :] == _OPEN else None
    values = compiled_bytes(word("VALUES")).match(text, at)
    return _Named(Lead.LISTED_ROW) if values and text[values.end() :] == _OPEN else None


def _first_lead(text: bytes, at: int = 0) -> _Named | None:
    match = _insert(text, at)
    if match is None or text[match.end() :] != _OPEN:
        return None
    return _Named(Lead.FIRST_ROW if match["values"] else Lead.COLUMN_LIST, name_of(match["table"]))


def _insert(script: bytes, at: int) -> re.Match[bytes] | None:
    return compiled_bytes(_INSERT).match(script, at)


def after_blank(script: bytes, at: int) -> int:
    """The offset after empty statements, space and comments."""
    return _after(lexicon.BLANK, script, at)


def _after_space(script: bytes, at: int) -> int:
    return _after(lexicon.SPACE, script, at)


def _after(anything: str, script: bytes, at: int) -> int:
    match = compiled_bytes(anything).match(script, at)
    assert match is not None, "the pattern matches nothing at all as well"
    return match.end()


def name_of(written: bytes) -> str:
    """The folded name that an identifier means."""
    return unquoted(written.decode("utf-8"))
