"""add_primary_key: columns that identify the rows of a table become its proposed key."""

from dataclasses import replace

from pydantic import Field
from typing_extensions import override

from app.graph.checks.canonical import canonical
from app.graph.checks.integrity import key_problem
from app.graph.model.property_graph import PropertyGraph
from app.graph.model.rows import resolve_rows
from app.transform.selection import column_named, table_named
from app.transform.strategy import Arguments, Strategy, refused


class AddPrimaryKeyArguments(Arguments):
    """The columns of the key, in its order."""

    table: str
    columns: tuple[str, ...] = Field(min_length=1, max_length=16)


class AddPrimaryKey(Strategy[AddPrimaryKeyArguments]):
    """Records an `identity_key`, so that rows are found and told apart by it. The declared schema and row ids stay.

    The columns must be free of NULLs and unique as SQLite compares them.

    >>> from app.transform.example import example_graph, outline
    >>> arguments = AddPrimaryKey().parse({"table": "student", "columns": ["name"]})
    >>> print(outline(AddPrimaryKey().apply(example_graph(), arguments)).splitlines()[0])
    student: 3 nodes with id, name, city, tags, key name
    """

    name = "add_primary_key"
    arguments = AddPrimaryKeyArguments

    def apply(self, graph: PropertyGraph, arguments: AddPrimaryKeyArguments) -> PropertyGraph:
        """The graph with the key, without its paths; the same graph if the table is known by it already."""
        schema = table_named(graph, arguments.table, self.name)
        columns = tuple(column_named(schema, name, self.name) for name in arguments.columns)
        nodes = graph.rows_of(schema.name)
        if set(columns) in (set(nodes.identity_key), set(schema.primary_key)):
            return graph
        if len(set(columns)) < len(columns):
            raise refused(self.name, "column_repeated", "a column stands twice in the key.", table=schema.name)
        if nodes.identity_key:
            message = f"table {schema.name} has the key {', '.join(nodes.identity_key)}."
            raise refused(self.name, "key_exists", message, hint="Remove it first.", table=schema.name)
        if nodes.count == 0:
            raise refused(self.name, "no_nodes", f"table {schema.name} has no nodes.", table=schema.name)
        rows = resolve_rows(graph, schema.name)
        problem = key_problem([rows.columns[name] for name in columns], rows, columns)
        if problem:
            reason = "key_has_null" if "NULL" in problem else "key_not_unique"
            raise refused(self.name, reason, f"({', '.join(columns)}) {problem}.", table=schema.name)
        moved = [name for name in columns if name not in nodes.columns or name in nodes.absent]
        if moved:
            message = f"{moved[0]} is not on the nodes of {nodes.label}."
            raise refused(self.name, "property_moved", message, table=schema.name, column=moved[0])
        return canonical(graph.without_paths().with_tables([replace(nodes, identity_key=columns)]))

    @override
    def signature(self, graph: PropertyGraph, arguments: AddPrimaryKeyArguments) -> str | None:
        declared = table_named(graph, arguments.table, self.name).primary_key
        return f"{self.name}|{len(arguments.columns)} columns|{'second' if declared else 'first'} key"
