"""What names say about keys: words, singular forms, and how a column's name points at a table.

Only habits that hold in any schema are used (`customer_id`, `CustomerID`, `home_team_id`, `parent_id`, `dept_no`), and
a small vocabulary of roles; no name of a particular database is known here.
"""

import re
from collections import Counter, defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property, lru_cache
from typing import TypeAlias

Words: TypeAlias = tuple[str, ...]

_WORD = re.compile(r"(?<=[a-z])ID(?=[a-z]{3})|[A-Z]+(?![a-z])|[A-Z]?[a-z]+|[0-9]+|[^\W\d_A-Za-z]+")


def _vocabulary(words: str) -> frozenset[str]:
    return frozenset(words.split())


_STRONG = _vocabulary("id ids key pk fk uuid guid oid 编号 标识")
_WEAK = _vocabulary("code no nr num number ref cd 代码 号")
_KEY_WORDS = _STRONG | _WEAK
_GLUED = re.compile(r"(?P<stem>[a-z]{3,})(?:id|key|code|no|nr)|(?P<local>\w+?)(?:编号|代码|标识|号|id)")
_TABLE_NOISE = _vocabulary("tbl tb t table dim fact stg raw src")
_IRREGULAR = {"people": "person", "children": "child", "men": "man", "women": "woman", "mice": "mouse", "feet": "foot"}

_LEADERS = _vocabulary("manager supervisor superior boss reports mentor leader 上级")
_KIN = _vocabulary("parent predecessor successor previous prev next reply replies root ancestor original duplicate 父")
"""Words by which a row refers to another row of its own table, as `_LEADERS` are if the rows are people."""

_PARTICLES = _vocabulary("to of in on")
_STAFF_ROLES = _vocabulary(
    "manager rep representative agent owner author creator assignee approver reviewer seller salesperson "
    "supervisor contact head leader operator handler editor reporter"
)
_STAFF = _vocabulary(
    "employee emp staff user person member contact worker personnel officer agent teacher doctor physician "
    "nurse operator technician engineer consultant"
)
_PARTY_ROLES = _vocabulary(
    "user customer client member person buyer seller owner subscriber sender receiver recipient payer payee "
    "borrower lender follower followee author creator reviewer"
)
_PARTIES = _vocabulary("user customer client member person subscriber patron")
_CONTEST_ROLES = _vocabulary("winner loser opponent rival champion challenger finalist home away visitor")
_CONTESTANTS = _vocabulary("player team club athlete competitor contestant participant fighter driver candidate")
_ROLES = ((_STAFF_ROLES, _STAFF), (_PARTY_ROLES, _PARTIES), (_CONTEST_ROLES, _CONTESTANTS))
"""Words by which a column refers to a table whose name says something else, and what the table's name may say."""

_SEQUENCE = _vocabulary(
    "no nr num number seq sequence line position pos index idx rank ordinal step version revision order slot "
    "level round place"
)
_MEASURES = _vocabulary(
    "min minimum max maximum avg average mean total sum base count size amount quantity qty price score points "
    "rate percent age"
)
_CODES = _vocabulary("symbol abbreviation abbr iso iata icao ioc ident identifier slug")
_TIME = _vocabulary("date day time year month week quarter timestamp period at term semester season session")


def words_of(name: str) -> Words:
    """The words of a name in lower case.

    >>> words_of("SupportRepId"), words_of("order_line2"), words_of("CUSTOMER ID")
    (('support', 'rep', 'id'), ('order', 'line', '2'), ('customer', 'id'))
    """
    return tuple(word.lower() for word in _WORD.findall(name))


@lru_cache(maxsize=8192)
def forms_of(word: str) -> frozenset[str]:
    """A word and what may be its singular.

    >>> sorted(forms_of("matches")), sorted(forms_of("cities"))
    (['match', 'matche', 'matches'], ['citi', 'citie', 'cities', 'city'])
    """
    forms = {word, _IRREGULAR.get(word, word)}
    if len(word) > 3 and word.endswith("s") and not word.endswith("ss"):
        forms.add(word[:-1])
        if word.endswith("es"):
            forms.add(word[:-2])
        if word.endswith("ies"):
            forms.add(word[:-3] + "y")
    return frozenset(forms)


def same_word(left: str, right: str) -> bool:
    """Whether two words are the same, singular or plural."""
    return left == right or not forms_of(left).isdisjoint(forms_of(right))


def same_words(left: Sequence[str], right: Sequence[str]) -> bool:
    """Whether two names have the same words, singular or plural; empty names never do."""
    return len(left) == len(right) > 0 and all(map(same_word, left, right))


def ends_with(words: Sequence[str], tail: Sequence[str]) -> bool:
    """Whether `words` ends with all of `tail` (not empty)."""
    return 0 < len(tail) <= len(words) and same_words(words[-len(tail) :], tail)


def starts_with(words: Sequence[str], head: Sequence[str]) -> bool:
    """Whether `words` begins with all of `head` (not empty)."""
    return 0 < len(head) <= len(words) and same_words(words[: len(head)], head)


def is_abbreviation(short: str, word: str) -> bool:
    """Whether `short` begins `word`, or leaves out letters of it only.

    >>> is_abbreviation("dept", "department"), is_abbreviation("ship", "shippers"), is_abbreviation("art", "track")
    (True, True, False)
    """
    if not 3 <= len(short) < len(word) or short[0] != word[0]:
        return False
    letters = iter(word)
    return word.startswith(short) or (len(short) >= 4 and all(letter in letters for letter in short))


@dataclass(frozen=True)
class ColumnName:
    """A column's name in words, and what is left of it without the words that say that it is a key."""

    name: str

    @cached_property
    def words(self) -> Words:
        """All words."""
        return words_of(self.name)

    @cached_property
    def stem(self) -> Words:
        """The words without leading and trailing key words: `home_team_id` is about a home team; `id` about nothing."""
        words = list(self.words)
        while words and words[-1] in _KEY_WORDS:
            words.pop()
        while words and words[0] in _STRONG:
            words.pop(0)
        return tuple(words)

    @property
    def glued_stem(self) -> Words:
        """The stem of a name whose key word is not set apart (`customerid`); the stem itself otherwise."""
        stem = self.stem
        if self.has_key_word or not stem:
            return stem
        glued = _GLUED.fullmatch(stem[-1])
        return stem if glued is None else (*stem[:-1], str(glued["stem"] or glued["local"]))

    @property
    def unnumbered_stem(self) -> Words:
        """The stem without a number or letter that tells columns of one kind apart, as in `player_1` and `team_b`."""
        stem = self.glued_stem
        is_numbered = len(stem) > 1 and (stem[-1].isdecimal() or (len(stem[-1]) == 1 and stem[-1].isascii()))
        return stem[:-1] if is_numbered else stem

    @property
    def has_key_word(self) -> bool:
        """Whether a word says that the column holds a key."""
        return len(self.stem) < len(self.words)

    @property
    def is_keyed(self) -> bool:
        """Whether a word or the end of one says that the column holds a key."""
        return self.has_key_word or self.glued_stem != self.stem

    @property
    def is_code(self) -> bool:
        """Whether it may be called the key of a table that has another one."""
        return self.has_key_word or self.words[-1:] in {(word,) for word in _CODES}

    @property
    def is_measure(self) -> bool:
        """Whether the name is one of a quantity."""
        return not self.is_keyed and not _MEASURES.isdisjoint(self.words)

    @property
    def is_strong(self) -> bool:
        """Whether it says so plainly, as `id` does and `number` doesn't."""
        return bool(self.words) and (self.words[-1] in _STRONG or self.words[0] in _STRONG)

    @property
    def is_generic(self) -> bool:
        """Whether the name is nothing but key words."""
        return bool(self.words) and not self.stem

    @property
    def is_sequence(self) -> bool:
        """Whether the name counts something within something else."""
        return bool(self.words) and self.words[-1] in _SEQUENCE

    @property
    def counts_rows(self) -> bool:
        """Whether the name says outright that rows of one thing are counted, as in `shape_pt_sequence`."""
        return self.words[-1:] in (("sequence",), ("seq",))

    @property
    def is_time(self) -> bool:
        """Whether the name is one of a date or time."""
        return bool(_TIME.intersection(self.words))

    def refers_home(self, table: "TableName") -> bool:
        """Whether the name is the role of another row of the same table, as `parent_id` and `reply_to_comment` are."""
        roles = _KIN | _LEADERS if table.plays(_STAFF | _PARTIES) else _KIN
        rest = tuple(word for word in self.glued_stem if word not in roles | _PARTICLES)
        has_role = not roles.isdisjoint(self.glued_stem)
        return has_role and (not rest or ends_with(table.words, rest) or is_abbreviation(rest[-1], table.words[-1]))

    @cached_property
    def role_players(self) -> frozenset[str]:
        """Last words of tables that play the role that the name is, as employees do in `support_rep_id`."""
        if self.words[-1:] == ("by",):
            return _STAFF
        stem = self.glued_stem[-1:] if self.is_keyed else ()
        return frozenset().union(*(players for roles, players in _ROLES if not roles.isdisjoint(stem)))


@dataclass(frozen=True)
class TableName:
    """A table's name in words, without what every table's name begins with."""

    name: str
    words: Words

    def plays(self, players: frozenset[str]) -> bool:
        """Whether it is called by one of these words."""
        return bool(self.words) and not forms_of(self.words[-1]).isdisjoint(players)


class TableNames:
    """The names of all tables; a first word that nearly all share (`wp_posts`, `tbl_users`) says nothing."""

    def __init__(self, names: Iterable[str]) -> None:
        split = {name: words_of(name) for name in names}
        firsts = Counter(words[0] for words in split.values() if len(words) > 1)
        common, count = (firsts.most_common(1) or [("", 0)])[0]
        shared = len(split) > 2 and count >= 0.8 * len(split)
        dropped = _TABLE_NOISE | ({common} if shared else frozenset())
        self._names = {name: TableName(name, _without_first(words, dropped)) for name, words in split.items()}
        self._by_last_word: dict[str, list[TableName]] = defaultdict(list)
        for table in self._names.values():
            for form in {form for word in table.words[-1:] for form in forms_of(word)}:
                self._by_last_word[form].append(table)

    def __getitem__(self, name: str) -> TableName:
        return self._names[name]

    def called(self, stem: Words) -> list[TableName]:
        """The tables whose name a stem is."""
        forms = {form for word in stem[-1:] for form in forms_of(word)}
        near = {table.name: table for form in forms for table in self._by_last_word.get(form, ())}
        return [table for table in near.values() if same_words(stem, table.words)]


def _without_first(words: Words, dropped: frozenset[str]) -> Words:
    return words[1:] if len(words) > 1 and words[0] in dropped else words
