"""Cypher text: statements from `cypher/` with their identifiers filled in, escaped."""

import re
from collections.abc import Sequence

from cypher import statement

_PLACEHOLDER = re.compile(r"__[A-Z]+__")


def quoted(name: str) -> str:
    r"""A label, type or property name as a Cypher identifier, whatever characters it has.

    Backticks are doubled. Cypher also reads \\uXXXX anywhere in a statement, before it looks for the end of an
    identifier, so a backslash is written that way itself.

    >>> print(quoted("a`b"), quoted(r"\u0060"))
    `a``b` `\u005Cu0060`
    """
    escaped = name.replace("\\", "\\u005C").replace("`", "``")
    return f"`{escaped}`"


def filled(name: str, **identifiers: str) -> str:
    """The statement `name` with its placeholders replaced by this text, which must be escaped already.

    >>> filled("count_type", TYPE=quoted("IN")).splitlines()
    ['MATCH ()-[r:`IN`]->() RETURN count(r) AS count']
    """
    return _PLACEHOLDER.sub(lambda found: identifiers[found.group()[2:-2]], statement(name))


def property_map(names: Sequence[str]) -> str:
    """The map that gives property k the cell `$columns[k][i]`.

    >>> property_map(["id", "full name"])
    '{`id`: $columns[0][i], `full name`: $columns[1][i]}'
    """
    return "{" + ", ".join(f"{quoted(name)}: $columns[{k}][i]" for k, name in enumerate(names)) + "}"
