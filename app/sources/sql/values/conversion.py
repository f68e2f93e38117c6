"""What becomes of the cells of each declared type: they end up as their database prints them, or are refused.

One table says it for both databases; a type that is not in it keeps its texts as they are.
"""

import re
from collections.abc import Callable, Mapping, Sequence
from functools import partial

from app.sources.dialect import Dialect
from app.sources.sql.definitions.model import SqlType, Storage
from app.sources.sql.rows.batches import Cell
from app.sources.sql.statements.session import Settings
from app.sources.sql.values import printed, scale, texts
from app.sources.sql.values.bad_value import BadValueError
from app.sources.sql.values.dates import dates_of, years_of
from app.sources.sql.values.nested import NESTED, nested_texts

Convert = Callable[[SqlType, Sequence[Cell]], list[Cell]]

_DATES = frozenset({"date", "datetime", "timestamp", "timestamptz", "time", "timetz"})
_COMMON: Mapping[str, Convert] = {
    "varchar": texts.limited_texts,
    "uuid": texts.uuids,
    "enum": texts.members,
}
_BY_DIALECT: Mapping[Dialect, Mapping[str, Convert]] = {
    Dialect.MYSQL: {
        **_COMMON,
        "char": texts.unpadded_texts,
        "set": texts.member_sets,
        "year": years_of,
        "json": printed.json_texts,
        **dict.fromkeys(("inet4", "inet6"), printed.addresses),
        "decimal": scale.scaled_decimals,
        "float": scale.single_reals,
        "double": scale.rounded_reals,
        "bit": scale.bits,
    },
    Dialect.POSTGRES: {
        **_COMMON,
        "char": texts.padded_texts,
        '"char"': texts.single_characters,
        "name": texts.names,
        "jsonb": printed.json_texts,
        "inet": printed.addresses,
        "box": printed.boxes,
        "tsvector": printed.lexemes,
        "interval": printed.intervals,
        "hstore": printed.pairs,
        **dict.fromkeys(printed.PRINTED, printed.printed_forms),
        **dict.fromkeys(printed.SHAPES, printed.shapes),
        **dict.fromkeys(printed.UNREAD, printed.unread_values),
        "bit": printed.bit_strings,
        "numeric": scale.scaled_decimals,
        "real": scale.single_reals,
    },
    Dialect.SQLITE: {},
}
_ELEMENTS = {
    Storage.BOOLEAN: re.compile("[tf]"),
    Storage.INTEGER: re.compile(r"-?(?:0|[1-9]\d*)", re.ASCII),
    Storage.NUMERIC: re.compile(r"-?(?:0|[1-9]\d*)(?:\.\d+)?", re.ASCII),
    Storage.BINARY: re.compile(r"\\x(?:[0-9a-f]{2})*"),
}
"""How exact numbers, truth values and bytes are printed within other values."""


def converted(settings: Settings, declared: SqlType, cells: Sequence[Cell]) -> list[Cell]:
    """The cells as the database of the settings' dialect prints them; `BadValueError` for one that is refused."""
    dialect = settings.syntax.dialect
    if declared.name in _DATES:
        return dates_of(dialect, declared, settings.in_utc)(cells)
    if declared.name in NESTED:
        return nested_texts(partial(_elements, settings), declared, cells)
    convert = _BY_DIALECT[dialect].get(declared.name)
    if declared.charset:
        texts.check_charset(declared, cells)
    return list(cells) if convert is None else convert(declared, cells)


def _elements(settings: Settings, element: SqlType, cells: Sequence[Cell]) -> list[Cell]:
    """Parts of values as they are printed within these; `BadValueError` for one that is not a printed number."""
    for place, cell in enumerate(cells):
        if not _is_printed_part(element, str(cell)):
            raise BadValueError(place, f"is not a printed {element.name}")
    return list(cells) if element.storage is Storage.REAL else converted(settings, element, cells)


def _is_printed_part(element: SqlType, text: str) -> bool:
    if element.storage is Storage.REAL:
        return printed.is_printed_real(text, is_single=element.name == "real")
    pattern = scale.printed_decimal(element) if element.numbers and element.name == "numeric" else None
    pattern = pattern or _ELEMENTS.get(element.storage)
    return pattern is None or pattern.fullmatch(text) is not None
