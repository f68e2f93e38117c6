"""Small relational sources written by hand, for tests that need no file."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from app.graph.checks.integrity import SourceIntegrity
from app.graph.g0 import References, build_initial_graph, match_references
from app.graph.model.property_graph import PropertyGraph
from app.tables.column import column_of
from app.tables.schema import ColumnSchema, ForeignKey, RelationalSchema, TableSchema
from app.tables.table import Table
from app.values import Scalar, affinity_of


@dataclass(frozen=True)
class HandMade:
    """A source with everything the graph layer derives from it."""

    schema: RelationalSchema
    tables: Mapping[str, Table]
    references: References
    graph: PropertyGraph

    @property
    def integrity(self) -> SourceIntegrity:
        return SourceIntegrity(self.schema, self.tables, self.references)


def table(
    name: str,
    columns: Mapping[str, tuple[str, Sequence[Scalar]]],
    primary_key: Sequence[str] = ("id",),
    references: Mapping[str | tuple[str, ...], tuple[str, Sequence[str]]] | None = None,
) -> Table:
    """A table of `{column: (declared type, values)}`; references are `{child column(s): (table, columns)}`."""
    keys = tuple(
        ForeignKey(name, (child,) if isinstance(child, str) else child, ref_table, tuple(ref_columns))
        for child, (ref_table, ref_columns) in (references or {}).items()
    )
    schema = TableSchema(
        name,
        tuple(ColumnSchema(column, declared, affinity_of(declared)) for column, (declared, _) in columns.items()),
        tuple(primary_key),
        keys,
    )
    data = {column: column_of(list(values)) for column, (_, values) in columns.items()}
    return Table(schema, data, len(next(iter(data.values()))))


def source(*tables: Table) -> HandMade:
    """The source of these tables and its G0."""
    schema = RelationalSchema.of([t.schema for t in tables])
    by_name = {t.schema.name: t for t in tables}
    references = match_references(schema, by_name)
    return HandMade(schema, by_name, references, build_initial_graph(schema, by_name, references))


def shop() -> HandMade:
    """Countries, customers with a self-reference, orders, and order lines with a composite key; NULLs and a loop."""
    return source(
        table(
            "country",
            {"code": ("TEXT", ["DE", "FR", "JP"]), "name": ("TEXT", ["Germany", "France", "Japan"])},
            ["code"],
        ),
        table(
            "customer",
            {
                "id": ("INTEGER", [1, 2, 3, 4]),
                "country_code": ("TEXT", ["DE", "FR", None, "DE"]),
                "referred_by": ("INTEGER", [None, 1, 3, 1]),
                "status": ("TEXT", ["gold", "silver", "gold", None]),
            },
            references={"country_code": ("country", ["code"]), "referred_by": ("customer", ["id"])},
        ),
        table(
            "orders",
            {
                "id": ("INTEGER", [10, 11, 12, 13, 14]),
                "customer_id": ("INTEGER", [1, 1, 2, 9, None]),
                "amount": ("REAL", [5.0, 7.5, None, 2.5, 1.0]),
                "status": ("TEXT", ["paid", "open", "paid", "paid", "open"]),
            },
            references={"customer_id": ("customer", ["id"])},
        ),
        table(
            "line",
            {
                "order_id": ("INTEGER", [10, 10, 11, 12]),
                "number": ("INTEGER", [1, 2, 1, 1]),
                "note": ("TEXT", ['said "hi"\n', "", "ärger", None]),
            },
            ["order_id", "number"],
            references={"order_id": ("orders", ["id"])},
        ),
        table(
            "empty", {"id": ("INTEGER", []), "order_id": ("INTEGER", [])}, references={"order_id": ("orders", ["id"])}
        ),
    )
