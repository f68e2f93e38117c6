"""Dice, names and texts that have broken readers of dumps."""

from collections.abc import Sequence
from random import Random
from typing import TypeVar

T = TypeVar("T")

TEXTS = (
    "",
    " ",
    "a",
    "A",
    "abc",
    "it's",
    'say "x"',
    "back\\slash",
    "\\",
    "\\\\",
    "\\N",
    "\\.",
    "\\n",
    "\\'",
    "x\\",
    "tab\there",
    "line\nbreak",
    "cr\r\nlf",
    "\n",
    "\r",
    "--no comment",
    "-- ; '",
    "/* none */",
    "/*",
    "*/",
    "$$",
    "$body$;",
    ";",
    "a;b",
    "'); DROP TABLE t; --",
    "COPY t FROM stdin;",
    "NULL",
    "null",
    "DEFAULT",
    "ä€😀",
    "é",
    "e\u0301",
    "É",
    "ß",
    "İ",
    "%_",
    "\\%",
    "\x01\x1a\x08",
    "trailing  ",
    "  leading",
    "`tick`",
    "0",
    "007",
    "7",
    "7.0",
    "1e3",
    "{a,b}",
    "(1,2)",
    ",",
    "x" * 300,
    "\u2028",
    "\u00a0",
    "\ufeff",
    "\x7f",
    "'",
    "''",
    '"',
    "@x := 1",
    "# hash",
    "/*!40101 x */",
    "DELIMITER ;;",
    "\\restrict",
    "--",
    "\n.\n",
    "\n\\.\n",
    "a\n-- b\nc",
    "true",
    "\t",
    "a\tb\\tc",
)

PLAIN_NAMES = (
    "id",
    "name",
    "code",
    "parent",
    "child",
    "item",
    "orders",
    "city",
    "team",
    "film",
    "ref",
    "total",
    "made",
    "note",
)
RESERVED_NAMES = (
    "order",
    "group",
    "select",
    "table",
    "user",
    "key",
    "primary",
    "references",
    "values",
    "check",
    "index",
    "default",
    "from",
    "type",
    "period",
    "date",
    "time",
    "timestamp",
    "text",
    "comment",
    "constraint",
    "like",
    "generated",
    "position",
    "value",
    "level",
    "sequence",
    "column",
    "unique",
    "foreign",
    "exclude",
    "start",
    "end",
    "set",
    "to",
    "partition",
    "inherits",
    "as",
)
ODD_NAMES = (
    "two words",
    "Camel",
    "UPPER",
    "a.b",
    "a'b",
    'a"b',
    "a`b",
    "1st",
    "é",
    "größe",
    "a-b",
    "a;b",
    "x--y",
    "a/*b*/",
    "a$b",
    "(a)",
    "a,b",
    "ends ",
    "100%",
    "_u",
    "a\\b",
    "l" * 60,
)


class Dice(Random):
    """A random generator with the few throws that generators need; `spice` is how much of the uncommon a case has."""

    spice = 1.0

    def rare(self, chance: float) -> bool:
        """Of what is uncommon, and may be refused: often in few cases rather than seldom in all."""
        return self.random() < chance * self.spice

    def maybe(self, chance: float) -> bool:
        return self.random() < chance

    def pick(self, things: Sequence[T]) -> T:
        return things[self.randrange(len(things))]

    def some(self, things: Sequence[T], least: int = 0) -> list[T]:
        """A few of them, in their order."""
        count = self.randint(least, len(things))
        return [things[place] for place in sorted(self.sample(range(len(things)), count))]


class Names:
    """Fresh names: mostly plain, some reserved, some odd; no two differ in ASCII case alone."""

    def __init__(self, dice: Dice, odd: float) -> None:
        self._dice = dice
        self._odd = odd
        self._taken: set[str] = set()

    def fresh(self) -> str:
        words = PLAIN_NAMES
        if self._dice.maybe(self._odd):
            words = self._dice.pick((RESERVED_NAMES, ODD_NAMES))
        name = self._dice.pick(words)
        number = 1
        while name.lower() in self._taken:
            number += 1
            name = f"{name[:50]}{number}"
        self._taken.add(name.lower())
        return name


def text_of(dice: Dice, longest: int | None = None, *, encoding: str = "utf-8") -> str:
    """A text that the encoding has, of at most so many characters."""
    text = (
        dice.pick(TEXTS)
        if dice.maybe(0.6)
        else dice.pick(PLAIN_NAMES) + dice.pick(("", " ", "-", "'")) + dice.pick(TEXTS)
    )
    text = text.encode(encoding, "ignore").decode(encoding)
    return text if longest is None else text[:longest]
