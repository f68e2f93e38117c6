"""Random valid plans of every shape over any schema, with constants that hit and constants that miss."""

from collections.abc import Mapping, Sequence
from typing import Any

from hypothesis import strategies as st

from app.tables.schema import RelationalSchema, TableSchema
from app.tables.table import Table
from app.values import Affinity, Scalar
from app.workload.binding.cell_types import CellTypes, cell_types, is_numeric
from app.workload.binding.parsing import parse_plan
from app.workload.plan import MAX_JOINS, Plan

Document = dict[str, Any]
Aliases = dict[str, TableSchema]

_MISSES: st.SearchStrategy[Scalar] = st.one_of(
    st.integers(-3, 12),
    st.sampled_from([-(2**63), 2**63 - 1, 2**53 + 1]),
    st.sampled_from([0.0, -0.5, 1.0, 2.5, 1e300, 9007199254740992.0]),
    st.sampled_from(["", " ", "a", "A", "b ", "ä", "1", "01", "1.0", "2.5e0", "x'y\"z", "\U0001f600"]),
    st.booleans(),
)
_COUNTS = st.sampled_from([0, 0, 0, 1, 1, 2, MAX_JOINS])
_SCALAR_OPS = ("eq", "ne", "lt", "le", "gt", "ge")


@st.composite
def random_plans(draw: st.DrawFn, schema: RelationalSchema, tables: Mapping[str, Table]) -> Plan:
    """A plan that `bind_plan(plan, schema, cell_types(tables))` accepts."""
    stored = cell_types(tables)
    root = draw(st.sampled_from([table.name for table in schema]))
    aliases: Aliases = {"t0": schema.table(root)}
    joins = [draw(_joins(schema, aliases)) for _ in range(draw(_COUNTS))]
    document: Document = {
        "id": "random",
        "question": "A random plan",
        "root": {"table": root, "alias": "t0"},
        "joins": [join for join in joins if join is not None],
        "filters": [draw(_filters(aliases, tables)) for _ in range(draw(_COUNTS))],
        **draw(_outputs(aliases, stored)),
    }
    return parse_plan({**document, **draw(_orders(document))})


@st.composite
def _joins(draw: st.DrawFn, schema: RelationalSchema, aliases: Aliases) -> Document | None:
    """A join from any alias so far, added to `aliases`; None where no table so far has a foreign key."""
    hops = [
        (alias, key, direction)
        for alias, table in aliases.items()
        for key in schema.foreign_keys
        for direction, end in (("forward", key.table), ("reverse", key.ref_table))
        if end == table.name
    ]
    if not hops:
        return None
    source, key, direction = draw(st.sampled_from(hops))
    alias = f"t{len(aliases)}"
    table = key.ref_table if direction == "forward" else key.table
    aliases[alias] = schema.table(table)
    return {
        "from": source,
        "table": table,
        "alias": alias,
        "foreign_key": key.to_dict(),
        "direction": direction,
        "type": draw(st.sampled_from(["left", "inner"])),
    }


def _references(aliases: Aliases) -> list[str]:
    return [f"{alias}.{column}" for alias, table in aliases.items() for column in table.column_names]


@st.composite
def _filters(draw: st.DrawFn, aliases: Aliases, tables: Mapping[str, Table]) -> Document:
    alias = draw(st.sampled_from(list(aliases)))
    column = draw(st.sampled_from(aliases[alias].columns))
    reference = f"{alias}.{column.name}"
    op = draw(st.sampled_from([*_SCALAR_OPS, "in", "contains", "is_null", "not_null"]))
    if op in ("is_null", "not_null"):
        return {"column": reference, "op": op}
    table = tables[aliases[alias].name]
    constants = _constants(table, column.name, column.affinity)
    if op == "contains":
        return {"column": reference, "op": op, "value": draw(_parts(constants))}
    value = draw(st.lists(constants, min_size=1, max_size=4)) if op == "in" else draw(constants)
    return {"column": reference, "op": op, "value": value}


def _constants(table: Table, column: str, affinity: Affinity) -> st.SearchStrategy[Scalar]:
    """Values of the column and their near misses, and values that are likely to miss."""
    present = [value for value in table.columns[column].to_list() if value is not None]
    drawn = (
        st.one_of(st.sampled_from(present), st.sampled_from(present).flatmap(_near), _MISSES) if present else _MISSES
    )
    return drawn.filter(lambda value: not (isinstance(value, float) and affinity is Affinity.TEXT))


def _near(value: Scalar) -> st.SearchStrategy[Scalar]:
    if isinstance(value, str):
        return st.sampled_from([value.swapcase(), value + " ", value[:-1], value + "a"])
    return st.sampled_from([str(value), float(value) if abs(value) < 2**53 else value, value])


@st.composite
def _parts(draw: st.DrawFn, constants: st.SearchStrategy[Scalar]) -> str:
    text = str(draw(constants))
    start = draw(st.integers(0, len(text)))
    return text[start : draw(st.integers(start, len(text)))]


@st.composite
def _outputs(draw: st.DrawFn, aliases: Aliases, stored: CellTypes) -> Document:
    references = _references(aliases)
    if draw(st.booleans()):
        return {"projection": draw(_projections(references, min_size=1))}
    group_by = draw(st.lists(st.sampled_from(references), max_size=3, unique=True))
    projection = draw(_projections(group_by)) if group_by else []
    fewest = 0 if projection else 1
    aggregations = draw(st.lists(_aggregations(aliases, stored), min_size=fewest, max_size=4))
    for number, aggregation in enumerate(aggregations):
        aggregation["as"] = f"a{number}"
    return {"projection": projection, "group_by": group_by, "aggregations": aggregations}


@st.composite
def _projections(draw: st.DrawFn, references: Sequence[str], min_size: int = 0) -> list[Any]:
    chosen = draw(st.lists(st.sampled_from(references), min_size=min_size, max_size=4, unique=True))
    named = draw(st.booleans())
    return [{"column": column, "as": f"c{number}"} if named else column for number, column in enumerate(chosen)]


@st.composite
def _aggregations(draw: st.DrawFn, aliases: Aliases, stored: CellTypes) -> Document:
    numeric = [
        f"{alias}.{column.name}"
        for alias, table in aliases.items()
        for column in table.columns
        if is_numeric(column, stored[table.name][column.name])
    ]
    functions = ["count", "min", "max", *(["sum", "avg"] * 2 if numeric else [])]
    function = draw(st.sampled_from(functions))
    if function in ("sum", "avg"):
        return {"function": function, "column": draw(st.sampled_from(numeric))}
    columns = _references(aliases) + (["*"] * 3 if function == "count" else [])
    return {"function": function, "column": draw(st.sampled_from(columns))}


@st.composite
def _orders(draw: st.DrawFn, document: Document) -> Document:
    """No order, an order by some outputs, or an order by all of them with a limit."""
    projected = [item if isinstance(item, str) else item["as"] for item in document["projection"]]
    names = draw(st.permutations(projected + [item["as"] for item in document.get("aggregations", [])]))
    limit = draw(st.one_of(st.none(), st.integers(1, 8)))
    kept = names if limit is not None else names[: draw(st.integers(0, len(names)))]
    order_by = [{"column": name, "direction": draw(st.sampled_from(["asc", "desc"]))} for name in kept]
    return {"order_by": order_by, "limit": limit}
