"""Tables as users declare them in JSON: the csv_schema of a bundle, and the options of a single CSV or TXT file."""

from collections.abc import Callable, Mapping
from typing import Annotated, Any, Literal, TypeVar

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from app.errors import GraphwrightError
from app.sources.csv.header import MAX_NAME
from app.sources.csv.scanner import MAX_COLUMNS
from app.sources.foreign_keys import DeclaredReference

BUNDLE_VERSION = "csv_bundle.v1"
MAX_BUNDLE_FILES = 128

Name = Annotated[str, Field(min_length=1, max_length=MAX_NAME)]
Names = Annotated[list[Name], Field(max_length=MAX_COLUMNS)]
KeyNames = Annotated[list[Name], Field(min_length=1, max_length=MAX_COLUMNS)]

Document = TypeVar("Document", bound=BaseModel)


class _Strict(BaseModel):
    model_config = ConfigDict(extra="forbid", strict=True, frozen=True)


class ForeignKeyDocument(_Strict):
    """A foreign key; without `ref_columns` it means the primary key of `ref_table`."""

    columns: KeyNames
    ref_table: Name
    ref_columns: KeyNames | None = None

    def of_table(self, table: str) -> DeclaredReference:
        """The reference that `table` declares so."""
        return DeclaredReference(table, tuple(self.columns), self.ref_table, tuple(self.ref_columns or ()))


class BundleTable(_Strict):
    """One file of a bundle; an empty `primary_key` means that it has none."""

    file_name: Name
    name: Name
    columns: Annotated[list[Name], Field(min_length=1, max_length=MAX_COLUMNS)]
    primary_key: Names = []
    foreign_keys: list[ForeignKeyDocument] = []


class BundleDocument(_Strict):
    """The whole csv_schema."""

    version: Literal["csv_bundle.v1"]
    tables: Annotated[list[BundleTable], Field(min_length=1, max_length=MAX_BUNDLE_FILES)]


class InlineTable(_Strict):
    """A table in an option; each row is an object with a JSON scalar for each column."""

    name: Name
    columns: Annotated[list[Name], Field(min_length=1, max_length=MAX_COLUMNS)]
    rows: list[dict[str, Any]] = []
    primary_key: Names | None = None
    foreign_keys: list[ForeignKeyDocument] = []


class StructureDocument(_Strict):
    """The options that complete a single CSV or TXT file."""

    table_name: Name | None = None
    primary_key: Names | None = None
    foreign_keys: list[ForeignKeyDocument] | None = None
    column_types: dict[str, Annotated[str, Field(max_length=100)]] | None = None
    tables: Annotated[list[InlineTable], Field(max_length=MAX_BUNDLE_FILES)] | None = None


def parsed(
    model: type[Document], document: Mapping[str, Any], error: Callable[[str, str], GraphwrightError]
) -> Document:
    """`document` as a model; `error` makes the error of the path and the complaint of its first fault."""
    try:
        return model.model_validate(dict(document))
    except ValidationError as invalid:
        first = invalid.errors(include_url=False, include_input=False)[0]
        raise error(".".join(map(str, first["loc"])), first["msg"]) from invalid
