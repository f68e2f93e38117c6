"""References of MySQL's texts whose server may compare more alike than the collation that stands for its own.

NOCASE folds ASCII letters. Most collations of MySQL also fold accents, the case of all letters, and blanks at the end,
so that a reference that finds no parent here may find one there: such a source is refused by name, and never read with
a reference less.
"""

import unicodedata

from app.errors import SqlUnsupportedError
from app.sources.sqlite.reading.database import DatabaseContent
from app.tables.column import Column, Kind
from app.tables.schema import ForeignKey
from app.values import Collation, fold_identifier

_HINT = "Make the texts of both columns equal, or give both columns a collation that ends in _bin."


def refuse_doubtful_references(content: DatabaseContent) -> None:
    """Raise `SqlUnsupportedError` if a reference of one text column finds its parent only with more letters folded."""
    for key in content.schema.foreign_keys:
        column = content.schema.table(key.ref_table).column(key.ref_columns[0])
        if len(key.columns) == 1 and column.collation is Collation.NOCASE:
            child, parent = (
                content.tables[table].columns[name]
                for table, name in ((key.table, key.columns[0]), (key.ref_table, column.name))
            )
            if child.kind is Kind.TEXT and parent.kind is Kind.TEXT:
                _refuse_doubtful(key, child, parent)


def _refuse_doubtful(key: ForeignKey, child: Column, parent: Column) -> None:
    parents: list[str] = parent.texts.objects().tolist()
    exact = {fold_identifier(text) for text in parents}
    missing = [text for text in child.texts.objects().tolist() if fold_identifier(text) not in exact]
    if not missing:
        return
    folded = {_folded(text) for text in parents}
    doubtful = next((text for text in missing if _folded(text) in folded), None)
    if doubtful is not None:
        raise SqlUnsupportedError(
            f"The foreign key {key.label} may find a parent for {doubtful[:40]!r} in its server, whose collation folds "
            "more than the case of ASCII letters.",
            hint=_HINT,
            table=key.table,
            column=key.columns[0],
        )


def _folded(text: str) -> str:
    """A text without case, accents and blanks at its end."""
    decomposed = unicodedata.normalize("NFKD", text.casefold())
    return "".join(each for each in decomposed if not unicodedata.combining(each)).rstrip(" ")
