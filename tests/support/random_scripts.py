"""Random scripts of definitions and literal INSERTs, spelled in many ways; most say plainly what they mean."""

from collections.abc import Sequence
from dataclasses import dataclass

from hypothesis import strategies as st

_SPACES = st.sampled_from(["", "", "", " ", "\n", " \t"])
_NOTES = st.sampled_from(["", "", "/* ' ( */", "-- it's\n"])
_NAMES = ("t", "Order", "größe", "a b")
_INTEGERS = st.one_of(st.integers(-5, 40), st.sampled_from([2**31, 2**53 + 1, 2**63 - 1, -(2**63)])).map(str)
_DECIMALS = st.tuples(st.integers(-999, 9999), st.integers(0, 999)).map(lambda parts: f"{parts[0]}.{parts[1]}")
_REALS = st.one_of(
    _DECIMALS,
    st.floats(allow_nan=False, allow_infinity=False).map(repr),
    st.floats(-1e6, 1e6).map(lambda value: f"{value:.20g}"),
    st.sampled_from(
        ["1.", ".5", "-.5e3", "1e5", "2.0", "-0.0", "1e400", "12345678901234567890", "0.1000000000000000055"]
    ),
)
_CONTENT = st.one_of(
    st.sampled_from(
        ["", "a", "it''s", "''", "a,b", "(1)", ");\nINSERT INTO t VALUES(1", "--", "ä", "日本🙂", "a\nb", "x\\"]
    ),
    st.text(st.characters(codec="utf-8", exclude_characters="\0'"), max_size=5),
)
_TEXTS = _CONTENT.map(lambda text: f"'{text}'")
_NUMBER_TEXTS = st.sampled_from(["'1'", "' 2 '", "'1.0'", "'1e3'", "'0x1F'", "'+5'", "'.5'", "'1.5x'", "'-'"])
_ODD = st.sampled_from(
    ["TRUE", "0x1F", "X'00'", "+1", "- 1", "1_000", "replace('a\\nb','\\n',char(10))", "abs(1)", "a", "", '"a"', "1 -2"]
)
_VERBS = ("INSERT OR IGNORE", "INSERT OR REPLACE", "REPLACE", "INSERT OR FAIL")
_NULLS = st.sampled_from(["NULL", "null", "Null"])
_KINDS = (_INTEGERS, _REALS, _TEXTS, _NUMBER_TEXTS, st.one_of(_INTEGERS, _DECIMALS), st.one_of(_INTEGERS, _TEXTS))
_KINDS_OF_TYPE = {
    "INTEGER": (_INTEGERS,),
    "TEXT": (_TEXTS,),
    "REAL": (_REALS, _DECIMALS, st.one_of(_INTEGERS, _DECIMALS)),
    "NUMERIC": (_INTEGERS, _DECIMALS, st.one_of(_INTEGERS, _DECIMALS)),
    "DATE": (_TEXTS, st.dates().map(lambda day: f"'{day}'")),
    "": (_INTEGERS, _REALS, _TEXTS),
    "VARCHAR(9) COLLATE NOCASE": (_TEXTS,),
    "TEXT COLLATE RTRIM": (_TEXTS,),
}
_TYPES = tuple(_KINDS_OF_TYPE)
_RULES = (*[""] * 12, " NOT NULL", " UNIQUE", " DEFAULT 7", " CHECK (1)")
_RESOLVED = (
    " UNIQUE ON CONFLICT REPLACE",
    " UNIQUE ON CONFLICT IGNORE",
    " UNIQUE ON CONFLICT FAIL",
    " NOT NULL ON CONFLICT REPLACE DEFAULT 1",
    " NOT NULL ON CONFLICT IGNORE",
)
_KEYS = (
    "",
    "id INTEGER PRIMARY KEY, ",
    "id INTEGER PRIMARY KEY, ",
    "id INT PRIMARY KEY, ",
    "id INTEGER PRIMARY KEY NOT NULL, ",
    "id INTEGER PRIMARY KEY AUTOINCREMENT, ",
)
_ENDS = (*[""] * 12, " WITHOUT ROWID", " STRICT")


@dataclass(frozen=True)
class _Table:
    name: str
    create: str
    columns: Sequence[str]
    cells: Sequence[st.SearchStrategy[str]]


def _rarely(draw: st.DrawFn) -> bool:
    return draw(st.integers(0, 15)) == 0


@st.composite
def _tables(draw: st.DrawFn, name: str) -> _Table:
    key = draw(st.sampled_from(_KEYS))
    count = draw(st.integers(1, 3))
    affinities = [draw(st.sampled_from(_TYPES)) for _ in range(count)]
    types = [affinity + draw(st.sampled_from(_RESOLVED if _rarely(draw) else _RULES)) for affinity in affinities]
    kinds = [draw(st.sampled_from(_KINDS if _rarely(draw) else _KINDS_OF_TYPE[each])) for each in affinities]
    cells = [
        kind if "NOT NULL" in type_ else st.one_of(kind, kind, kind, _NULLS)
        for kind, type_ in zip(kinds, types, strict=True)
    ]
    if _rarely(draw):
        cells[0] = st.one_of(cells[0], _ODD)
    names = [f"c{place}" for place in range(count)]
    declared = ", ".join(f"{column} {type_}" for column, type_ in zip(names, types, strict=True))
    end = draw(st.sampled_from(_ENDS)) if key else ""
    mark = draw(st.sampled_from('""\''))
    quoted = mark + name + mark
    if key:
        names, cells = ["id", *names], [st.integers(1, 10**6).map(str), *cells]
    return _Table(quoted, f"CREATE TABLE {quoted} ({key}{declared}){end}", names, cells)


@st.composite
def _inserts(draw: st.DrawFn, table: _Table) -> str:
    places = list(range(len(table.columns)))
    listed = ""
    if draw(st.booleans()):
        places = draw(st.permutations(places))[: draw(st.integers(1, len(places)))] if draw(st.booleans()) else places
        listed = f"({','.join(draw(_SPACES) + table.columns[place] for place in places)})"
    rows = []
    for _ in range(draw(st.integers(1, 4))):
        cells = (draw(_SPACES) + draw(table.cells[place]) + draw(_SPACES) for place in places)
        rows.append(f"({','.join(cells)}){draw(_SPACES)}")
    gap = draw(_NOTES if _rarely(draw) else _SPACES)
    verb = draw(st.sampled_from(_VERBS)) if _rarely(draw) else "INSERT"
    return f"{verb} INTO {table.name}{listed}{gap} VALUES{gap}{(',' + gap).join(rows)};{draw(_SPACES)}\n"


@st.composite
def random_scripts(draw: st.DrawFn) -> str:
    """A script with one to three tables, whose INSERTs may stand in any order after them."""
    tables = [draw(_tables(name)) for name in _NAMES[: draw(st.integers(1, 3))]]
    definitions = [f"{table.create};\n" for table in tables]
    inserts = [draw(_inserts(draw(st.sampled_from(tables)))) for _ in range(draw(st.integers(1, 8)))]
    later = draw(st.sampled_from(["", "", f"CREATE UNIQUE INDEX u ON {tables[0].name} (c0);\n", "ANALYZE;\n"]))
    return "BEGIN;\n" + "".join([*definitions, *inserts, later]) + "COMMIT;\n"
