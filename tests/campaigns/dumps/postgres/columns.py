"""Random columns of PostgreSQL: names, types, sequences, defaults."""

from dataclasses import dataclass, field

from tests.campaigns.dumps.postgres.types import (
    KEYS,
    OTHERS,
    Type,
    enum_of,
    literal,
    named,
    quoted_text,
)
from tests.campaigns.dumps.script import Piece, Statement
from tests.campaigns.dumps.words import Dice, Names

PLAIN = frozenset("abcdefghijklmnopqrstuvwxyz_0123456789")
RESERVED = frozenset(
    [
        "order",
        "group",
        "select",
        "table",
        "user",
        "primary",
        "references",
        "check",
        "default",
        "from",
        "constraint",
        "like",
        "generated",
        "column",
        "unique",
        "foreign",
        "end",
        "to",
        "as",
    ]
)


def written(name: str, dice: Dice) -> str:
    """A name as people write it: without quotes where none are needed."""
    needs_quotes = not set(name) <= PLAIN or name[0].isdigit() or name in RESERVED
    if needs_quotes or dice.maybe(0.2):
        return '"' + name.replace('"', '""') + '"'
    return dice.pick((name.upper(), name.capitalize())) if dice.maybe(0.05) else name


@dataclass(slots=True)
class Column:
    """A column; `filled` says that the server has a value for rows that leave it out, `computed` that rows must."""

    name: str
    type: Type
    not_null: bool = False
    filled: bool = False
    computed: bool = False
    always: bool = False
    counts: bool = False


@dataclass(slots=True)
class Table:
    """A table as far as rows need it; `keys` are places of columns, `values` texts that rows have there."""

    name: str
    columns: list[Column]
    keys: list[tuple[int, ...]] = field(default_factory=list)
    references: list[tuple[tuple[int, ...], "Table", tuple[int, ...]]] = field(default_factory=list)
    values: dict[tuple[int, ...], list[tuple[str, ...]]] = field(default_factory=dict)
    bounds: dict[int, list[str]] = field(default_factory=dict)
    partitions: list[str] = field(default_factory=list)
    inserts_into: list["Table"] = field(default_factory=list)

    def listed(self, places: tuple[int, ...]) -> str:
        return ", ".join(self.columns[place].name for place in places)


class ColumnMaker:
    """Makes columns, and schemas, types and sequences for them, which are `first` in a script."""

    def __init__(self, dice: Dice, names: Names) -> None:
        self._dice = dice
        self._names = names
        self.schemas = ["public"]
        self.first: list[Piece] = []
        self._types: list[Type] = []
        self._sequences: list[str] = []

    def _name(self) -> str:
        return written(self._names.fresh(), self._dice)

    def _make_schemas(self) -> None:
        if self._dice.maybe(0.2):
            name = self._name()
            self.first.append(Statement(f"CREATE SCHEMA {name};"))
            self.schemas.append(name)

    def _make_types(self) -> None:
        dice = self._dice
        if dice.maybe(0.3):
            labels = dice.some(["sad", "ok;", "it's", "a,b", "two words", "NULL", 'q"q', "", "ä"], 1)
            name = self._name()
            self.first.append(
                Statement(f"CREATE TYPE {name} AS ENUM ({', '.join(quoted_text(Dice(0), x) for x in labels)});")
            )
            self._types.append(enum_of(name, labels))
        if dice.rare(0.3):
            self._make_domain()
        if dice.maybe(0.08):
            name = self._name()
            self.first.append(Statement(f"CREATE TYPE {name} AS (a integer, b text);"))
            self._types.append(enum_of(name, ["(1,x)", "(,)", '(2,"a b")', '(3,"")']))
        if dice.maybe(0.08):
            self.first.append(Statement("CREATE EXTENSION IF NOT EXISTS citext;"))
            self._types.append(enum_of("citext", ["a", "A", "Mail@X", "é"]))

    def _make_domain(self) -> None:
        dice, name = self._dice, self._name()
        base = dice.pick([each for each in (*KEYS, *OTHERS) if each.declared not in ("xml", "txid_snapshot")])
        tail = ""
        if dice.maybe(0.4):
            tail += f" DEFAULT {literal(dice, base, base.make(dice))}"
        if dice.maybe(0.3):
            tail += " NOT NULL"
        if dice.maybe(0.3):
            tail += f" CONSTRAINT {self._name()} CHECK (VALUE IS NOT NULL OR VALUE IS NULL)"
        self.first.append(Statement(f"CREATE DOMAIN {name} AS {base.declared}{tail};"))
        self._types.append(named(base, name))

    def _sequence(self) -> str:
        """A sequence, new or shared by columns."""
        dice = self._dice
        if self._sequences and dice.rare(0.5):
            return dice.pick(self._sequences)
        name = f"seq_{len(self._sequences)}"
        options = (
            ""
            if not dice.rare(0.6)
            else dice.pick(
                (" START WITH 500 INCREMENT BY 10", " START 3", " INCREMENT 2 MINVALUE 0", " AS integer CACHE 1")
            )
        )
        self.first.append(Statement(f"CREATE SEQUENCE {name}{options};"))
        self._sequences.append(name)
        return name

    def _column(self, table: Table) -> tuple[str, str]:
        dice, name = self._dice, self._name()
        kind = dice.pick(self._types) if self._types and dice.maybe(0.3) else dice.pick(OTHERS)
        column = Column(name, kind)
        table.columns.append(column)
        words = [name, kind.declared]
        if dice.maybe(0.3):
            words.append(f"DEFAULT {self._default(column)}")
            column.filled = True
        elif dice.maybe(0.05) and len(table.columns) > 1:
            other = table.columns[0]
            words[1:] = [*self._computed(other)]
            column.computed = True
            column.type = next(each for each in OTHERS if each.declared == words[1])
        if dice.maybe(0.2) and not column.computed:
            column.not_null = True
            words.insert(dice.pick((2, len(words))), "NOT NULL")
        elif dice.maybe(0.05):
            words.append("NULL")
        if dice.rare(0.04) and kind.declared in ("text", "varchar"):
            words.insert(
                2, f"COLLATE {dice.pick((chr(34) + 'C' + chr(34), 'pg_catalog.' + chr(34) + 'default' + chr(34)))}"
            )
        return name, " ".join(words)

    def _computed(self, other: Column) -> tuple[str, str]:
        return "text", f"GENERATED ALWAYS AS (CASE WHEN {other.name} IS NULL THEN 'none' ELSE 'some' END) STORED"

    def _default(self, column: Column) -> str:
        """Mostly a literal; else NULL, a number from a sequence, or what the server computes."""
        dice, kind = self._dice, column.type
        if not dice.rare(0.4):
            text = literal(dice, kind, kind.make(dice))
            return f"({text})" if dice.maybe(0.05) else text
        if kind.declared in ("integer", "int", "bigint", "int4", "int8") and dice.maybe(0.6):
            return f"nextval('{self._sequence()}')"
        if kind.is_text and dice.maybe(0.6):
            return dice.pick(
                (
                    "'a' || 'b'",
                    "upper('x')",
                    "'abcdef'::varchar(2)",
                    "('a'::text || 'b'::text)",
                    "concat('a', 1)",
                    "'x' COLLATE \"C\"",
                )
            )
        if kind.is_number and dice.maybe(0.6):
            return dice.pick(("1 + 1", "(2 * 3)", "-(1)", "- 1", "abs(-3)", "'7'", "length('abc')", "+1"))
        if "timestamp" in kind.declared or kind.declared == "date":
            return dice.pick(("now()", "CURRENT_TIMESTAMP", "'epoch'", "'now'", "CURRENT_DATE"))
        return "NULL"
