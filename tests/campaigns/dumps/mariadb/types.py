"""Types of MariaDB, values of them, and the ways in which people write those down."""

from collections.abc import Callable
from dataclasses import dataclass
from datetime import date, timedelta
from enum import StrEnum
from uuid import UUID

from tests.campaigns.dumps.words import Dice, text_of

Maker = Callable[[Dice], str]


class Form(StrEnum):
    """How values of a type can be written."""

    NUMBER = "number"
    TEXT = "text"
    DATE = "date"
    BITS = "bits"
    BYTES = "bytes"
    EXPRESSION = "expression"


@dataclass(frozen=True, slots=True)
class Type:
    """A type as declared, and what makes values of it; `has_default` types may have a literal default."""

    declared: str
    make: Maker
    form: Form = Form.TEXT
    has_default: bool = True


@dataclass(frozen=True, slots=True)
class Quoting:
    """What sql_mode says of quotes and backslashes."""

    backslashes: bool = True
    double_quotes: bool = True


def _whole(bits: int, unsigned: bool = False) -> Maker:
    def make(dice: Dice) -> str:
        low, high = (0, 2**bits - 1) if unsigned else (-(2 ** (bits - 1)), 2 ** (bits - 1) - 1)
        return str(
            dice.pick((0, 1, 7, high if bits < 64 or not unsigned or dice.maybe(0.1) else 8, low, dice.randint(0, 99)))
        )

    return make


def _decimal(digits: int, scale: int) -> Maker:
    def make(dice: Dice) -> str:
        whole = dice.randrange(10 ** (digits - scale))
        return dice.pick(("", "-", "")) + (f"{whole}.{dice.randrange(10**scale):0{scale}}" if scale else str(whole))

    return make


def _one_of(*texts: str) -> Maker:
    return lambda dice: dice.pick(texts)


def _text(longest: int | None = None, encoding: str = "utf-8") -> Maker:
    return lambda dice: text_of(dice, longest, encoding=encoding)


def _date(dice: Dice) -> str:
    if dice.rare(0.05):
        return dice.pick(("0000-00-00", "9999-12-31", "1000-01-01"))
    return str(date(1990, 1, 1) + timedelta(days=dice.randrange(15000)))


def _time(dice: Dice) -> str:
    fraction = dice.pick((".5", ".123456", ".000001")) if dice.rare(0.5) else ""
    return f"{dice.randrange(24):02}:{dice.randrange(60):02}:{dice.randrange(60):02}{fraction}"


def _long_time(dice: Dice) -> str:
    return dice.pick(("-01:02:03", "838:59:59", "10:11", "0:0:1", "101112", "7")) if dice.rare(0.5) else _time(dice)


def _moment(dice: Dice) -> str:
    return f"{date(1990, 1, 1) + timedelta(days=dice.randrange(12000))} {_time(dice)}"


def _hex_bytes(longest: int) -> Maker:
    return lambda dice: dice.randbytes(dice.randint(0, longest)).hex()


def _bits(length: int) -> Maker:
    return lambda dice: "".join(dice.pick("01") for _ in range(length))


def _numbered_word(dice: Dice) -> str:
    return dice.pick(("a", "b", "key ", "it's ", "é", "x\\")) + str(dice.randrange(10**5))


_N, _D = Form.NUMBER, Form.DATE
INTEGER = Type("int(11)", _whole(32), _N)
KEYS = [
    INTEGER,
    INTEGER,
    Type("bigint", _whole(64), _N),
    Type("int unsigned", _whole(32, True), _N),
    Type("smallint", _whole(16), _N),
    Type("varchar(30)", _numbered_word),
    Type("varchar(30) COLLATE utf8mb4_bin", _numbered_word),
    Type("char(12)", _numbered_word),
    Type("char(8) CHARACTER SET latin1", _numbered_word),
    Type("decimal(8,2)", _decimal(8, 2), _N),
    Type("date", lambda dice: str(date(2000, 1, 1) + timedelta(days=dice.randrange(9000))), _D),
    Type("uuid", lambda dice: str(UUID(int=dice.getrandbits(128), version=4))),
    Type("datetime(6)", _moment, _D),
    Type("mediumint unsigned", _whole(24, True), _N),
]
OTHERS = [
    Type("tinyint", _whole(8), _N),
    Type("tinyint(1)", _one_of("0", "1"), _N),
    Type("bool", _one_of("0", "1", "TRUE", "false"), _N),
    Type("tinyint(3) unsigned", _whole(8, True), _N),
    Type("int(6) unsigned zerofill", _whole(16, True), _N),
    Type("bigint unsigned", _whole(64, True), _N),
    Type("integer", _whole(32), _N),
    Type("decimal(10,2)", _decimal(10, 2), _N),
    Type("numeric(5)", _decimal(5, 0), _N),
    Type("dec(12,4) unsigned", lambda dice: _decimal(12, 4)(dice).lstrip("-"), _N),
    Type("decimal(6,2) zerofill", lambda dice: _decimal(6, 2)(dice).lstrip("-"), _N),
    Type("float", _one_of("0", "0.1", "-2.5", "1e10", "3.4e-5", "123456.75", "16777217", "1.5e38"), _N),
    Type("float(7,3)", _one_of("0", "1.2345", "-2.5", "1000"), _N),
    Type(
        "double",
        _one_of("0", "0.1", "-0.5", "1e300", "5e-324", "123456789.123456", "1e15", "1e16", "0.1e-7", "3.0"),
        _N,
    ),
    Type("double precision", lambda dice: repr(dice.uniform(-1e6, 1e6)), _N),
    Type("real", lambda dice: repr(dice.random()), _N),
    Type("double(10,2)", _one_of("1.005", "2.5", "-7"), _N),
    Type("bit(1)", _bits(1), Form.BITS),
    Type("bit(8)", _bits(8), Form.BITS),
    Type("bit(20)", _bits(20), Form.BITS),
    Type("date", _date, _D),
    Type("datetime", _moment, _D),
    Type("datetime(3)", _moment, _D),
    Type("timestamp NULL", _moment, _D),
    Type("timestamp(6) NULL", _moment, _D),
    Type("time", _long_time, _D),
    Type("time(2)", _long_time, _D),
    Type("year", _one_of("2024", "1901", "0000", "99", "0"), _N),
    Type("char(5)", _text(5)),
    Type("char(40) CHARACTER SET ascii", _text(40, "ascii")),
    Type("varchar(400)", _text()),
    Type("varchar(400) CHARACTER SET latin1", _text(encoding="latin-1")),
    Type("varchar(200) CHARACTER SET cp1251", _text(encoding="cp1251")),
    Type("varchar(100) CHARACTER SET ucs2", _text(50, "ascii")),
    Type("varchar(100) CHARACTER SET utf8mb4 COLLATE utf8mb4_unicode_ci", _text(100)),
    Type("varchar(50) BINARY", _text(50)),
    Type("nvarchar(50)", _text(50, "ascii")),
    Type("national char(9)", _text(9, "ascii")),
    Type("text", _text(), has_default=False),
    Type("tinytext", _text(60), has_default=False),
    Type("mediumtext CHARACTER SET latin1", _text(encoding="latin-1"), has_default=False),
    Type("longtext COLLATE utf8mb4_bin", _text(), has_default=False),
    Type("binary(4)", _hex_bytes(4), Form.BYTES, False),
    Type("varbinary(20)", _hex_bytes(20), Form.BYTES, False),
    Type("blob", _hex_bytes(30), Form.BYTES, False),
    Type("tinyblob", _hex_bytes(6), Form.BYTES, False),
    Type("enum('x','y','it''s','a,b','')", _one_of("x", "y", "it's", "a,b", "")),
    Type("enum('1','2','0')", _one_of("1", "2", "0")),
    Type("enum('Small','LARGE') CHARACTER SET latin1", _one_of("Small", "LARGE", "small")),
    Type("set('a','b','c d','e''f')", _one_of("", "a", "a,b", "c d", "b,e'f", "b,a")),
    Type("json", _one_of('{"a": 1}', "[]", '"it\'s"', "null", '{"k": "a\\\\nb"}'), has_default=False),
    Type(
        "uuid",
        _one_of(
            "A0EEBC99-9C0B-4EF8-BB6D-6BB9BD380A11",
            "a0eebc99-9c0b-4ef8-bb6d-6bb9bd380a12",
            "a0eebc999c0b4ef8bb6d6bb9bd380a13",
        ),
    ),
    Type("inet6", _one_of("::1", "2001:DB8::1", "::ffff:192.0.2.1")),
    Type("inet4", _one_of("192.0.2.1", "255.255.255.255")),
    Type("point", _one_of("POINT(1 2)", "ST_GeomFromText('POINT(0.5 -1)')"), Form.EXPRESSION, False),
    INTEGER,
    Type("varchar(60)", _text(60)),
    Type("varchar(60)", _text(60)),
]
_ESCAPES = (("\\", "\\\\"), ("\0", "\\0"), ("\n", "\\n"), ("\r", "\\r"), ("\x1a", "\\Z"), ("\t", "\\t"), ("\b", "\\b"))


_MISFITS = (
    *(
        "007",
        "1e3",
        "TRUE",
        "-0",
        "' 12 '",
        "'12abc'",
        "3.7",
        "0x41",
        "x'41'",
        "b'1'",
        "'2020-01-02 03:04:05'",
        "'2020-1-2'",
    ),
    *("20200102", "20200102030405", "''", "'  '", "2", "'2'", "DATE '2020-01-02'", "TIMESTAMP '2020-01-02 03:04:05'"),
    *(
        "_latin1'abc'",
        "_binary'abc'",
        "_ascii 'x'",
        "N'n '",
        "'ab' 'cd'",
        "+1",
        "- 1",
        "(1)",
        "1.50",
        "0xE9",
        "'1e2'",
        "-1.5e1",
    ),
    *("'10:11:12.5'", "'x,y'", "3.14159265358979323846", "'2020-01-02T03:04:05'", "'99-1-2'", "null", "NULL"),
)
"""Literals of no type in particular."""


def literal(dice: Dice, kind: Type, value: str, quoting: Quoting) -> str:
    """A value as people write it, or now and then something else that the server may take."""
    if dice.rare(0.02):
        return dice.pick(_MISFITS)
    if kind.form is Form.NUMBER:
        return value if dice.maybe(0.9) or value.isalpha() else f"'{value}'"
    if kind.form is Form.DATE:
        return f'"{value}"' if quoting.double_quotes and dice.maybe(0.15) else f"'{value}'"
    if kind.form is Form.TEXT:
        return quoted_text(dice, value, quoting)
    return value if kind.form is Form.EXPRESSION else _digits(dice, kind.form, value)


def _digits(dice: Dice, form: Form, value: str) -> str:
    """Bits, or bytes in hexadecimal digits."""
    if form is Form.BYTES:
        return dice.pick((f"x'{value}'", f"X'{value}'", f"0x{value}" if value else "''"))
    if not dice.rare(1):
        return f"b'{value}'"
    return dice.pick((f"B'{value}'", f"0b{value}", str(int(value, 2)), f"0x{int(value, 2):06x}"))


def quoted_text(dice: Dice, value: str, quoting: Quoting) -> str:
    """A text in one of the ways of quoting."""
    quote = '"' if quoting.double_quotes and dice.maybe(0.15) else "'"
    if quoting.backslashes:
        for character, escape in _ESCAPES[: dice.pick((2, 3, len(_ESCAPES)))]:
            value = value.replace(character, escape)
        doubled = dice.pick((quote * 2, "\\" + quote))
    else:
        doubled = quote * 2
    introducer = (
        dice.pick(("_utf8mb4", "_utf8mb4 ")) if dice.rare(0.04) else "N" if dice.rare(0.02) and quote == "'" else ""
    )
    if dice.rare(0.02) and "\\" not in value and not introducer:
        return f"x'{value.encode().hex()}'"
    return introducer + quote + value.replace(quote, doubled) + quote
