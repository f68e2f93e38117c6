"""Filter: joined rows that meet conditions on one alias."""

from collections.abc import Sequence
from dataclasses import dataclass

from typing_extensions import override

from app.executor.columns.conditions import Condition
from app.executor.operators.frame import Alias, Frame
from app.executor.operators.protocol import Operator


@dataclass(slots=True)
class FilterRows(Operator):
    """Conditions on the rows of an alias that are joined already."""

    alias: Alias
    conditions: Sequence[Condition]
    text: str

    def run(self, frame: Frame) -> None:
        """Keep the joined rows that pass."""
        rows = frame.rows[self.alias]
        assert rows is not None, "a filter follows an operator that lists rows"
        for condition in self.conditions:
            passed = condition.at(rows)
            if not passed.all():
                frame.keep(passed.nonzero()[0])
                rows = frame.rows[self.alias]
                assert rows is not None

    @override
    def describe(self) -> str:
        return f"Filter{self.text}"
