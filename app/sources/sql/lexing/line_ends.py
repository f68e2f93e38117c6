r"""A text whose line ends are marked, as `.dump` of the sqlite3 shell writes it: `replace('a\nb','\n',char(10))`."""

_TEXT = r"'(?:[^']++|'')*+'"
_GAP = r"[\ \t\n\f\r]*+"
_COMMA = rf"{_GAP},{_GAP}"
_REPLACE = rf"(?i:replace){_GAP}\({_GAP}"


def _line_end(mark: str, code: int) -> str:
    """A mark in a text, one of those that the shell chooses from, the character it stands for, and the call's end."""
    marks = rf"(?-i:\\(?:{mark}|0{code:02o})|\(\\{mark}[0-9]++\))"
    return rf"'{marks}'{_COMMA}(?i:char){_GAP}\({_GAP}{code}{_GAP}\){_GAP}\)"


_LINE_FEED, _CARRIAGE_RETURN = _line_end("n", 10), _line_end("r", 13)
TEXT_WITH_LINE_ENDS = rf"""{_REPLACE}(?: {_TEXT}{_COMMA}(?:{_LINE_FEED}|{_CARRIAGE_RETURN})
                             | {_REPLACE}{_TEXT}{_COMMA}{_CARRIAGE_RETURN}{_COMMA}{_LINE_FEED} )"""
"""A verbose pattern; no space is as long as a comment there, since the shell writes none at all."""
