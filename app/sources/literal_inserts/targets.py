"""Tells which groups in parentheses are rows, and which table and columns each row is for."""

from dataclasses import dataclass

import numpy as np

from app.sources import sql_lexicon as lexicon
from app.sources.literal_inserts.distinct import distinct_codes, distinct_texts
from app.sources.literal_inserts.groups import Bytes, Groups, UnusualScriptError
from app.sources.literal_inserts.leads import Lead, Leads, name_of, read_leads
from app.sources.sql_lexicon import compiled_bytes
from app.tables.dictionary import IntArray

_COLUMN = rf"{lexicon.SPACE}(?P<name>{lexicon.NAME}){lexicon.SPACE}[,)]"


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


class Targets:
    """The targets of all INSERTs of a script so far; rows refer to them by their place in `found`."""

    def __init__(self) -> None:
        self.found: list[Target] = []
        self._places: dict[Target, int] = {}

    def rows(self, block: Bytes, groups: Groups, current: int | None) -> RowGroups:
        """The rows of a block that goes on after a row for the target `current`, or begins with an INSERT (None).

        Raises `UnusualScriptError` where a list of columns and a row do not belong together.
        """
        leads = read_leads(block, groups, is_start=current is None)
        kinds = _up_to_a_row(leads.kinds)
        rows = (kinds != Lead.COLUMN_LIST).nonzero()[0]
        targets = _inherited(self._targets(block, groups, leads, kinds)[rows], current)
        end = int(groups.closes[len(kinds) - 1]) + 1 if len(kinds) else 0
        return RowGroups(rows, targets, end, groups.stops or leads.ends)

    def _targets(self, block: Bytes, groups: Groups, leads: Leads, kinds: IntArray) -> IntArray:
        """The place of each group's target, -1 for that of the row before it and for lists of columns."""
        targets = np.full(len(kinds), -1)
        firsts = (kinds == Lead.FIRST_ROW).nonzero()[0]
        targets[firsts] = self._placed([Target(table) for table in leads.tables], leads.places[firsts])
        lists = (kinds == Lead.COLUMN_LIST).nonzero()[0]
        targets[lists + 1] = self._listed(block, groups, leads, lists)
        return targets

    def _listed(self, block: Bytes, groups: Groups, leads: Leads, lists: IntArray) -> IntArray:
        """The places of the targets that lists of columns belong to."""
        codes, texts = distinct_texts(block, groups.opens[lists] + 1, groups.closes[lists] + 1)
        pairs, pair_codes = distinct_codes(leads.places[lists] * (len(texts) + 1) + codes)
        found = [divmod(pair, len(texts) + 1) for pair in pairs.tolist()]
        targets = [Target(leads.tables[table], _columns(texts[listed])) for table, listed in found]
        return self._placed(targets, pair_codes)

    def _placed(self, targets: list[Target], codes: IntArray) -> IntArray:
        """The places of targets, of which each code names one."""
        named, inverse = distinct_codes(codes)
        return np.array([self._place(targets[code]) for code in named.tolist()], np.int64)[inverse]

    def _place(self, target: Target) -> int:
        place = self._places.setdefault(target, len(self.found))
        if place == len(self.found):
            self.found.append(target)
        return place


def _up_to_a_row(kinds: IntArray) -> IntArray:
    """The leads without a list of columns at their end, whose row is still to come.

    Raises `UnusualScriptError` unless a listed row follows each other list, and nothing else.
    """
    if len(kinds) and kinds[-1] == Lead.COLUMN_LIST:
        kinds = kinds[:-1]
    follows_list = np.zeros(len(kinds), np.bool_)
    follows_list[1:] = kinds[:-1] == Lead.COLUMN_LIST
    if ((kinds == Lead.LISTED_ROW) != follows_list).any():
        raise UnusualScriptError
    return kinds


def _columns(text: bytes) -> tuple[str, ...]:
    """The folded names of a list of columns with its parenthesis; `UnusualScriptError` where a name comes twice."""
    at, names = 0, list[str]()
    while at < len(text):
        match = compiled_bytes(_COLUMN).match(text, at)
        if match is None:
            raise UnusualScriptError
        names.append(name_of(match["name"]))
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
