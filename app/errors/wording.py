"""Wording that messages have in common."""

from collections.abc import Iterable


def listed(names: Iterable[str], most: int = 20) -> str:
    """The names one after the other, of many the first and the number of the others.

    >>> listed("abc"), listed(map(str, range(30)), most=3)
    ('a, b, c', '0, 1, 2 and 27 more')
    """
    every = list(names)
    return ", ".join(every[:most]) + (f" and {len(every) - most:,} more" if len(every) > most else "")


def fault_of(error: Exception) -> str:
    """What was wrong with a document, by the exception that reading it raised.

    >>> fault_of(KeyError("id")), fault_of(ValueError("position does not count from 0"))
    ("'id' is missing", 'position does not count from 0')
    """
    return f"{error} is missing" if isinstance(error, KeyError) else str(error)
