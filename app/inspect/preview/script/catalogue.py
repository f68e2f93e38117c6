"""The tables of all scripts of a source, by the names that a build gives them; rows of a partition are its whole's."""

from collections.abc import Iterator
from dataclasses import dataclass, field, replace

from app.inspect.preview.limits import COLUMNS, ROWS, TABLES
from app.inspect.preview.model import Cell, PreviewColumn, PreviewTable, Reference
from app.inspect.preview.script.cell_storage import stored_cell
from app.inspect.preview.script.definitions import Definition, Keys
from app.inspect.preview.script.literals import DEFAULT, Value
from app.inspect.preview.script.rows import Rows, RowsHead
from app.sources.dumps.model import DumpReference, TableName, final_names
from app.sources.sql.dialect import Dialect
from app.values import fold_identifier

_MOST_UNDEFINED = 8 * TABLES
_MOST_COLUMNS = 2 * COLUMNS
_UNQUALIFIED = {Dialect.POSTGRES: "public"}


@dataclass
class Draft:
    """A table that is being put together; no `count`: it is not known. Without a definition its rows name columns."""

    name: TableName
    columns: tuple[PreviewColumn, ...]
    is_defined: bool = True
    primary_key: tuple[str, ...] = ()
    references: tuple[DumpReference, ...] = ()
    part_of: TableName | None = None
    rows: list[dict[str, Value]] = field(default_factory=list)
    """The first rows as values by folded column name."""
    count: int | None = 0
    comments: dict[str, str] = field(default_factory=dict)

    @property
    def is_filled(self) -> bool:
        """Whether it has rows, or may have some."""
        return self.count != 0

    def add(self, rows: list[dict[str, Value]], count: int | None) -> None:
        """Take in more rows."""
        self.rows = [*self.rows, *rows][:ROWS]
        self.count = None if self.count is None or count is None else self.count + count

    def add_keys(self, keys: Keys) -> None:
        """Take in the keys of a constraint; as many foreign keys as are shown."""
        key, references = keys
        self.primary_key = key or self.primary_key
        self.references = (*self.references, *references)[:COLUMNS]

    def named(self, row: tuple[Value, ...], names: tuple[str, ...]) -> dict[str, Value]:
        """A row by column name; without `names` it has the table's order."""
        given = names or tuple(column.name for column in self.columns)
        return dict(zip(map(fold_identifier, given), row, strict=False))


class Catalogue:
    """Tables in order of appearance; `schema` is the one of names that say none."""

    def __init__(self, dialect: Dialect) -> None:
        self._dialect = dialect
        self._drafts: dict[tuple[str, str], Draft] = {}
        self._by_name: dict[str, dict[tuple[str, str], Draft]] = {}
        self.schema = _UNQUALIFIED.get(dialect, "")

    def find(self, name: TableName | None) -> Draft | None:
        """The table of that name, or the only one that has it in any schema."""
        if name is None:
            return None
        same = self._by_name.get(name.key[1], {})
        return same.get(self._key(name)) or (next(iter(same.values())) if len(same) == 1 else None)

    def holder(self, draft: Draft) -> Draft:
        """The table that a partition is part of, at any depth; any other table itself."""
        found, seen = draft, {id(draft)}
        while (whole := self.find(found.part_of)) is not None and id(whole) not in seen:
            found = whole
            seen.add(id(whole))
        return found

    def define(self, definition: Definition) -> bool:
        """Take in a definition; whether the table was not defined before."""
        known = self._drafts.get(self._key(definition.name))
        if known is not None and known.is_defined:
            return False
        draft = Draft(definition.name, self._columns(definition), part_of=definition.part_of)
        draft.add_keys((definition.primary_key, definition.references))
        if known is not None:
            draft.rows, draft.count = _renamed(known, draft), known.count
        self._put(draft)
        return True

    def drop(self, name: TableName) -> bool:
        """Forget a table that has no rows, a place holder; whether it was no table with rows."""
        draft = self._drafts.get(self._key(name))
        if draft is None or draft.is_filled:
            return draft is None
        del self._drafts[self._key(name)], self._by_name[name.key[1]][self._key(name)]
        return True

    def attach(self, part: TableName, whole: Draft) -> None:
        """Make a table a partition of another, with the rows that it has."""
        draft = self.find(part)
        if draft is not None and draft is not whole:
            draft.part_of = whole.name
            self.holder(draft).add(draft.rows, draft.count)

    def of_rows(self, head: RowsHead, width: int) -> Draft | None:
        """The table or partition that rows go to; one that is not defined has the columns that they name.

        None for SQLite's own tables, and if there are too many without a definition.
        """
        found = self.find(head.table)
        if found is None and not head.table.name.lower().startswith("sqlite_") and len(self._drafts) < _MOST_UNDEFINED:
            names = head.columns or tuple(f"column {place + 1}" for place in range(width))
            found = Draft(head.table, tuple(map(PreviewColumn, names[:_MOST_COLUMNS])), is_defined=False)
            self._put(found)
        return found

    def add_rows(self, draft: Draft, names: tuple[str, ...], rows: Rows) -> None:
        """Give rows to a table, or to the whole of a partition; `names` are the columns that the statement names."""
        named = [draft.named(row, names or self._own_names(draft)) for row in rows.first]
        self.holder(draft).add(named, rows.count)

    @property
    def is_empty(self) -> bool:
        """Whether there is no table."""
        return not self._drafts

    def undefined(self) -> Iterator[str]:
        """The names of tables of which there are rows and no definition."""
        return (draft.name.name for draft in self._drafts.values() if not draft.is_defined)

    def tables(self) -> Iterator[PreviewTable]:
        """All tables as they are shown; beyond the limit of tables there are no columns and rows."""
        whole = [draft for draft in self._drafts.values() if self.holder(draft) is draft]
        names = dict(zip(map(id, whole), final_names([draft.name for draft in whole]), strict=True))
        for place, draft in enumerate(whole):
            name = names[id(draft)]
            yield self._finished(draft, names) if place < TABLES else PreviewTable(name, (), row_count=draft.count)

    def _key(self, name: TableName) -> tuple[str, str]:
        """Of SQLite, whose schemas are other databases, a script has one schema only."""
        return ("", name.key[1]) if self._dialect is Dialect.SQLITE else name.key

    def _put(self, draft: Draft) -> None:
        key = self._key(draft.name)
        self._drafts[key] = draft
        self._by_name.setdefault(key[1], {})[key] = draft

    def _columns(self, definition: Definition) -> tuple[PreviewColumn, ...]:
        """Inherited columns, then those of the table's own, which may define inherited ones again."""
        if not definition.parents:
            return definition.columns
        parents = [draft for parent in definition.parents if (draft := self.find(parent)) is not None]
        columns: dict[str, PreviewColumn] = {}
        for column in (column for parent in parents for column in parent.columns):
            columns.setdefault(fold_identifier(column.name), column)
        columns |= {fold_identifier(column.name): column for column in definition.columns}
        return tuple(columns.values())[:_MOST_COLUMNS]

    def _own_names(self, draft: Draft) -> tuple[str, ...]:
        """The columns in the order in which a table, or else what it is part of, lists them."""
        columns = draft.columns or self.holder(draft).columns
        return tuple(column.name for column in columns)

    def _finished(self, draft: Draft, names: dict[int, str]) -> PreviewTable:
        columns = tuple(
            replace(column, comment=draft.comments.get(fold_identifier(column.name), column.comment))
            for column in draft.columns
        )
        return PreviewTable(
            names[id(draft)],
            columns,
            draft.primary_key,
            tuple(self._reference(reference, names) for reference in draft.references),
            draft.count,
            tuple(_in_order(row, columns) for row in draft.rows),
            len(columns),
        )

    def _reference(self, reference: DumpReference, names: dict[int, str]) -> Reference:
        parent = self.find(reference.parent)
        name = reference.parent.name if parent is None else names[id(self.holder(parent))]
        return Reference(reference.columns, name, reference.targets)


def _renamed(undefined: Draft, defined: Draft) -> list[dict[str, Value]]:
    """Rows that came before their table's definition, under its columns' names if they named none themselves."""
    names = tuple(column.name for column in undefined.columns)
    if names[:1] != ("column 1",):
        return undefined.rows
    return [defined.named(tuple(row.values()), ()) for row in undefined.rows]


def _in_order(row: dict[str, Value], columns: tuple[PreviewColumn, ...]) -> tuple[Cell, ...]:
    """The cells of a row in the order of the table's columns."""
    return tuple(stored_cell(row.get(fold_identifier(column.name), DEFAULT), column.storage) for column in columns)
