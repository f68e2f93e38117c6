"""Texts as `.dump` of the sqlite3 shell before 3.50 writes them, by the rules of its `shell.c`."""

from itertools import chain, count


def dumped_text(text: str) -> str:
    r"""A text literal; where the text has line ends, with marks for them that are found nowhere in it.

    >>> dumped_text("it's\n\\n")
    "replace('it''s\\012\\n','\\012',char(10))"
    """
    carriage_return, line_feed = _unused_mark(text, r"\r", r"\015"), _unused_mark(text, r"\n", r"\012")
    marked = text.replace("\r", carriage_return).replace("\n", line_feed)
    written = "'" + marked.replace("'", "''") + "'"
    if "\r" in text:
        written = f"replace({written},'{carriage_return}',char(13))"
    if "\n" in text:
        written = f"replace({written},'{line_feed}',char(10))"
    return written


def _unused_mark(text: str, first: str, second: str) -> str:
    numbered = (f"({first}{number})" for number in count())
    return next(mark for mark in chain((first, second), numbered) if mark not in text)
