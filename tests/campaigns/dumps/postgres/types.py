"""Types of PostgreSQL, values of them as their input functions take them, and ways to write those down."""

from collections.abc import Callable
from dataclasses import dataclass, replace
from datetime import date, timedelta
from uuid import UUID

from tests.campaigns.dumps.words import Dice, text_of

Maker = Callable[[Dice], str]
UNCOMMON = 0.04
"""How often a value is one that Graphwright may refuse by name: NaN, infinity, digits that no cell holds."""


@dataclass(frozen=True, slots=True)
class Type:
    """A type as declared, and what makes values of it; numbers may stand without quotes."""

    declared: str
    make: Maker
    is_number: bool = False

    @property
    def is_text(self) -> bool:
        return self.make is _text or self.declared.startswith(("varchar", "character varying"))


def _text(dice: Dice) -> str:
    return text_of(dice).replace("\0", "")


def _short_text(longest: int) -> Maker:
    return lambda dice: text_of(dice, longest)


def _whole(bits: int) -> Maker:
    def make(dice: Dice) -> str:
        limit = 2 ** (bits - 1)
        return str(dice.pick((0, 1, -1, 7, limit - 1, -limit, dice.randrange(-limit, limit), dice.randint(0, 99))))

    return make


def _decimal(precision: int, scale: int) -> Maker:
    def make(dice: Dice) -> str:
        if dice.rare(UNCOMMON):
            return "NaN"
        whole = dice.randrange(10 ** min(precision - scale, 14 - scale))
        fraction = f".{dice.randrange(10**scale):0{scale}}" if scale else ""
        return dice.pick(("", "-")) + dice.pick((f"{whole}", "0", "10", "100")) + fraction

    return make


def _any_decimal(dice: Dice) -> str:
    if dice.rare(UNCOMMON):
        return dice.pick(
            ("NaN", "Infinity", "123456789012345678901234567890", "0.1234567890123456789", "1e-20", "9007199254740993")
        )
    return dice.pick(
        ("0", "0.00", "5.00", "0.99", "-1.5", "1e3", "1.10", "100", ".5", "123456.789", "-0.001", "1000000")
    )


def _real(dice: Dice) -> str:
    if dice.rare(UNCOMMON):
        return dice.pick(("NaN", "Infinity", "-Infinity"))
    return dice.pick(
        ("0", "-0", "1", "0.1", "-2.5", "1e10", "3.4e-5", "123456.75", "1e-7", "100000", "16777216", "1e20")
    )


def _double(dice: Dice) -> str:
    if dice.rare(UNCOMMON):
        return dice.pick(("NaN", "Infinity", "-Infinity"))
    extremes = (
        "1e300",
        "-1e-300",
        "5e-324",
        "1.7976931348623157e308",
        "0.1",
        "1",
        "-0",
        "9007199254740993",
        "1e15",
        "1e16",
    )
    return dice.pick((*extremes, repr(dice.uniform(-1e6, 1e6)), repr(dice.random())))


def _date(dice: Dice) -> str:
    if dice.rare(UNCOMMON):
        return dice.pick(("infinity", "-infinity", "4714-11-24 BC", "0001-01-01 BC", "5874897-12-31", "20000-02-03"))
    return str(date(1970, 1, 1) + timedelta(days=dice.randrange(-200000, 200000)))


def _time(dice: Dice) -> str:
    fraction = dice.pick((".5", ".123456", ".000001", ".100", ".1234567")) if dice.rare(0.5) else ""
    return f"{dice.randrange(24):02}:{dice.randrange(60):02}:{dice.randrange(60):02}{fraction}"


def _timestamp(dice: Dice) -> str:
    if dice.rare(UNCOMMON):
        return dice.pick(
            ("infinity", "-infinity", "0044-03-15 12:00:00 BC", "294276-12-31 23:59:59", "10000-01-01 00:00:00")
        )
    return f"{_date_of_today(dice)} {_time(dice)}"


def _date_of_today(dice: Dice) -> str:
    return str(date(1990, 1, 1) + timedelta(days=dice.randrange(20000)))


def _zoned(dice: Dice) -> str:
    if dice.rare(UNCOMMON):
        return dice.pick(("infinity", "-infinity", "0044-03-15 12:00:00+00 BC"))
    zone = dice.pick(("+05:30", "-08", "+02", "", "Z", " UTC")) if dice.rare(0.5) else "+00"
    return f"{_date_of_today(dice)} {_time(dice)}{zone}"


def _one_of(*texts: str) -> Maker:
    return lambda dice: dice.pick(texts)


def _bits(length: int) -> Maker:
    return lambda dice: "".join(dice.pick("01") for _ in range(length))


def _uuid(dice: Dice) -> str:
    value = str(UUID(int=dice.getrandbits(128)))
    return value if not dice.rare(0.5) else dice.pick((value.upper(), "{" + value + "}", value.replace("-", "")))


def _bytes(dice: Dice) -> str:
    return "\\x" + dice.randbytes(dice.pick((0, 1, 5))).hex()


_INTEGERS = [
    Type(name, _whole(bits), is_number=True)
    for names, bits in ((("smallint", "int2"), 16), (("integer", "int", "int4"), 32), (("bigint", "int8"), 64))
    for name in names
]
_TEXTS = [
    Type("text", _text),
    Type("varchar", _text),
    Type("character varying(40)", _short_text(40)),
    Type("varchar(10)", _short_text(10)),
]
KEYS = [
    *(_INTEGERS * 2),
    *_TEXTS,
    Type("uuid", lambda dice: str(UUID(int=dice.getrandbits(128)))),
    Type("date", lambda dice: str(date(2000, 1, 1) + timedelta(days=dice.randrange(9000)))),
    Type("numeric(8,2)", lambda dice: f"{dice.randrange(10**5)}.{dice.randrange(100):02}", is_number=True),
    Type(
        "character(6)",
        lambda dice: (
            dice.pick("abcXYZé'\\") + (str(dice.randrange(10**4)) if dice.rare(1) else f"{dice.randrange(10**5):05}")
        ),
    ),
    Type("boolean", _one_of("t", "f")),
]
OTHERS = [
    Type("numeric", _any_decimal, is_number=True),
    Type("numeric(10,2)", _decimal(10, 2), is_number=True),
    Type("decimal(5)", _decimal(5, 0), is_number=True),
    Type("numeric(12,4)", _decimal(12, 4), is_number=True),
    Type("real", _real, is_number=True),
    Type("double precision", _double, is_number=True),
    Type("float", _double, is_number=True),
    Type("float(20)", _real, is_number=True),
    Type("float8", _double, is_number=True),
    Type("money", _one_of("$1.00", "-$2,500.75", "0")),
    Type("boolean", _one_of("t", "f", "true", "FALSE", "yes", "off", "1", "0")),
    Type("char(5)", _short_text(5)),
    Type("char", _short_text(1)),
    Type('"char"', _one_of("a", "\\", "'", "7", "")),
    Type("name", _short_text(30)),
    Type("bytea", _bytes),
    Type("date", _date),
    Type("time", _time),
    Type("time(3) without time zone", _time),
    Type("time with time zone", lambda dice: _time(dice) + dice.pick(("+00", "-08", "+05:30"))),
    Type("timestamp", _timestamp),
    Type("timestamp(0)", _timestamp),
    Type("timestamp(3) without time zone", _timestamp),
    Type("timestamptz", _zoned),
    Type("timestamp with time zone", _zoned),
    Type("timestamp(2) with time zone", _zoned),
    Type(
        "interval",
        _one_of("1 day", "1 year 2 mons 3 days 04:05:06.7", "-1 mons +2 days", "00:00:01", "P1Y2M", "36 hours"),
    ),
    Type("interval day to second(2)", _one_of("1 day 02:03:04.567", "00:00:00")),
    Type("uuid", _uuid),
    Type(
        "json", _one_of('{"a": 1}', '{"a":1, "a":2}', "[]", '"it\'s"', "null", '{"k": "a\\\\nb\\u00e4"}', " [1,  2] ")
    ),
    Type("jsonb", _one_of('{"b":1,"a":[1,2.50]}', "[]", '"x\\\\y"', "null", '{"a":1,"a":2}', "1.50")),
    Type("xml", _one_of("<a>b</a>", "<a b='c'/>", "text", "<a>&lt;</a>")),
    Type("inet", _one_of("192.0.2.1", "192.0.2.0/24", "::1", "2001:DB8::1/64")),
    Type("cidr", _one_of("192.0.2.0/24", "198.51.100.0/24", "2001:db8::/32")),
    Type("macaddr", _one_of("08:00:2b:01:02:03", "08-00-2B-01-02-03")),
    Type("macaddr8", _one_of("08:00:2b:01:02:03:04:05")),
    Type("bit(5)", _bits(5)),
    Type("bit varying(9)", _bits(7)),
    Type("bit", _bits(1)),
    Type("point", _one_of("(1,2)", "(0.1,-3)", "1.50,2")),
    Type("box", _one_of("(1,2),(0,0)", "(0,0),(1,1)")),
    Type("circle", _one_of("<(1,2),3>")),
    Type("polygon", _one_of("((0,0),(1,1),(1,0))")),
    Type("path", _one_of("[(0,0),(1,1)]", "((0,0),(1,1))")),
    Type("tsvector", _one_of("'a':1 'b':2", "a fat cat", "'it''s'")),
    Type("tsquery", _one_of("'fat' & 'cat'", "a | !b")),
    Type("int4range", _one_of("[1,5)", "empty", "(,3]", "[2,7]")),
    Type("numrange", _one_of("[1.5,2.50]", "empty")),
    Type("daterange", _one_of("[2020-01-01,2020-02-01]", "empty")),
    Type("tstzrange", _one_of('["2020-01-01 00:00:00+00","2020-02-01 00:00:00+00")')),
    Type("int4multirange", _one_of("{[1,3),[5,7)}", "{}")),
    Type("integer[]", _one_of("{}", "{1,2,3}", "{{1,2},{3,4}}", "{1,NULL}", "[2:3]={1,2}")),
    Type("text[]", _one_of("{}", '{a,"b c"}', '{"it\'s",NULL,"NULL"}', '{"back\\\\slash","q\\"q"}', '{""}')),
    Type("numeric(5,2)[]", _one_of("{1.5,2}", "{}")),
    Type("timestamp[]", _one_of('{"2020-01-02 03:04:05"}')),
    Type("boolean[]", _one_of("{t,f,NULL}")),
    Type("oid", _one_of("0", "1", "4294967295"), is_number=True),
    Type("pg_lsn", _one_of("16/B374D848", "0/0")),
    Type("txid_snapshot", _one_of("10:20:10,14,15")),
    Type("jsonpath", _one_of('$."a"')),
    *(_INTEGERS[:6]),
    *(_TEXTS * 2),
]


_MISFITS = (
    *("007", "1e3", "true", "-0", "' 12 '", "3.7", "'2020-1-2'", "'2020-01-02 03:04:05'", "'20200102'", "''", "B'1'"),
    *(
        "'Jan 2 2020'",
        "'epoch'",
        "'5'::int",
        "2.5::int",
        "'abcdef'::varchar(3)",
        "NULL::int",
        "1::text",
        "'t'::boolean",
    ),
    *(
        "'1.50'::numeric",
        "'x'::char(3)",
        "N'n '",
        "'ab' 'cd'",
        "'a'\n'b'",
        "+1",
        "- 1",
        "(1)",
        "'1_000'",
        "'yes'",
        "' x'",
    ),
)
"""Literals of no type in particular."""


def literal(dice: Dice, kind: Type, value: str) -> str:
    """A value as people write it in INSERT, or now and then something else that the server may take."""
    if dice.rare(0.02):
        return dice.pick(_MISFITS)
    if kind.is_number and value not in ("NaN", "Infinity", "-Infinity") and dice.maybe(0.8):
        return value
    if kind.declared == "boolean" and value in ("t", "f", "true", "FALSE") and dice.maybe(0.7):
        return {"t": "true", "f": "false", "true": "TRUE", "FALSE": "False"}[value]
    if kind.declared.startswith("bit") and dice.maybe(0.5):
        return f"B'{value}'"
    return quoted_text(dice, value, kind.declared if dice.rare(0.1) else "")


def quoted_text(dice: Dice, value: str, cast: str = "") -> str:
    """A text in one of the ways of quoting; all but one leave backslashes alone."""
    suffix = f"::{cast}" if cast else ""
    if dice.rare(0.08):
        escaped = value.replace("\\", "\\\\").replace("'", dice.pick(("''", "\\'")))
        return f"{dice.pick('Ee')}'{escaped.replace(chr(10), dice.pick((chr(10), chr(92) + 'n')))}'{suffix}"
    if dice.rare(0.04) and "$" not in value:
        return f"$q${value}$q${suffix}"
    if dice.rare(0.02) and "\\" not in value:
        return (
            "U&'"
            + "".join(f"\\{ord(c):04x}" if 127 < ord(c) < 0x10000 else c.replace("'", "''") for c in value)
            + "'"
            + suffix
        )
    if dice.rare(0.02):
        return "N'" + value.replace("'", "''") + "'" + suffix
    if cast and dice.maybe(0.3):
        return f"CAST('{_doubled(value)}' AS {cast})"
    return f"'{_doubled(value)}'{suffix}"


def _doubled(value: str) -> str:
    return value.replace("'", "''")


def copy_field(value: str | None) -> str:
    """A field of COPY's text format."""
    if value is None:
        return "\\N"
    for character, escape in (
        ("\\", "\\\\"),
        ("\t", "\\t"),
        ("\n", "\\n"),
        ("\r", "\\r"),
        ("\b", "\\b"),
        ("\f", "\\f"),
        ("\v", "\\v"),
    ):
        value = value.replace(character, escape)
    return value


def named(kind: Type, declared: str) -> Type:
    """The same values under another name: a domain, or a spelling of the type."""
    return replace(kind, declared=declared)


def enum_of(name: str, labels: list[str]) -> Type:
    return Type(name, _one_of(*labels))
