"""Materialized path: its edges as joined rows of all the aliases it runs through."""

from typing_extensions import override

from app.executor.operators.protocol import RowOrder
from app.executor.operators.scan.scan import Scan


class MaterializedPath(Scan):
    """All edges of a complete path, or those whose stops meet conditions; gathers lead to the stops."""

    __slots__ = ()

    def order(self, before: RowOrder) -> RowOrder:
        """A path's edges are rows of no table."""
        return before

    @override
    def describe(self) -> str:
        return f"MaterializedPath {self.name.removeprefix('path ')} [{self.table_rows} edges]{self.text}"
