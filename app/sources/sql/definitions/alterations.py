"""One ALTER TABLE: what it changes is carried out if no row can tell the difference, and refused otherwise."""

from collections.abc import Callable
from dataclasses import replace

from app.sources.dialect import Dialect
from app.sources.sql.definitions.columns import read_column
from app.sources.sql.definitions.expressions import read_default, skip_expression
from app.sources.sql.definitions.keys import add_constraint, read_constraint, starts_constraint
from app.sources.sql.definitions.model import (
    FOREIGN_ENGINES,
    NULL,
    AutoIncrement,
    Change,
    Constraint,
    Drawn,
    NumberChange,
    Rule,
    SqlColumn,
    SqlTable,
)
from app.sources.sql.definitions.namespace import Namespace
from app.sources.sql.definitions.sequences import owned_sequence
from app.sources.sql.definitions.types import read_type
from app.sources.sql.lexing.cursor import Cursor
from app.sources.sql.lexing.names import phrases
from app.values import fold_identifier

_REST_IGNORED = phrases(
    # Who owns a table, where and how it is kept, whether rules are checked: no row becomes another one.
    """
    OWNER TO, ENABLE KEYS, DISABLE KEYS, ENABLE ROW LEVEL SECURITY, DISABLE ROW LEVEL SECURITY,
    FORCE ROW LEVEL SECURITY, NO FORCE ROW LEVEL SECURITY, CLUSTER ON, SET WITHOUT CLUSTER, SET WITHOUT OIDS,
    SET LOGGED, SET UNLOGGED, SET TABLESPACE, SET ACCESS METHOD, SET (, RESET (, REPLICA IDENTITY, VALIDATE CONSTRAINT,
    ALTER CONSTRAINT, ALTER INDEX, ALTER CHECK, NOT OF, ROW_FORMAT, STATS_PERSISTENT, PACK_KEYS,
    IMPORT TABLESPACE, DISCARD TABLESPACE, FORCE
    """
)
_CHARSETS = phrases("DEFAULT CHARSET, DEFAULT CHARACTER SET, DEFAULT COLLATE, CHARSET, CHARACTER SET, COLLATE")
_COLUMN_IGNORED = ("SET STATISTICS", "SET STORAGE", "SET COMPRESSION", "SET (", "RESET (")
_REMOVALS = ("DROP CONSTRAINT", "DROP FOREIGN KEY", "DROP INDEX", "DROP KEY", "DROP CHECK")
_WITHOUT_TABLE = (*_REST_IGNORED, *_REMOVALS, "DROP PRIMARY KEY", "DETACH PARTITION", "INHERIT", "NO INHERIT")


def changes_only_what_was(cursor: Cursor) -> bool:
    """Whether the actions after the table's name add and define nothing, as those before a dump's DROP TABLE.

    Such an ALTER may name a table that is still to come, or a view or sequence.
    """
    return all(_removes_or_sets(action) for action in cursor.elements(cursor.rest()))


def _removes_or_sets(action: Cursor) -> bool:
    if action.accept("ALTER COLUMN", "ALTER"):
        action.name()
        return action.accept("DROP")
    return action.accept(*_WITHOUT_TABLE) or action.accept("ENABLE", "DISABLE", "RENAME")


class TableAlteration:
    """The actions of one ALTER TABLE; `changes` are those that take effect while rows are read."""

    def __init__(self, table: SqlTable, namespace: Namespace) -> None:
        self._table = table
        self._namespace = namespace
        self.changes: list[Change] = []

    def read(self, cursor: Cursor) -> None:
        """Read all actions after the table's name."""
        for action in cursor.elements(cursor.rest()):
            self._read_action(action)
            action.expect_end()

    def _read_action(self, cursor: Cursor) -> None:
        readers: dict[str, Callable[[Cursor], None]] = {
            "ADD": self._add,
            "ALTER": self._alter_column,
            "MODIFY": self._modify,
            "CHANGE": self._change,
            "ATTACH": self._attach,
            "DROP": self._drop,
            "AUTO_INCREMENT": self._set_next_number,
            "COMMENT": self._comment,
            "RENAME": self._rename,
            "ENABLE": self._switch_trigger,
            "DISABLE": self._switch_trigger,
            "ORDER": self._order,
            "ENGINE": self._change_engine,
        }
        if cursor.accept(*_REST_IGNORED):
            cursor.rest()
        elif cursor.word in readers:
            readers[cursor.word](cursor)
        elif not self._read_charset(cursor):
            raise cursor.refusal("this change of a table is not accepted")

    def _refuse_with_rows(self, cursor: Cursor, what: str) -> None:
        if self._table.whole.has_rows or self._table.has_rows:
            raise cursor.refusal(f"{what} after its rows is not accepted")

    def _column(self, cursor: Cursor) -> SqlColumn:
        at = cursor.copy()
        name = cursor.name()
        column = self._table.column(name)
        if column is None:
            raise at.refusal(f"table {self._table.name.label} has no column {name}")
        return column

    def _add(self, cursor: Cursor) -> None:
        cursor.expect("ADD")
        if starts_constraint(cursor):
            add_constraint(self._table, read_constraint(cursor, self._namespace, self._table.name))
            return
        if cursor.dialect is Dialect.MYSQL and cursor.accept("SYSTEM VERSIONING"):
            return
        cursor.accept("COLUMN")
        cursor.accept("IF NOT EXISTS")
        self._refuse_with_rows(cursor, "a column that is added to a table")
        if cursor.dialect is Dialect.MYSQL and cursor.word == "(":
            for part in cursor.elements_of_group():
                self._add_column(part)
        else:
            self._add_column(cursor)

    def _add_column(self, cursor: Cursor) -> None:
        name = cursor.copy().name()
        if self._table.column(name) is not None:
            raise cursor.refusal(f"table {self._table.name.label} has two columns {name}")
        read_column(_without_place(cursor), self._table, self._namespace)
        cursor.rest()

    def _alter_column(self, cursor: Cursor) -> None:
        cursor.accept("ALTER COLUMN", "ALTER")
        column = self._column(cursor)
        if cursor.accept(*_COLUMN_IGNORED):
            cursor.rest()
        elif cursor.accept("SET DEFAULT"):
            self._table.put(replace(column, default=read_default(cursor, self._namespace)))
        elif cursor.accept("DROP DEFAULT"):
            self._table.put(replace(column, default=NULL))
        elif cursor.accept("DROP IDENTITY"):
            cursor.accept("IF EXISTS")
            self._table.put(replace(column, default=NULL))
        elif cursor.accept("ADD GENERATED ALWAYS AS IDENTITY", "ADD GENERATED BY DEFAULT AS IDENTITY"):
            self._add_identity(cursor, column)
        elif cursor.accept("SET NOT NULL"):
            self._table.put(replace(column, not_null=True))
        elif cursor.accept("DROP NOT NULL"):
            self._table.put(replace(column, not_null=False))
        elif cursor.accept("TYPE", "SET DATA TYPE"):
            self._change_type(cursor, column)
        else:
            raise cursor.refusal("this change of a column is not accepted")

    def _add_identity(self, cursor: Cursor, column: SqlColumn) -> None:
        always = cursor.peek(-3).word == "ALWAYS"
        options = cursor.within(cursor.group()) if cursor.word == "(" else None
        sequence = owned_sequence(self._table.name, column.name, column.type, options)
        self._namespace.sequences.setdefault(sequence.name.key, sequence)
        self._table.put(replace(column, default=Drawn(sequence, always)))

    def _change_type(self, cursor: Cursor, column: SqlColumn) -> None:
        if self._table.whole.has_rows:
            raise cursor.refusal("this change of a column is not accepted after rows")
        declared, written = read_type(cursor, self._namespace.types)
        if cursor.accept("COLLATE"):
            cursor.dotted_name()
        if cursor.accept("USING"):
            skip_expression(cursor, self._namespace)
        self._table.put(replace(column, type=declared, declared=written))

    def _modify(self, cursor: Cursor) -> None:
        """MySQL's MODIFY, by which dump tools declare AUTO_INCREMENT once the keys are there."""
        cursor.accept("MODIFY COLUMN", "MODIFY")
        self._redefine(cursor, self._column(cursor.copy()))

    def _change(self, cursor: Cursor) -> None:
        cursor.accept("CHANGE COLUMN", "CHANGE")
        column = self._column(cursor)
        if fold_identifier(cursor.copy().name()) != fold_identifier(column.name):
            raise cursor.refusal("a column that is renamed is not accepted")
        self._redefine(cursor, column)

    def _redefine(self, cursor: Cursor, known: SqlColumn) -> None:
        before = list(self._table.constraints)
        column = read_column(_without_place(cursor), self._table, self._namespace)
        cursor.rest()
        if self._table.has_rows and column.type != known.type:
            self._table.put(known)
            self._table.constraints = before
            raise cursor.refusal("this change of a column is not accepted after rows")
        if column.default is AutoIncrement.NEXT and known.default is not AutoIncrement.NEXT:
            self._count_from(1, cursor, column.name)

    def _attach(self, cursor: Cursor) -> None:
        cursor.expect("ATTACH PARTITION")
        name = cursor.table_name("")
        partition = self._namespace.table(name)
        if partition is None:
            raise cursor.script.invalid(cursor.at, f"there is no table {self._namespace.made(name).label}")
        if self._table.whole is partition:
            raise cursor.script.invalid(cursor.at, f"table {partition.name.label} is a partition of itself")
        partition.partition_of = self._table
        if not cursor.accept("DEFAULT"):
            cursor.expect("FOR VALUES")
            while cursor.accept("FROM", "TO", "IN", "WITH"):
                cursor.group()

    def _drop(self, cursor: Cursor) -> None:
        if cursor.accept("DROP PRIMARY KEY"):
            self._remove([each for each in self._table.constraints if each.rule is Rule.PRIMARY], cursor, "PRIMARY")
        elif cursor.accept(*_REMOVALS):
            may_be_gone = cursor.accept("IF EXISTS")
            at = cursor.copy()
            name = cursor.name()
            cursor.accept("RESTRICT", "CASCADE")
            found = self._constraints_called(name)
            if found or not may_be_gone:
                self._remove(found, at, name)
        else:
            self._drop_column(cursor)

    def _constraints_called(self, name: str) -> list[Constraint]:
        folded = fold_identifier(name)
        named = [each for each in self._table.constraints if fold_identifier(each.name) == folded]
        if named or self._table.script is None:
            return named
        return [each for each in self._table.constraints if not each.name and folded in self._default_names(each)]

    def _default_names(self, constraint: Constraint) -> set[str]:
        """The names that the servers give to a constraint without one."""
        table = self._table.name.name
        middle = "_".join((table, *constraint.columns))
        references = [each for each in self._table.of_rule(Rule.REFERENCE) if not each.name]
        names = {
            Rule.PRIMARY: {f"{table}_pkey", "primary"},
            Rule.UNIQUE: {f"{middle}_key", *constraint.columns[:1]},
            Rule.REFERENCE: {f"{middle}_fkey"},
        }.get(constraint.rule, set())
        if constraint in references:
            names = names | {f"{table}_ibfk_{references.index(constraint) + 1}"}
        return set(map(fold_identifier, names))

    def _remove(self, constraints: list[Constraint], cursor: Cursor, name: str) -> None:
        if len(constraints) != 1:
            raise cursor.refusal(f"table {self._table.name.label} has no one constraint {name}")
        self._table.constraints.remove(constraints[0])

    def _drop_column(self, cursor: Cursor) -> None:
        cursor.expect("DROP")
        cursor.accept("COLUMN")
        may_be_gone = cursor.accept("IF EXISTS")
        if may_be_gone and self._table.column(cursor.copy().name()) is None:
            cursor.name()
            return
        self._refuse_with_rows(cursor, "a column that is dropped from a table")
        column = self._column(cursor)
        cursor.accept("RESTRICT", "CASCADE")
        self._table.remove(column)
        self._table.constraints = [each for each in self._table.constraints if column.name not in each.columns]

    def _set_next_number(self, cursor: Cursor) -> None:
        cursor.expect("AUTO_INCREMENT")
        cursor.accept("=")
        self._count_from(cursor.integer(), cursor)

    def _count_from(self, least: int, cursor: Cursor, column: str = "") -> None:
        keeps_zeros = not self._namespace.session.settings.zero_draws
        self.changes.append(NumberChange(self._table, least, column, keeps_zeros, cursor.script, cursor.at))

    def _comment(self, cursor: Cursor) -> None:
        cursor.expect("COMMENT")
        cursor.accept("=")
        self._table.comments[""] = cursor.text()

    def _rename(self, cursor: Cursor) -> None:
        cursor.expect("RENAME")
        if cursor.accept("CONSTRAINT", "INDEX", "KEY"):
            found = self._constraints_called(cursor.name())
            cursor.expect("TO")
            name = cursor.name()
            for constraint in found:
                place = self._table.constraints.index(constraint)
                self._table.constraints[place] = replace(constraint, name=name)
            return
        raise cursor.refusal("this change of a table is not accepted")

    def _switch_trigger(self, cursor: Cursor) -> None:
        enables = cursor.take().word == "ENABLE"
        cursor.accept("ALWAYS", "REPLICA")
        if not cursor.accept("TRIGGER", "RULE"):
            raise cursor.refusal("this change of a table is not accepted")
        name = "" if cursor.accept("ALL", "USER") else fold_identifier(cursor.name())
        self._table.switch_triggers(name, enables=enables)

    def _change_engine(self, cursor: Cursor) -> None:
        cursor.expect("ENGINE")
        cursor.accept("=")
        at = cursor.copy()
        if cursor.name().lower() in FOREIGN_ENGINES:
            raise at.refusal("rows of a table with this engine are kept elsewhere")

    def _order(self, cursor: Cursor) -> None:
        cursor.expect("ORDER BY")
        self._refuse_with_rows(cursor, "another order of a table")
        cursor.rest()

    def _read_charset(self, cursor: Cursor) -> bool:
        """The charset of columns to come; CONVERT TO changes those that are there."""
        before = cursor.at
        while cursor.accept(*_CHARSETS):
            cursor.accept("=")
            self._table.collation = cursor.take().meaning.lower()
        return cursor.at != before


def _without_place(cursor: Cursor) -> Cursor:
    """A column's definition without MySQL's FIRST or AFTER at its end; another order of columns is refused."""
    tokens = list(cursor.copy().rest())
    words = [token.word for token in tokens]
    if cursor.dialect is Dialect.MYSQL and ("FIRST" in words[-1:] or "AFTER" in words[-2:-1]):
        raise cursor.refusal("a column that is put between others is not accepted")
    return cursor.within(tokens)
