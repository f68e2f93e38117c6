"""All marks."""

from collections.abc import Mapping

from app.graph.marks.attribute import ExtractedAttributeMark
from app.graph.marks.category import UnfoldedCategoryMark
from app.graph.marks.collapsed_row import CollapsedRowMark
from app.graph.marks.column_join import ColumnJoinMark
from app.graph.marks.foreign_key import ForeignKeyMark
from app.graph.marks.materialized_path import MaterializedPathMark
from app.graph.model.property_graph import EdgeMark

MARKS: Mapping[str, type[EdgeMark]] = {
    mark.member: mark
    for mark in (
        ForeignKeyMark,
        ExtractedAttributeMark,
        ColumnJoinMark,
        UnfoldedCategoryMark,
        CollapsedRowMark,
        MaterializedPathMark,
    )
}
"""The marks by the member of an edge's properties that tells them in a document; each edge has exactly one."""
