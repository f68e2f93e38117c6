"""Random sources as CSV files and inline tables make them: no affinity, no collation, empty references."""

from collections.abc import Mapping, Sequence

from hypothesis import strategies as st

from app.tables.column import column_of
from app.tables.schema import ColumnSchema, ForeignKey, TableSchema
from app.tables.table import Table, TableSet
from app.values import Collation, Scalar, equality_key
from tests.support.sql_tables import SqlTables

_TEXTS: st.SearchStrategy[Scalar] = st.sampled_from(["", "", "a", "A", "a ", "1", "01", "1.0", "ä", "x,y"])
_CELLS: tuple[st.SearchStrategy[Scalar], ...] = (
    _TEXTS,
    st.one_of(st.none(), st.integers(-2, 3)),
    st.one_of(st.none(), st.sampled_from([0.5, 1.0, -2.25])),
    st.one_of(st.none(), st.booleans()),
    st.one_of(_TEXTS, st.none(), st.integers(-1, 2), st.booleans(), st.sampled_from([1.0, 0.5])),
)


@st.composite
def typeless_sources(draw: st.DrawFn) -> SqlTables:
    """A parent with a key of one or two columns, a child with references to it, maybe empty, and one to itself."""
    width = draw(st.integers(1, 2))
    kinds = [draw(st.sampled_from(_CELLS)) for _ in range(width)]
    keys = draw(st.lists(st.tuples(*kinds), max_size=6, unique_by=_identity))
    parent = _table("p", {f"k{place}": [key[place] for key in keys] for place in range(width)} | _values(draw, keys))
    parts = [st.one_of(_TEXTS, kind, *_present(keys, place)) for place, kind in enumerate(kinds)]
    whole = [st.sampled_from(keys)] if keys else []
    rows = draw(st.lists(st.one_of(st.tuples(*parts), *whole), min_size=1, max_size=8))
    names = [f"f{place}" for place in range(width)]
    cells = {name: [row[place] for row in rows] for place, name in enumerate(names)}
    key = ForeignKey("c", tuple(names), "p", tuple(f"k{place}" for place in range(width)))
    flags = {name: draw(st.booleans()) for name in names}
    child = _table("c", cells | _values(draw, rows), (key,), flags)
    tables = TableSet.of([parent, child])
    return SqlTables(tables.schema, tables.tables, tables)


def _identity(key: Sequence[Scalar]) -> object:
    """Keys that SQLite finds equal, and for which NULL or an empty text are one missing part."""
    return tuple(None if part == "" else equality_key(part, Collation.BINARY) for part in key)


def _present(keys: Sequence[Sequence[Scalar]], place: int) -> list[st.SearchStrategy[Scalar]]:
    return [st.sampled_from([key[place] for key in keys])] * 2 if keys else []


def _values(draw: st.DrawFn, rows: Sequence[object]) -> dict[str, list[Scalar]]:
    kinds = [draw(st.sampled_from(_CELLS)) for _ in range(2)]
    return {f"v{place}": [draw(kind) for _ in rows] for place, kind in enumerate(kinds)}


def _table(
    name: str,
    cells: Mapping[str, list[Scalar]],
    keys: tuple[ForeignKey, ...] = (),
    flags: Mapping[str, bool] | None = None,
) -> Table:
    columns = tuple(ColumnSchema(each, empty_is_missing=(flags or {}).get(each, False)) for each in cells)
    rows = len(next(iter(cells.values())))
    held = {each: column_of(values) for each, values in cells.items()}
    return Table(TableSchema(name, columns, (), keys), held, rows)
