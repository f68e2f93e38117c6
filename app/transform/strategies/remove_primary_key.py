"""remove_primary_key: a proposed key is given up."""

from dataclasses import replace

from typing_extensions import override

from app.graph.model.property_graph import PropertyGraph
from app.transform.selection import table_named
from app.transform.strategy import Arguments, Strategy, refused


class RemovePrimaryKeyArguments(Arguments):
    """The table."""

    table: str


class RemovePrimaryKey(Strategy[RemovePrimaryKeyArguments]):
    """Removes the `identity_key` of a table. What the source declares, and row ids, stay.

    >>> from app.transform.strategies.add_primary_key import AddPrimaryKey
    >>> from app.transform.example import example_graph, outline
    >>> proposed = AddPrimaryKey()
    >>> graph = proposed.apply(example_graph(), proposed.parse({"table": "student", "columns": ["name"]}))
    >>> graph = RemovePrimaryKey().apply(graph, RemovePrimaryKey().parse({"table": "student"}))
    >>> outline(graph) == outline(example_graph())
    True
    """

    name = "remove_primary_key"
    arguments = RemovePrimaryKeyArguments

    def apply(self, graph: PropertyGraph, arguments: RemovePrimaryKeyArguments) -> PropertyGraph:
        """The graph without the key and without its paths."""
        schema = table_named(graph, arguments.table, self.name)
        nodes = graph.rows_of(schema.name)
        if not nodes.identity_key:
            message = f"no key was proposed for table {schema.name}."
            raise refused(self.name, "no_identity_key", message, table=schema.name)
        return graph.without_paths().with_tables([replace(nodes, identity_key=())])

    @override
    def signature(self, graph: PropertyGraph, arguments: RemovePrimaryKeyArguments) -> str | None:
        del graph, arguments
        return self.name
