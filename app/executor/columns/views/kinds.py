"""The view of a column by its kind."""

from app.executor.columns.views.column_view import ColumnView
from app.executor.columns.views.mixed_view import MixedView
from app.executor.columns.views.number_views import IntegerView, RealView
from app.executor.columns.views.text_view import TextView
from app.tables.column import Column, Kind
from app.tables.schema import ColumnSchema

_VIEWS: dict[Kind, type[ColumnView]] = {
    Kind.INT64: IntegerView,
    Kind.BOOL: IntegerView,
    Kind.FLOAT64: RealView,
    Kind.TEXT: TextView,
    Kind.MIXED: MixedView,
}


def view_of(column: Column, schema: ColumnSchema) -> ColumnView:
    """A fresh view of a column; nothing is prepared yet."""
    return _VIEWS[column.kind](column, schema)
