"""Random tables of MariaDB: types, defaults, numbering, keys, partitions, computed and hidden columns."""

from dataclasses import dataclass, field

from tests.campaigns.dumps.mariadb.types import KEYS, OTHERS, Form, Quoting, Type, literal
from tests.campaigns.dumps.script import Definition, Piece, Statement
from tests.campaigns.dumps.words import Dice, Names, text_of

PLAIN = frozenset("abcdefghijklmnopqrstuvwxyz_0123456789")
RESERVED = frozenset(
    [
        "order",
        "group",
        "select",
        "table",
        "key",
        "primary",
        "references",
        "values",
        "check",
        "index",
        "default",
        "from",
        "like",
        "generated",
        "unique",
        "foreign",
        "column",
        "constraint",
        "to",
        "set",
        "as",
    ]
)


@dataclass(slots=True)
class Column:
    """A column. Rows may leave out `filled` ones, never give `computed` ones, and have to name `hidden` ones."""

    name: str
    type: Type
    not_null: bool = False
    filled: bool = False
    computed: bool = False
    counts: bool = False
    hidden: bool = False


@dataclass(slots=True)
class Table:
    """A table as far as rows need it; `keys` are places of columns, `values` texts that rows have there."""

    name: str
    columns: list[Column]
    keys: list[tuple[int, ...]] = field(default_factory=list)
    references: list[tuple[tuple[int, ...], "Table", tuple[int, ...]]] = field(default_factory=list)
    values: dict[tuple[int, ...], list[tuple[str, ...]]] = field(default_factory=dict)
    is_plain: bool = True

    def listed(self, places: tuple[int, ...]) -> str:
        return ", ".join(self.columns[place].name for place in places)


class MariadbTables:
    """Makes definitions; `last` may go after the rows. `quoting` is that of the session."""

    def __init__(self, dice: Dice, names: Names, quoting: Quoting) -> None:
        self._dice = dice
        self._names = names
        self._quoting = quoting
        self._prefix = ""
        self._sequences: list[str] = []
        self.tables: list[Table] = []
        self.definitions: list[Piece] = []
        self.last: list[Piece] = []
        self.databases = ["campaign"]

    def make(self, count: int) -> None:
        for _ in range(count):
            if self._dice.maybe(0.08):
                self._another_database()
            self._make_table()

    def _another_database(self) -> None:
        name = self._dice.pick(("other", "two words", "x-y")) + str(len(self.databases))
        self.databases.append(name)
        charset = self._dice.pick(("", " DEFAULT CHARACTER SET latin1", " CHARACTER SET = utf8mb4"))
        self.definitions.append(Statement(f"CREATE DATABASE `{name}`{charset};"))
        if self._dice.maybe(0.5):
            self.definitions.append(Statement(f"USE `{name}`;"))
            self._prefix = ""
        else:
            self._prefix = f"`{name}`."

    def _written(self, name: str) -> str:
        needs_quotes = not set(name) <= PLAIN or name[0].isdigit() or name in RESERVED
        if self._quoting.double_quotes or self._dice.maybe(0.5):
            quoted = "`" + name.replace("`", "``") + "`"
        else:
            quoted = '"' + name.replace('"', '""') + '"'
        return quoted if needs_quotes or self._dice.maybe(0.6) else name

    def _name(self) -> str:
        return self._written(self._names.fresh().rstrip(" "))

    def _literal(self, kind: Type) -> str:
        return literal(self._dice, kind, kind.make(self._dice), self._quoting)

    def _make_table(self) -> None:
        dice = self._dice
        table = Table(self._prefix + self._name(), [])
        entries: list[tuple[str, str]] = []
        if dice.maybe(0.85):
            entries += self._key_columns(table)
        for _ in range(70 if dice.maybe(0.01) else dice.randint(0 if table.columns else 1, 6)):
            entries.append(self._column(table))
        if dice.maybe(0.3):
            entries += self._unique(table)
        partition = self._partition(table)
        self.tables.append(table)
        for _ in range(0 if partition else dice.pick((0, 1, 1, 2))):
            entries += self._refer(table)
        if dice.maybe(0.2):
            column = dice.pick(table.columns)
            if column.type.form in (Form.NUMBER, Form.DATE):
                using = dice.pick(("", " USING BTREE"))
                entries.append(("", f"{dice.pick(('KEY', 'INDEX'))} {self._name()} ({column.name}){using}"))
        if dice.maybe(0.08):
            entries.append(("", f"CONSTRAINT {self._name()} CHECK ({table.columns[0].name} IS NOT NULL OR 1 = 1)"))
        head = dice.pick(("CREATE TABLE",) * 6 + ("CREATE TABLE IF NOT EXISTS", "create table"))
        self.definitions.append(Definition(table.name, tuple(entries), head, self._options(table) + partition))

    def _options(self, table: Table) -> str:
        dice = self._dice
        options = [" ENGINE=InnoDB"] if dice.maybe(0.7) else []
        if table.columns[0].counts and dice.rare(0.5):
            options.append(f" AUTO_INCREMENT={dice.pick((1, 5, 100))}")
        if dice.maybe(0.3):
            options.append(
                dice.pick(
                    (
                        " DEFAULT CHARSET=utf8mb4",
                        " CHARSET=latin1",
                        " DEFAULT CHARACTER SET utf8mb4 COLLATE utf8mb4_bin",
                    )
                )
            )
        if dice.maybe(0.15):
            options.append(" COMMENT='" + text_of(dice, 60).replace("\\", "").replace("'", "''") + "'")
        if dice.maybe(0.1):
            options.append(
                dice.pick(
                    (
                        " ROW_FORMAT=DYNAMIC",
                        " ROW_FORMAT=COMPRESSED KEY_BLOCK_SIZE=8",
                        " STATS_PERSISTENT=0",
                        " PAGE_COMPRESSED=0",
                    )
                )
            )
        if dice.rare(0.05):
            options.append(" WITH SYSTEM VERSIONING")
        return dice.pick(("", "", ",")).join(options) if len(options) > 1 else "".join(options)

    def _key_columns(self, table: Table) -> list[tuple[str, str]]:
        dice = self._dice
        if dice.maybe(0.5):
            return self._counted(table)
        entries = []
        for _ in range(dice.pick((1, 1, 1, 2, 3))):
            kind = dice.pick(KEYS)
            column = Column(self._name(), kind, True)
            table.columns.append(column)
            entries.append((column.name, f"{column.name} {kind.declared}{dice.pick((' NOT NULL', ''))}"))
        table.keys.append(tuple(range(len(table.columns))))
        return self._declared_key(table, entries, "PRIMARY KEY")

    def _counted(self, table: Table) -> list[tuple[str, str]]:
        dice, name = self._dice, self._name()
        declared = dice.pick(
            ("int", "int(11)", "bigint(20) unsigned", "smallint", "int unsigned", "serial", "mediumint(8)")
        )
        kind = Type(
            "bigint unsigned" if declared == "serial" else declared,
            lambda throw: str(throw.randint(20, 90)),
            Form.NUMBER,
        )
        table.columns.append(Column(name, kind, True, filled=True, counts=True))
        table.keys.append((0,))
        if declared == "serial":
            return [(name, f"{name} serial"), ("", f"PRIMARY KEY ({name})")]
        words = dice.pick(("NOT NULL AUTO_INCREMENT", "AUTO_INCREMENT NOT NULL", "AUTO_INCREMENT"))
        if dice.maybe(0.4):
            return [(name, f"{name} {declared} {words} PRIMARY KEY")]
        if dice.rare(0.3):
            self.last.insert(
                0, Statement(f"ALTER TABLE {table.name} MODIFY {name} {declared} NOT NULL AUTO_INCREMENT;")
            )
            if dice.maybe(0.4):
                self.last[0] = Statement(
                    f"ALTER TABLE {table.name} MODIFY {name} {declared} NOT NULL AUTO_INCREMENT, AUTO_INCREMENT=200;"
                )
            table.columns[0].filled = False
            return [(name, f"{name} {declared} NOT NULL"), ("", f"PRIMARY KEY ({name})")]
        return [(name, f"{name} {declared} {words}"), ("", f"PRIMARY KEY ({name})")]

    def _declared_key(self, table: Table, entries: list[tuple[str, str]], words: str) -> list[tuple[str, str]]:
        dice, places = self._dice, table.keys[-1]
        if len(places) == 1 and len(entries) == 1 and dice.maybe(0.4):
            return [(entries[0][0], f"{entries[0][1]} {words}")]
        order = tuple(dice.sample(places, len(places)))
        name = f" {self._name()}" if words != "PRIMARY KEY" and dice.maybe(0.6) else ""
        line = f"{words}{name} ({table.listed(order)}){dice.pick(('', '', ' USING BTREE'))}"
        if dice.maybe(0.8):
            return [*entries, ("", line)]
        self.last.append(Statement(f"ALTER TABLE {table.name} ADD {line};"))
        return entries

    def _column(self, table: Table) -> tuple[str, str]:
        dice, name = self._dice, self._name()
        column = Column(name, dice.pick(OTHERS))
        words = [name, column.type.declared]
        plain = not column.type.declared.endswith("NULL")
        if dice.rare(0.1) and table.columns:
            self._compute(table, column, words)
            table.columns.append(column)
            return name, " ".join(words)
        table.columns.append(column)
        if dice.maybe(0.25) and plain:
            column.not_null = True
            words.append("NOT NULL")
        elif dice.maybe(0.1) and plain:
            words.append("NULL")
        if dice.maybe(0.3):
            column.filled = True
            words.append(f"DEFAULT {self._default(column)}")
        elif dice.rare(0.05) and len(table.columns) > 2:
            column.hidden = column.filled = True
            column.not_null = False
            words = [name, column.type.declared, "INVISIBLE"]
        if dice.maybe(0.1):
            words.append(
                f"COMMENT '{text_of(dice, 40, encoding='ascii').replace(chr(92), '').replace(chr(39), chr(39) * 2)}'"
            )
        return name, " ".join(words)

    def _compute(self, table: Table, column: Column, words: list[str]) -> None:
        other = table.columns[0].name
        column.type = Type("varchar(20)", lambda _: "", Form.TEXT)
        kept = self._dice.pick(("", " VIRTUAL", " STORED", " PERSISTENT"))
        words[1:] = [
            "varchar(20)",
            f"{self._dice.pick(('GENERATED ALWAYS AS', 'AS'))} (if({other} is null,'none','some; it'))" + kept,
        ]
        column.computed = True

    def _default(self, column: Column) -> str:
        """Mostly a literal; else NULL, the time, or an expression."""
        dice, kind = self._dice, column.type
        computed = self._computed_default(kind)
        if computed:
            return computed
        if kind.has_default and (column.not_null or dice.maybe(0.8)):
            text = self._literal(kind)
            return text.removeprefix("N") if kind.form is Form.TEXT else text
        if kind.form is Form.TEXT and not kind.has_default and kind.declared != "json":
            return dice.pick(("'x'", "('y')", "''"))
        return self._literal(kind) if column.not_null else "NULL"

    def _computed_default(self, kind: Type) -> str:
        dice = self._dice
        if kind.declared.startswith(("datetime", "timestamp")) and dice.maybe(0.3):
            times = (
                "CURRENT_TIMESTAMP",
                "current_timestamp()",
                "NOW()",
                "CURRENT_TIMESTAMP ON UPDATE CURRENT_TIMESTAMP",
            )
            return dice.pick(times)
        if dice.rare(0.2) and kind.form is Form.NUMBER and "decimal" not in kind.declared:
            return dice.pick(("(1 + 1)", "(2)", "(abs(-3))", self._next_value()))
        if dice.rare(0.2) and kind.declared.startswith("varchar("):
            return dice.pick(("(concat('a','b'))", "(uuid())", "('x')", "(upper('x'))"))
        return ""

    def _next_value(self) -> str:
        dice = self._dice
        if not self._sequences or dice.maybe(0.5):
            name = f"seq_{len(self._sequences)}"
            options = dice.pick(("", " START WITH 100", " START WITH 500 INCREMENT BY 10 NOCACHE", " MINVALUE 5"))
            self.definitions.append(Statement(f"CREATE SEQUENCE {name}{options};"))
            self._sequences.append(name)
        name = dice.pick(self._sequences)
        return dice.pick((f"nextval({name})", f"(NEXT VALUE FOR {name})"))

    def _unique(self, table: Table) -> list[tuple[str, str]]:
        dice = self._dice
        able = [place for place, each in enumerate(table.columns) if each.type in KEYS and not each.computed]
        if not able:
            return []
        places = tuple(sorted(dice.sample(able, min(len(able), dice.pick((1, 1, 2))))))
        if places in table.keys:
            return []
        table.keys.append(places)
        return self._declared_key(table, [], dice.pick(("UNIQUE KEY", "UNIQUE", "UNIQUE INDEX")))

    def _refer(self, table: Table) -> list[tuple[str, str]]:
        dice = self._dice
        targets = [each for each in [*self.tables, table] if each.keys and each.is_plain]
        if not targets:
            return []
        target = dice.pick(targets)
        key, entries, places = dice.pick(target.keys), [], []
        for place in key:
            kind = target.columns[place].type
            column = Column(self._name(), kind)
            table.columns.append(column)
            places.append(len(table.columns) - 1)
            entries.append((column.name, f"{column.name} {kind.declared}"))
        table.references.append((tuple(places), target, key))
        tail = dice.pick(
            ("",) * 4
            + (
                " ON DELETE CASCADE",
                " ON DELETE SET NULL ON UPDATE CASCADE",
                " ON DELETE NO ACTION",
                " ON DELETE RESTRICT",
            )
        )
        head = f"REFERENCES {target.name} ({target.listed(key)}){tail}"
        if len(entries) == 1 and dice.maybe(0.15):
            return [(entries[0][0], f"{entries[0][1]} {head}")]
        name = f"CONSTRAINT {self._name()} " if dice.maybe(0.7) else ""
        line = f"{name}FOREIGN KEY ({table.listed(tuple(places))}) {head}"
        if dice.maybe(0.7):
            return [*entries, ("", line)]
        self.last.append(Statement(f"ALTER TABLE {table.name} ADD {line};"))
        return entries

    def _partition(self, table: Table) -> str:
        """How a table without references to it is cut; every key must have the column."""
        dice = self._dice
        first = table.columns[0]
        if (
            not dice.maybe(0.1)
            or first.type.form is not Form.NUMBER
            or "decimal" in first.type.declared
            or not all(0 in key for key in table.keys)
        ):
            return ""
        table.is_plain = False
        return dice.pick(
            (
                f"\n PARTITION BY RANGE ({first.name})"
                " (PARTITION p0 VALUES LESS THAN (10), PARTITION p1 VALUES LESS THAN MAXVALUE)",
                f"\n/*!50100 PARTITION BY HASH ({first.name}) PARTITIONS 3 */",
                f" PARTITION BY KEY ({first.name}) PARTITIONS 2",
                f" PARTITION BY LINEAR KEY ({first.name}) PARTITIONS 2",
                f"\n PARTITION BY RANGE ({first.name}) SUBPARTITION BY HASH ({first.name}) SUBPARTITIONS 2"
                " (PARTITION p0 VALUES LESS THAN (50), PARTITION p1 VALUES LESS THAN MAXVALUE)",
            )
        )
