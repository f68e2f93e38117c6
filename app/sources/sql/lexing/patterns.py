"""Regular expressions with possessive groups, also on the Python releases that match those wrongly.

They are compiled when they are first used: modules keep them as text, since compiling takes longer than importing.
"""

import re
import sys
from functools import lru_cache

WORD_START = r"[^\x00-@\[-\^`{-\x7f]"
"""What an unquoted name begins with: everything but ASCII's digits, $ and signs.

The same with a range up to the last character would compile slowly.
"""

WORD_PART = r"[^\x00-\#%-/:-@\[-\^`{-\x7f]"
"""What an unquoted name goes on with: digits and $ too."""

_MATCHES_POSSESSIVE_GROUPS = sys.version_info >= (3, 11, 5)
"""Before 3.11.5 a possessive group that may backtrack inside can stop short (CPython issue 106052)."""

_PARTS = re.compile(
    r"\\.|\[\^?\]?(?:\\.|[^\]\\])*\]|\((?:\?(?:P<\w+>|[a-zA-Z]+(?:-[a-z]+)?:|<?[=!:>]))?|\)|[*+?]\+|\{\d*,?\d*\}\+|.",
    re.DOTALL,
)


@lru_cache(maxsize=1_000)
def compile_pattern(pattern: str, flags: int = 0) -> re.Pattern[str]:
    """`re.compile`, once for each pattern; possessive groups mean the same on every Python that is supported.

    Where Python matches them rightly they stay: they keep no state to go back to, so they cost less memory.
    """
    return re.compile(_portable(pattern), flags)


def _portable(pattern: str) -> str:
    return pattern if _MATCHES_POSSESSIVE_GROUPS else with_atomic_groups(pattern)


def with_atomic_groups(pattern: str) -> str:
    """The pattern with each possessive group `(…)*+` as the atomic group `(?>(…)*)`, which means the same.

    >>> with_atomic_groups(r"(?:a|b[)*+]++)*+c?+")
    '(?>(?:a|b[)*+]++)*)c?+'
    """
    parts: list[str] = []
    openings: list[int] = []
    closed: int | None = None
    for part in _PARTS.findall(pattern):
        parts.append(part)
        if closed is not None and _is_possessive(part):
            parts[closed] = "(?>" + parts[closed]
            parts[-1] = part[:-1] + ")"
        closed = openings.pop() if part == ")" else None
        if part.startswith("("):
            openings.append(len(parts) - 1)
    return "".join(parts)


def _is_possessive(part: str) -> bool:
    return len(part) > 1 and part[0] in "*+?{" and part.endswith("+")
