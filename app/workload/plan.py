"""A plan: one query of the workload, in the document form that users and models write."""

from enum import StrEnum
from typing import Annotated, Any, Literal

from pydantic import BaseModel, BeforeValidator, ConfigDict, Field

from app.tables.schema import ForeignKey
from app.values import Scalar

MAX_JOINS = 3
"""Hops a plan may take from its root."""


class Comparison(StrEnum):
    """How a filter compares a column with its value."""

    EQ = "eq"
    NE = "ne"
    LT = "lt"
    LE = "le"
    GT = "gt"
    GE = "ge"
    IN = "in"
    CONTAINS = "contains"
    IS_NULL = "is_null"
    NOT_NULL = "not_null"


class Function(StrEnum):
    """What an aggregation computes."""

    COUNT = "count"
    SUM = "sum"
    MIN = "min"
    MAX = "max"
    AVG = "avg"


class _Part(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True, strict=True, populate_by_name=True)


def _pairs(value: Any) -> Any:
    return tuple(value) if isinstance(value, list) else value


Names = Annotated[tuple[str, ...], BeforeValidator(_pairs)]


class Root(_Part):
    """Where a plan begins; the alias is always t0."""

    table: str
    alias: Literal["t0"] = "t0"


class ForeignKeyReference(_Part):
    """A declared foreign key, by its child and parent columns."""

    table: str
    columns: Names
    ref_table: str
    ref_columns: Names

    def to_key(self) -> ForeignKey:
        """The key as the schema states it."""
        return ForeignKey(self.table, self.columns, self.ref_table, self.ref_columns)


class Join(_Part):
    """One hop from an alias that exists to a new one, along a declared foreign key."""

    source: str = Field(alias="from")
    table: str
    alias: str
    foreign_key: ForeignKeyReference
    direction: Literal["forward", "reverse"]
    type: Literal["inner", "left"] = "inner"


class Filter(_Part):
    """A comparison of a source column; is_null and not_null take no value."""

    column: str
    op: Annotated[Comparison, Field(strict=False)]
    value: Any = None


class Projection(_Part):
    """An output column and its alias."""

    column: str
    output: str = Field(alias="as")


class Aggregation(_Part):
    """An aggregate output; `column` is `*` for count only."""

    function: Annotated[Function, Field(strict=False)]
    column: str
    output: str = Field(alias="as")


class Order(_Part):
    """A sort key: an output alias and a direction."""

    column: str
    direction: Literal["asc", "desc"] = "asc"


def _projection(value: Any) -> Any:
    """Let `"t0.Name"` stand for `{"column": "t0.Name", "as": "t0.Name"}`."""
    return {"column": value, "as": value} if isinstance(value, str) else value


class Plan(_Part):
    """One query; `normalised()` is the form that is frozen, hashed and reported."""

    id: str
    question: str
    root: Root
    joins: Annotated[tuple[Join, ...], BeforeValidator(_pairs)] = ()
    filters: Annotated[tuple[Filter, ...], BeforeValidator(_pairs)] = ()
    projection: Annotated[tuple[Annotated[Projection, BeforeValidator(_projection)], ...], BeforeValidator(_pairs)] = ()
    group_by: Names = ()
    aggregations: Annotated[tuple[Aggregation, ...], BeforeValidator(_pairs)] = ()
    order_by: Annotated[tuple[Order, ...], BeforeValidator(_pairs)] = ()
    limit: int | None = None

    def normalised(self) -> dict[str, Any]:
        """The canonical document: empty arrays and `limit: null` filled in, is_null without a value."""
        document = self.model_dump(mode="json", by_alias=True)
        for part in document["filters"]:
            if part["op"] in (Comparison.IS_NULL, Comparison.NOT_NULL):
                del part["value"]
        document["projection"] = [
            item["column"] if item["column"] == item["as"] else item for item in document["projection"]
        ]
        return document


FilterValue = Scalar | tuple[Scalar, ...]
"""A bound filter's value: one scalar, or those of `in`."""
