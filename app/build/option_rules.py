"""What a value of a construction option may be: one rule class a kind, each with its range in words."""

import json
import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Protocol

_TRUE = frozenset({"true", "1", "yes", "on"})
_FALSE = frozenset({"false", "0", "no", "off"})


class Rule(Protocol):
    """Accepts or refuses a value, says which are accepted, and reads one from environment text."""

    @property
    def range(self) -> str:
        """The accepted values in words: "a whole number from 1 to 100"."""
        ...

    def accepts(self, value: object) -> bool:
        """Whether `value` has the right type and lies in the range."""
        ...

    def parse(self, text: str) -> object:
        """The value that `text` from the environment means; text that fits no value comes back as it is."""
        ...


def json_or_text(text: str) -> object:
    """The JSON value of `text`, or `text` itself if it is not JSON."""
    try:
        return json.loads(text)
    except ValueError:
        return text


@dataclass(frozen=True, slots=True)
class Count:
    """A real integer within bounds; True is not 1, and 15.0 is not 15. None is one more value if `or_none` is set."""

    low: int
    high: int
    or_none: bool = False

    @property
    def range(self) -> str:
        """The bounds in words."""
        return f"a whole number from {self.low:,} to {self.high:,}"

    def accepts(self, value: object) -> bool:
        """Whether `value` is an integer within the bounds."""
        if value is None:
            return self.or_none
        return isinstance(value, int) and not isinstance(value, bool) and self.low <= value <= self.high

    def parse(self, text: str) -> object:
        """The JSON number of `text`."""
        return json_or_text(text)


@dataclass(frozen=True, slots=True)
class Quantity:
    """A finite number within bounds: seconds, ratios."""

    low: float
    high: float

    @property
    def range(self) -> str:
        """The bounds in words."""
        return f"a number from {self.low:,g} to {self.high:,g}"

    def accepts(self, value: object) -> bool:
        """Whether `value` is a finite number within the bounds."""
        is_number = isinstance(value, int | float) and not isinstance(value, bool)
        return is_number and math.isfinite(value) and self.low <= value <= self.high  # type: ignore[arg-type, operator]

    def parse(self, text: str) -> object:
        """The JSON number of `text`."""
        return json_or_text(text)


@dataclass(frozen=True, slots=True)
class Flag:
    """True or false."""

    range: str = "true or false"

    def accepts(self, value: object) -> bool:
        """Whether `value` is a boolean; 1 and 0 are not."""
        return isinstance(value, bool)

    def parse(self, text: str) -> object:
        """The boolean that `text` spells, as environments do: true, 1, yes, on and their opposites."""
        word = text.strip().lower()
        return word in _TRUE if word in _TRUE | _FALSE else text


@dataclass(frozen=True, slots=True)
class Choice:
    """One of a few words."""

    words: tuple[str, ...]

    @property
    def range(self) -> str:
        """The words."""
        return "one of " + ", ".join(self.words)

    def accepts(self, value: object) -> bool:
        """Whether `value` is one of the words."""
        return isinstance(value, str) and value in self.words

    def parse(self, text: str) -> object:
        """The word itself, without the spaces around it."""
        return text.strip()


@dataclass(frozen=True, slots=True)
class PlanList:
    """None, or a list of plan documents; the workload checks what is in them."""

    range: str = "a list of query plans (JSON objects)"

    def accepts(self, value: object) -> bool:
        """Whether `value` is None or a list of JSON objects."""
        is_list = isinstance(value, list | tuple)
        return value is None or (is_list and all(isinstance(plan, Mapping) for plan in value))  # type: ignore[attr-defined]

    def parse(self, text: str) -> object:
        """The JSON list of `text`."""
        return json_or_text(text)
