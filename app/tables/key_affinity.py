"""When the unary plus of `parent = +child` matters."""

from app.tables.schema import ColumnSchema


def child_affinity_matters(parent: ColumnSchema, child: ColumnSchema) -> bool:
    """Whether `parent = +child` and `parent = child` may differ: they do if the child's affinity would convert a side.

    The collation is the left side's, the parent's, in both forms. If it matters, no index on the child's column can
    serve the join.
    """
    same = parent.affinity is child.affinity
    return not same and not (parent.affinity.is_numeric and child.affinity.is_numeric)
