"""Tells which groups in parentheses are rows, and which table and columns each row is for.

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
from app.sources.sql_lexicon import compiled, word
from app.sources.sql_statements import unquoted
from app.tables.dictionary import IntArray

_INSERT = rf"{word('INSERT INTO')}(?!{lexicon.OWN_TABLE})(?P<table>{lexicon.NAME}){lexicon.SPACE}"
_FIRST_LEAD = rf"{_INSERT}(?P<values>{word('VALUES')})?+\("
_NEXT_STATEMENT = rf"{lexicon.SPACE};{lexicon.BLANK}{_FIRST_LEAD}"
_NEXT_ROW = rf"{lexicon.SPACE},{lexicon.SPACE}\("
_VALUES = rf"{lexicon.SPACE}{word('VALUES')}\("
_COLUMN = rf"{lexicon.SPACE}(?P<name>{lexicon.NAME}){lexicon.SPACE}[,)]"
_GOES_ON = rf"{lexicon.SPACE}(?:,|;{lexicon.BLANK}{_INSERT})"
_ENDS = rf"{lexicon.SPACE}{lexicon.STOP}"


class _Lead(IntEnum):
    FIRST_ROW = 0
    COLUMN_LIST = 1
    LISTED_ROW = 2
    NEXT_ROW = 3


@dataclass(frozen=True, slots=True)
class _Named:
    """A lead, and the folded name of the table in it."""

    kind: _Lead
    table: str = ""


@dataclass(frozen=True, slots=True)
class Target:
    """What an INSERT fills: a table, and the columns that it lists, or None for all; names are folded."""

    table: str
    columns: tuple[str, ...] | None = None


@dataclass(frozen=True, eq=False, slots=True)
class RowGroups:
    """Which groups are rows, in order, and the target of each, shape (rows,).

    The rows end at the offset `end`; `ends` says that something else than a row follows there.
    """

    groups: IntArray
    targets: IntArray
    end: int
    ends: bool


@dataclass(frozen=True, eq=False, slots=True)
class _Leads:
    """The leads of groups in order, and for those that name a table the place of its name in `tables`.

    `ends` says that a group follows which is led to by anything else.
    """

    kinds: IntArray
    names: IntArray
    tables: list[str]
    ends: bool


class Targets:
    """The targets of all INSERTs of a script so far; rows refer to them by their place in `found`."""

    def __init__(self) -> None:
        self.found: list[Target] = []
        self._places: dict[Target, int] = {}

    def rows(self, block: Bytes, groups: Groups, current: int | None) -> RowGroups:
        """The rows of a block that goes on after a row for the target `current`, or begins with an INSERT (None).

        Raises `UnusualScriptError` where a list of columns and a row do not belong together.
        """
        leads = _leads(block, groups, is_start=current is None)
        kinds = leads.kinds
        if len(kinds) and kinds[-1] == _Lead.COLUMN_LIST:
            kinds = kinds[:-1]
        count = len(kinds)
        is_list = kinds == _Lead.COLUMN_LIST
        if ((kinds == _Lead.LISTED_ROW) != np.concatenate([[False], is_list[:-1]])[:count]).any():
            raise UnusualScriptError
        targets = np.full(count, -1)
        firsts = (kinds == _Lead.FIRST_ROW).nonzero()[0]
        targets[firsts] = self._placed([Target(table) for table in leads.tables], leads.names[firsts])
        lists = is_list.nonzero()[0]
        targets[lists + 1] = self._listed(block, groups, leads, lists)
        rows = (~is_list).nonzero()[0]
        end = int(groups.closes[count - 1]) + 1 if count else 0
        return RowGroups(rows, _inherited(targets[rows], current), end, groups.stops or leads.ends)

    def _placed(self, targets: list[Target], codes: IntArray) -> IntArray:
        """The places of targets, of which each code names one."""
        named, inverse = np.unique(codes, return_inverse=True)
        return np.array([self._place(targets[code]) for code in named.tolist()], np.int64)[inverse]

    def _place(self, target: Target) -> int:
        place = self._places.setdefault(target, len(self.found))
        if place == len(self.found):
            self.found.append(target)
        return place

    def _listed(self, block: Bytes, groups: Groups, leads: _Leads, lists: IntArray) -> IntArray:
        """The places of the targets that lists of columns belong to."""
        codes, texts = distinct_texts(block, groups.opens[lists] + 1, groups.closes[lists] + 1)
        pairs, pair_codes = np.unique(leads.names[lists] * (len(texts) + 1) + codes, return_inverse=True)
        found = [divmod(pair, len(texts) + 1) for pair in pairs.tolist()]
        targets = [Target(leads.tables[table], _columns(texts[listed])) for table, listed in found]
        return self._placed(targets, pair_codes)


def begins(text: str, at: int) -> bool:
    """Whether an INSERT into a user's table seems to begin here."""
    return compiled(_INSERT).match(text, at) is not None


def goes_on(text: str, at: int) -> bool:
    """Whether a further row, or an INSERT after the end of a statement, seems to follow a row."""
    return compiled(_GOES_ON).match(text, at) is not None


def end_of_statement(text: str, at: int) -> int:
    """The offset after the semicolon that follows a row; `UnusualScriptError` where there is none."""
    match = compiled(_ENDS).match(text, at)
    if match is None:
        raise UnusualScriptError
    return match.end()


def _leads(block: Bytes, groups: Groups, *, is_start: bool) -> _Leads:
    """The leads up to the first one that leads to no row."""
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
    return _Leads(kinds[codes[:count]], codes[:count], tables, ends=count < len(codes))


def _lead(text: bytes) -> _Named | None:
    """What stands between two groups, with the second's parenthesis; None where it leads to no row."""
    lead = text.decode("latin-1")
    if compiled(_NEXT_ROW).fullmatch(lead):
        return _Named(_Lead.NEXT_ROW)
    if compiled(_VALUES).fullmatch(lead):
        return _Named(_Lead.LISTED_ROW)
    return _insert_lead(compiled(_NEXT_STATEMENT).fullmatch(lead))


def _first_lead(text: bytes) -> _Named | None:
    return _insert_lead(compiled(_FIRST_LEAD).fullmatch(text.decode("latin-1")))


def _insert_lead(match: re.Match[str] | None) -> _Named | None:
    if match is None:
        return None
    return _Named(_Lead.FIRST_ROW if match["values"] else _Lead.COLUMN_LIST, _name(match["table"]))


def _name(written: str) -> str:
    """The folded name that an identifier of UTF-8 text means whose bytes were taken for characters."""
    return unquoted(written.encode("latin-1").decode("utf-8"))


def _columns(text: bytes) -> tuple[str, ...]:
    """The folded names of a list of columns with its parenthesis; `UnusualScriptError` where a name comes twice."""
    listed, at = text.decode("latin-1"), 0
    names: list[str] = []
    while at < len(listed):
        match = compiled(_COLUMN).match(listed, at)
        if match is None:
            raise UnusualScriptError
        names.append(_name(match["name"]))
        at = match.end()
    if len(set(names)) < len(names):
        raise UnusualScriptError
    return tuple(names)


def _inherited(targets: IntArray, current: int | None) -> IntArray:
    """The targets of rows, where -1 means that of the row before; the first one goes on with `current`."""
    if current is not None:
        targets = np.concatenate([[current], targets])
    known = np.where(targets >= 0, np.arange(len(targets)), 0)
    return targets[np.maximum.accumulate(known)][int(current is not None) :]
