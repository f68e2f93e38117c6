"""`relational_schema`: a table's schema as the document of its first row carries it."""

from collections.abc import Sequence
from typing import Any

from app.errors import GraphInvalidError
from app.errors.wording import fault_of
from app.graph.model.property_graph import PropertyGraph
from app.tables.schema import ColumnSchema, ForeignKey, TableSchema
from app.values import Affinity, Collation


def schema_to_document(schema: TableSchema, position: int) -> dict[str, Any]:
    """The schema as JSON; `position` is the table's place among the source's tables."""
    return {
        "name": schema.name,
        "position": position,
        "columns": [
            {
                "name": column.name,
                "declared_type": column.declared_type,
                "affinity": column.affinity.value,
                "collation": column.collation.value,
                "not_null": column.not_null,
                **column.annotations(),
            }
            for column in schema.columns
        ],
        "primary_key": list(schema.primary_key),
        "unique_keys": [list(key) for key in schema.unique_keys],
        "foreign_keys": [key.to_dict() for key in schema.foreign_keys],
    }


def schema_documents(graph: PropertyGraph) -> tuple[dict[str, dict[str, Any]], list[dict[str, Any]]]:
    """By node type the schema that its first row carries, and the schemas that no row can carry.

    The first type with rows also has those of the tables without rows; only a graph without any row leaves some over,
    which the document then has beside its nodes.
    """
    rows = [nodes for nodes in graph.node_tables.values() if nodes.is_rows]
    documents = {nodes.label: schema_to_document(nodes.schema, at) for at, nodes in enumerate(rows) if nodes.schema}
    empty = [documents.pop(nodes.label) for nodes in rows if nodes.count == 0]
    if not (empty and documents):
        return documents, empty
    next(iter(documents.values()))["empty_tables"] = empty
    return documents, []


def schema_from_document(document: Any) -> tuple[int, TableSchema]:
    """The position and the schema of such a document; `GraphInvalidError` if it is malformed."""
    try:
        schema = TableSchema(
            name=str(document["name"]),
            columns=tuple(_column(column) for column in document["columns"]),
            primary_key=tuple(map(str, document["primary_key"])),
            unique_keys=tuple(tuple(map(str, key)) for key in document["unique_keys"]),
            foreign_keys=tuple(ForeignKey.from_dict(key) for key in document["foreign_keys"]),
        )
        return int(document["position"]), schema
    except (AttributeError, KeyError, TypeError, ValueError) as error:
        raise GraphInvalidError(
            f"A relational_schema in the graph document is malformed: {fault_of(error)}."
        ) from error


def check_schemas(schemas: Sequence[TableSchema]) -> None:
    """`GraphInvalidError` if two tables have one name, or a key names a column that does not exist."""
    columns = {schema.name: set(schema.column_names) for schema in schemas}
    if len(columns) < len(schemas) or any(len(columns[s.name]) < len(s.columns) for s in schemas):
        raise GraphInvalidError("The graph document names a table or a column twice.")
    for schema in schemas:
        own = {*schema.primary_key, *(name for key in schema.unique_keys for name in key)}
        own |= {name for key in schema.foreign_keys for name in key.columns}
        known = own <= columns[schema.name] and all(
            key.table == schema.name
            and len(key.columns) == len(key.ref_columns)
            and set(key.ref_columns) <= columns.get(key.ref_table, set())
            for key in schema.foreign_keys
        )
        if not known:
            raise GraphInvalidError(
                f"A key of table {schema.name} names a column that does not exist.", table=schema.name
            )


def _column(document: Any) -> ColumnSchema:
    return ColumnSchema(
        name=str(document["name"]),
        declared_type=str(document["declared_type"]),
        affinity=Affinity(document["affinity"]),
        collation=Collation(document["collation"]),
        not_null=bool(document["not_null"]),
        empty_is_missing=bool(document.get("empty_is_missing", False)),
        type_label=str(document.get("type_label", "")),
    )
