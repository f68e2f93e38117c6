"""RFC 4180 as a state machine over characters: slow, plain, and the measure of the reader."""

import re
from dataclasses import dataclass
from enum import Enum, auto

BLANK_LINES = re.compile(r"(\r?\n)*")


class State(Enum):
    START = auto()
    BARE = auto()
    QUOTED = auto()
    CLOSED = auto()


@dataclass(frozen=True)
class Fault:
    """Why a text is refused; `line` is the physical line where the record begins, or where the quote opened."""

    kind: str
    record: int
    line: int


def read(text: str, delimiter: str = ",") -> list[list[str]] | Fault:  # noqa: C901, PLR0912 - one machine
    """All records with the header first, or the first fault; records have as many fields as the header.

    Blank lines at the end are not records of several fields.
    """
    if text and not text.endswith("\n"):
        text += "\n"
    records: list[list[str]] = []
    record: list[str] = []
    field, state, line, opened = "", State.START, 1, 0
    started, begun, at = 1, 0, 0
    while at < len(text):
        one, ahead = text[at], text[at + 1 : at + 2]
        at += 1
        line_end = one == "\n" or (one == "\r" and ahead == "\n")
        if state is State.QUOTED:
            line += one == "\n"
            if one == '"':
                state = State.CLOSED
            else:
                field += one
        elif one == delimiter or line_end:
            record.append(field)
            field, state = "", State.START
            if line_end:
                at += one == "\r"
                line += 1
                records.append(record)
                if len(record) != len(records[0]):
                    is_end = BLANK_LINES.fullmatch(text, begun) is not None
                    return records[:-1] if is_end else Fault("expected", len(records) - 1, started)
                record, started, begun = [], line, at
        elif one == '"' and state is State.CLOSED:
            field, state = field + '"', State.QUOTED
        elif one == '"' and state is State.START:
            state, opened = State.QUOTED, line
        elif state is State.CLOSED:
            return Fault("followed by", len(records), started)
        elif one == '"':
            return Fault("not quoted", len(records), started)
        elif one == "\r":
            return Fault("carriage return", len(records), started)
        else:
            field, state = field + one, State.BARE
    return Fault("never closed", len(records), opened) if state is State.QUOTED else records
