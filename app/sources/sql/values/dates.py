"""Dates and times as their database prints them: a script may write 2021/1/9 of what a dump says 2021-01-09.

A text that the database would print otherwise, in a way that is not followed here, is refused.
"""

import re
from collections.abc import Callable, Sequence
from datetime import UTC, datetime, timedelta, timezone
from functools import cache

from app.sources.dialect import Dialect
from app.sources.sql.definitions.model import SqlType
from app.sources.sql.lexing.patterns import compile_pattern
from app.sources.sql.rows.batches import Cell
from app.sources.sql.values.bad_value import BadValueError

_FLAGS = int(re.ASCII)
_DATE = r"\d{4,6}-(?:0[1-9]|1[0-2])-(?:0[1-9]|[12]\d|3[01])"
_CLOCK = r"(?:[01]\d|2[0-3]):[0-5]\d:[0-5]\d"
_SPECIAL = r"-?+infinity"
_WRITTEN = re.compile(
    r"(?P<year>\d{4})[-/.](?P<month>\d{1,2})[-/.](?P<day>\d{1,2})"
    r"(?:[ T]+(?P<hour>\d{1,2}):(?P<minute>\d{1,2})(?::(?P<second>\d{1,2}))?(?P<fraction>\.\d*)?"
    r"\s*(?P<zone>Z|UTC|[+-]\d\d(?::?\d\d)?)?)?",
    re.ASCII | re.IGNORECASE,
)
_TIME = re.compile(
    r"(?P<sign>-?)(?P<hour>\d{1,3}):(?P<minute>\d{1,2})(?::(?P<second>\d{1,2}))?(?P<fraction>\.\d*)?"
    r"(?P<zone>[+-]\d\d(?::\d\d)?)?",
    re.ASCII,
)
_OFFSET = re.compile(r"(?P<sign>[+-])(?P<hours>\d\d):?(?P<minutes>\d\d)?(?::(?P<seconds>\d\d))?")
_PRINTED_IN_ZONE = re.compile(
    rf"(?P<moment>{_DATE} {_CLOCK}(?:\.\d{{1,6}})?)(?P<zone>[+-]\d\d(?::\d\d){{0,2}})?(?P<bc> BC)?", re.ASCII
)
INTERVAL = (
    r"(?:-?\d+ years?)?(?: ?[+-]?\d+ mons?)?(?: ?[+-]?\d+ days?)?(?: ?[+-]?\d+:[0-5]\d:[0-5]\d(?:\.\d{0,5}[1-9])?)?"
)
"""How PostgreSQL prints an interval."""

_UTC_OFFSET = "+00"


@cache
def dates_of(dialect: Dialect, declared: SqlType, in_utc: bool) -> Callable[[Sequence[Cell]], list[Cell]]:
    """What makes the cells of a type of dates or times what the database prints."""
    form = _Form(dialect, declared, in_utc)
    return form.printed


class _Form:
    """How one type of one database is printed."""

    def __init__(self, dialect: Dialect, declared: SqlType, in_utc: bool) -> None:
        self._dialect = dialect
        self._name = declared.name
        default = 0 if dialect is Dialect.MYSQL else 6
        self._digits = declared.numbers[0] if declared.numbers else default
        self._in_utc = in_utc
        self._pattern = compile_pattern(rf"(?:(?:{self._printed_pattern()})?\n)*+", _FLAGS)

    def printed(self, cells: Sequence[Cell]) -> list[Cell]:
        """The cells as they are printed; those that are so already are not looked at one by one."""
        if self._pattern.fullmatch("\n".join([cell for cell in cells if isinstance(cell, str)] + [""])):
            return list(cells)
        return [self._one(place, cell) if isinstance(cell, str) else cell for place, cell in enumerate(cells)]

    def _printed_pattern(self) -> str:
        if self._dialect is Dialect.MYSQL:
            fraction = rf"\.\d{{{self._digits}}}" if self._digits else ""
            clock = rf"{_CLOCK}{fraction}"
            return {
                "date": rf"{_DATE}|0000-00-00",
                "time": rf"-?+\d{{2,3}}:[0-5]\d:[0-5]\d{fraction}",
            }.get(self._name, rf"{_DATE} {clock}|0000-00-00 00:00:00{fraction}")
        fraction = rf"(?:\.\d{{0,{max(0, self._digits - 1)}}}[1-9])?+" if self._digits else ""
        clock = rf"{_CLOCK}{fraction}"
        return {
            "date": rf"{_DATE}(?:\ BC)?|{_SPECIAL}",
            "time": clock,
            "timetz": rf"{clock}[+-]\d\d(?::\d\d){{0,2}}",
            "timestamptz": rf"{_DATE} {clock}\+00(?:\ BC)?|{_SPECIAL}",
        }.get(self._name, rf"{_DATE} {clock}(?:\ BC)?|{_SPECIAL}")

    def _one(self, place: int, text: str) -> str:
        if self._pattern.fullmatch(text + "\n"):
            return text
        if text == "" and self._dialect is Dialect.MYSQL:
            raise self._refused(place, text)
        if self._name in ("time", "timetz"):
            return self._time(place, text)
        if self._name == "timestamptz":
            found = _PRINTED_IN_ZONE.fullmatch(text)
            if found and found["zone"]:
                return self._at_utc(place, text, found["moment"], found["zone"], found["bc"] or "")
        return self._written(place, text)

    def _written(self, place: int, text: str) -> str:
        found = _WRITTEN.fullmatch(text.strip())
        if found is None:
            raise self._refused(place, text)
        date = f"{found['year']}-{found['month']:0>2}-{found['day']:0>2}"
        if self._name == "date":
            return self._checked(place, date, text)
        clock = f"{found['hour'] or '0':0>2}:{found['minute'] or '0':0>2}:{found['second'] or '0':0>2}"
        moment = f"{date} {clock}{self._fraction(place, found['fraction'], text)}"
        if self._name == "timestamptz":
            zone = found["zone"] or ("Z" if self._in_utc else "")
            if not zone:
                reason = f"holds {text[:40]!r}, a time without an offset, whose zone only the server knows"
                raise BadValueError(place, reason, is_refusal=True)
            return self._at_utc(place, text, moment, zone, "")
        if found["zone"] and self._dialect is Dialect.MYSQL:
            raise self._refused(place, text)
        return self._checked(place, moment, text)

    def _checked(self, place: int, printed: str, text: str) -> str:
        if not self._pattern.fullmatch(printed + "\n"):
            raise self._refused(place, text)
        return printed

    def _time(self, place: int, text: str) -> str:
        found = _TIME.fullmatch(text)
        if found is None or (found["zone"] and self._name == "time"):
            raise self._refused(place, text)
        clock = f"{found['sign']}{found['hour']:0>2}:{found['minute']:0>2}:{found['second'] or '0':0>2}"
        printed = f"{clock}{self._fraction(place, found['fraction'], text)}{found['zone'] or ''}"
        return self._checked(place, printed, text)

    def _fraction(self, place: int, written: str | None, text: str) -> str:
        """A second's fraction as printed: MySQL's has the declared digits, PostgreSQL's ends with its last digit."""
        digits = (written or ".")[1:]
        if digits[self._digits :].strip("0"):
            raise self._refused(place, text)
        if self._dialect is Dialect.MYSQL:
            return f".{digits[: self._digits]:0<{self._digits}}" if self._digits else ""
        digits = digits[: self._digits].rstrip("0")
        return f".{digits}" if digits else ""

    def _at_utc(self, place: int, text: str, moment: str, zone: str, era: str) -> str:
        """A moment as a session in UTC prints it."""
        offset = _offset(zone)
        if offset is None or (offset and (era or len(moment.partition("-")[0]) > 4)):
            raise self._refused(place, text)
        if offset:
            try:
                local = datetime.fromisoformat(moment).replace(tzinfo=timezone(offset))
                at_utc = local.astimezone(UTC)
            except (ValueError, OverflowError):
                raise self._refused(place, text) from None
            fraction = f".{at_utc.microsecond:06}".rstrip("0") if at_utc.microsecond else ""
            moment = f"{at_utc.year:04}-{at_utc:%m-%d %H:%M:%S}{fraction}"
        return self._checked(place, f"{moment}{_UTC_OFFSET}{era}", text)

    def _refused(self, place: int, text: str) -> BadValueError:
        shown = f"holds {text[:40]!r}, which its database would print otherwise as a {self._name}"
        return BadValueError(place, shown, is_refusal=True)


def _offset(zone: str) -> timedelta | None:
    if zone.upper() in ("Z", "UTC"):
        return timedelta(0)
    found = _OFFSET.fullmatch(zone)
    if found is None:
        return None
    size = timedelta(hours=int(found["hours"]), minutes=int(found["minutes"] or 0), seconds=int(found["seconds"] or 0))
    return -size if found["sign"] == "-" else size


def years_of(_: SqlType, cells: Sequence[Cell]) -> list[Cell]:
    """Years of MySQL, of which two digits mean one near now; 0 is the year 0000 as a number, and 2000 as a text."""
    if all(cell is None or (isinstance(cell, str) and len(cell) == len("2000")) for cell in cells):
        return list(cells)
    return [_year(place, cell) if isinstance(cell, str) else cell for place, cell in enumerate(cells)]


def _year(place: int, written: str) -> str:
    if not written.isdecimal() or len(written) > 2:
        return written
    if int(written) == 0:
        raise BadValueError(place, f"holds the year {written}, which is 0000 as a number and 2000 as a text")
    return str(int(written) + (2000 if int(written) < 70 else 1900))
