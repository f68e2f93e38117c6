"""References of MySQL that find no parent here, though its server may know better: such a source is refused by name.

NOCASE folds ASCII letters. Most collations of MySQL also fold accents, the case of all letters, and blanks at the end,
so that a reference without a parent here may have one there. And a server that checks references leaves out rows of
INSERT IGNORE that have no parent.
"""

import unicodedata
from collections.abc import Collection

from app.errors import SqlUnsupportedError
from app.sources.sqlite.reading.database import DatabaseContent
from app.tables.column import Column
from app.tables.matching import DANGLING, match_rows
from app.tables.schema import ForeignKey
from app.values import Collation

_COLLATION_HINT = "Make the texts of both columns equal, or give both columns a collation that ends in _bin."
_IGNORE_HINT = "Leave out IGNORE, or SET foreign_key_checks = 0 before the rows."


def refuse_doubtful_references(content: DatabaseContent, ignored: Collection[str]) -> None:
    """Raise `SqlUnsupportedError` for a reference without a parent that the server may decide otherwise.

    `ignored` are the tables with rows that are left out if they have no parent.
    """
    for key in content.schema.foreign_keys:
        child = [content.tables[key.table].columns[name] for name in key.columns]
        parent = [content.tables[key.ref_table].columns[name] for name in key.ref_columns]
        schemas = [content.schema.table(key.ref_table).column(name) for name in key.ref_columns]
        dangling = match_rows(child, parent, schemas).pointers == DANGLING
        if not dangling.any():
            continue
        if key.table in ignored:
            reason = f"Rows of INSERT IGNORE have no parent by {key.label}: their server leaves them out."
            raise SqlUnsupportedError(reason, hint=_IGNORE_HINT, table=key.table)
        if any(schema.collation is Collation.NOCASE for schema in schemas):
            rows = dangling.nonzero()[0]
            _refuse_folded(key, [column.take(rows) for column in child], parent)


def _refuse_folded(key: ForeignKey, dangling: list[Column], parent: list[Column]) -> None:
    """Refuse a reference that has a parent once all letters are folded."""
    folded = set(_folded_rows(parent))
    for row, cells in enumerate(_folded_rows(dangling)):
        if cells in folded and None not in cells:
            shown = ", ".join(repr(column.cell(row))[:40] for column in dangling)
            raise SqlUnsupportedError(
                f"The foreign key {key.label} may find a parent for {shown} in its server, whose collation folds more "
                "than the case of ASCII letters.",
                hint=_COLLATION_HINT,
                table=key.table,
                column=", ".join(key.columns),
            )


def _folded_rows(columns: list[Column]) -> list[tuple[object, ...]]:
    return list(zip(*([_folded(cell) for cell in column.to_list()] for column in columns), strict=True))


def _folded(cell: object) -> object:
    """A text without case, accents and blanks at its end; any other cell as it is."""
    if not isinstance(cell, str):
        return cell
    decomposed = unicodedata.normalize("NFKD", cell.casefold())
    return "".join(each for each in decomposed if not unicodedata.combining(each)).rstrip(" ")
