"""Texts of types that have rules of their own: padding, lengths, enums and sets, uuids."""

import re
from collections.abc import Sequence
from dataclasses import replace

from app.sources.dialect import Dialect
from app.sources.sql.definitions.model import SqlType
from app.sources.sql.rows.batches import Cell
from app.sources.sql.statements.encodings import UTF8, codec_of, is_read
from app.sources.sql.values.bad_value import BadValueError
from app.values import fold_identifier

_UUID = re.compile(r"\{?((?:[0-9a-fA-F]{4}-?){7}[0-9a-fA-F]{4})\}?")
_PRINTED_UUID = re.compile(r"[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}")
_NAME_BYTES = 63


def check_charset(declared: SqlType, cells: Sequence[Cell]) -> None:
    """Raise `BadValueError` for a text of MySQL that the charset of its column cannot hold."""
    codec = codec_of(Dialect.MYSQL, declared.charset)
    if codec == UTF8:
        return
    for place, cell in enumerate(cells):
        if isinstance(cell, str) and not cell.isascii() and not _is_encodable(cell, codec):
            raise BadValueError(
                place, f"holds a text that the charset {declared.charset} may not hold", is_refusal=True
            )


def _is_encodable(text: str, codec: str) -> bool:
    try:
        return is_read(codec) and bool(text.encode(codec))
    except UnicodeEncodeError:
        return False


def limited_texts(declared: SqlType, cells: Sequence[Cell]) -> list[Cell]:
    """Texts of at most the declared length; of longer ones, blanks at the end go as the database cuts them."""
    limit = declared.numbers[0] if declared.numbers else None
    if limit is None or max(map(len, filter(None, cells)), default=0) <= limit:
        return list(cells)
    return [_limited(place, cell, limit) if isinstance(cell, str) else cell for place, cell in enumerate(cells)]


def _limited(place: int, text: str, limit: int) -> str:
    if len(text.rstrip(" ")) > limit:
        raise BadValueError(place, f"holds {len(text):,} characters, {limit:,} are declared")
    return text[:limit]


def padded_texts(declared: SqlType, cells: Sequence[Cell]) -> list[Cell]:
    """Texts of type character of PostgreSQL, which pads them with blanks."""
    width = declared.numbers[0] if declared.numbers else 1
    limited = limited_texts(replace(declared, numbers=(width,)), cells)
    return [cell.ljust(width) if isinstance(cell, str) else cell for cell in limited]


def single_characters(declared: SqlType, cells: Sequence[Cell]) -> list[Cell]:
    """Texts of PostgreSQL's own type "char", which has room for one byte."""
    return limited_texts(replace(declared, numbers=(1,)), cells)


def unpadded_texts(declared: SqlType, cells: Sequence[Cell]) -> list[Cell]:
    """Texts of type char of MySQL, which leaves out the blanks at their end."""
    width = declared.numbers[0] if declared.numbers else 1
    limited = limited_texts(replace(declared, numbers=(width,)), cells)
    return [cell.rstrip(" ") if isinstance(cell, str) else cell for cell in limited]


def names(_: SqlType, cells: Sequence[Cell]) -> list[Cell]:
    """Texts of PostgreSQL's type name, which has room for 63 bytes."""
    for place, cell in enumerate(cells):
        if isinstance(cell, str) and len(cell.encode("utf-8", "surrogateescape")) > _NAME_BYTES:
            raise BadValueError(place, f"holds more than {_NAME_BYTES} bytes")
    return list(cells)


def members(declared: SqlType, cells: Sequence[Cell]) -> list[Cell]:
    """Members of an enum as they are declared; MySQL takes their numbers, and their names without case, too."""
    known = set(declared.members)
    if all(cell is None or cell in known for cell in cells) or not known:
        return list(cells)
    folded = {fold_identifier(member): member for member in declared.members}
    return [_member(place, cell, declared, folded) for place, cell in enumerate(cells)]


def _member(place: int, cell: Cell, declared: SqlType, folded: dict[str, str]) -> Cell:
    if cell is None or cell in declared.members:
        return cell
    text = str(cell)
    by_name = folded.get(fold_identifier(text.rstrip(" ")))
    if by_name is not None:
        return by_name
    if text.isdecimal() and 1 <= int(text) <= len(declared.members):
        return declared.members[int(text) - 1]
    raise BadValueError(place, f"holds {text[:40]!r}, which is not a member of its enum")


def member_sets(declared: SqlType, cells: Sequence[Cell]) -> list[Cell]:
    """Sets of MySQL with their members once each, in the order of declaration; a number has a bit for each member."""
    folded = {fold_identifier(member): member for member in declared.members}
    done: dict[Cell, Cell] = {None: None}
    for place, cell in enumerate(cells):
        if cell not in done:
            done[cell] = _member_set(place, str(cell), declared, folded)
    return [done[cell] for cell in cells]


def _member_set(place: int, text: str, declared: SqlType, folded: dict[str, str]) -> str:
    chosen = {folded.get(fold_identifier(part)) for part in text.split(",")} if text else set()
    if None in chosen and text.isdecimal() and int(text) < 2 ** len(declared.members):
        chosen = {member for bit, member in enumerate(declared.members) if int(text) >> bit & 1}
    if None in chosen:
        raise BadValueError(place, f"holds {text[:40]!r}, which is not a set of the declared members")
    return ",".join(member for member in declared.members if member in chosen)


def uuids(_: SqlType, cells: Sequence[Cell]) -> list[Cell]:
    """UUIDs in lower case with four hyphens."""
    return [_uuid(place, cell) if isinstance(cell, str) else cell for place, cell in enumerate(cells)]


def _uuid(place: int, text: str) -> str:
    if _PRINTED_UUID.fullmatch(text):
        return text
    found = _UUID.fullmatch(text)
    if found is None:
        raise BadValueError(place, f"holds {text[:40]!r}, which is not a UUID")
    digits = found[1].replace("-", "").lower()
    return f"{digits[:8]}-{digits[8:12]}-{digits[12:16]}-{digits[16:20]}-{digits[20:]}"
