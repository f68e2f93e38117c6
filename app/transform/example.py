"""The small graph of the examples, and how they show one."""

from app.graph.g0 import build_initial_graph, match_references
from app.graph.model.node_table import NodeTable
from app.graph.model.property_graph import EdgeTable, PropertyGraph
from app.tables.column import column_of
from app.tables.schema import ColumnSchema, ForeignKey, TableSchema
from app.tables.table import Table, TableSet
from app.values import Scalar, affinity_of

_STUDENTS: dict[str, list[Scalar]] = {
    "id": [1, 2, 3],
    "name": ["Ann", "Bo", "Cy"],
    "city": ["Rome", "Oslo", "Rome"],
    "tags": ["chess, go", None, "go"],
}


def example_graph() -> PropertyGraph:
    """G0 of students, courses, and who attends which.

    >>> print(outline(example_graph()))
    student: 3 nodes with id, name, city, tags
    course: 2 nodes with id, title
    attends: 3 nodes with student_id, course_id, grade
    (attends)-[STUDENT]->(student): 3
    (attends)-[COURSE]->(course): 3
    """
    source = TableSet.of(
        [
            _table("student", _STUDENTS),
            _table("course", {"id": [7, 8], "title": ["Algebra", "Logic"]}),
            _table(
                "attends",
                {"student_id": [1, 1, 3], "course_id": [7, 8, 8], "grade": [1.0, 2.5, None]},
                {"student_id": "student", "course_id": "course"},
            ),
        ]
    )
    return build_initial_graph(source.schema, source.tables, match_references(source.schema, source.tables))


def _table(name: str, columns: dict[str, list[Scalar]], references: dict[str, str] | None = None) -> Table:
    keys = tuple(ForeignKey(name, (own,), other, ("id",)) for own, other in (references or {}).items())
    declared = {column: "TEXT" if isinstance(values[0], str) else "" for column, values in columns.items()}
    schema = TableSchema(
        name,
        tuple(ColumnSchema(column, text, affinity_of(text)) for column, text in declared.items()),
        ("id",) if "id" in columns else (),
        keys,
    )
    return Table(
        schema, {column: column_of(values) for column, values in columns.items()}, 3 if name != "course" else 2
    )


def outline(graph: PropertyGraph) -> str:
    """The types of a graph, one a line, with what their nodes or edges hold."""
    return "\n".join([*map(_node_line, graph.node_tables.values()), *map(_edge_line, graph.edge_tables)])


def _node_line(nodes: NodeTable) -> str:
    key = f", key {', '.join(nodes.identity_key)}" if nodes.identity_key else ""
    return f"{nodes.label}: {nodes.count} nodes with {', '.join(nodes.columns)}{key}"


def _edge_line(edges: EdgeTable) -> str:
    held = [*edges.mark.columns_held, *(moved.name for moved in edges.relocated)]
    fields = f" with {', '.join(held)}" if held else ""
    return f"({edges.source_label})-[{edges.type}]->({edges.target_label}): {len(edges)}{fields}"
