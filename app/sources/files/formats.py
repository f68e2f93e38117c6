"""Formats that are not read here, recognised by their first bytes; the refusal names the format and the way on."""

import re
from collections.abc import Sequence
from dataclasses import dataclass

from app.errors import SourceFormatError
from app.sources.files.delimiters import advice
from app.sources.files.input_file import InputFile
from app.sources.files.kinds import suffix_of

_UNPACK = "Unpack it, and load what is in it."
_EXPORT = "Export its tables as SQL text or CSV, and load that."
_SAVE = "Save its tables as CSV in UTF-8, and load that."
RESTORE = "pg_restore -f out.sql {name} writes it as SQL text; load that."

_SQL_SUFFIXES = frozenset({".sql", ".ddl", ".dump", ".psql", ".pgsql", ".mysql"})
_SCRIPT_BEGINS = re.compile(
    r"(--|/\*|\#|\\|;|@|(ALTER|BEGIN|COMMENT|COPY|CREATE|DELETE|DELIMITER|DO|DROP|GRANT|INSERT|LOCK|PRAGMA|REPLACE|SELECT"
    r"|SET|START|UPDATE|USE|WITH)\b)",
    re.IGNORECASE,
)
_QUOTED = re.compile('"[^"]*+"')
_DELIMITERS = (",", "\t", ";", "|")
_TEXTS = {"[": "a JSON document", "{": "a JSON document", "<": "an XML or HTML document"}
_LOOKED_AT = 64 * 1024


@dataclass(frozen=True, slots=True)
class _Format:
    """Bytes that stand at an `offset` of all files of a format, and at the `end` if that is not empty."""

    magic: bytes
    words: str
    hint: str
    offset: int = 0
    end: bytes = b""


_FORMATS = (
    _Format(b"PGDMP\x01", "a PostgreSQL archive (pg_dump -Fc)", RESTORE),
    _Format(b"PGDMP\x01", "a PostgreSQL archive (pg_dump -Ft)", RESTORE, 512),
    _Format(b"ustar\x0000", "a tar archive", _UNPACK, 257),
    _Format(b"ustar  \x00", "a tar archive", _UNPACK, 257),
    _Format(b"PK\x03\x04", "a ZIP archive (Excel workbooks are ZIP archives too)", f"{_UNPACK} {_SAVE}"),
    _Format(b"PK\x05\x06", "a ZIP archive", _UNPACK),
    _Format(b"\x1f\x8b", "a gzip archive", _UNPACK),
    _Format(b"\x1f\x9d", "a file of compress", _UNPACK),
    _Format(b"1AY&SY", "a bzip2 archive", _UNPACK, 4),
    _Format(b"\xfd7zXZ\x00", "an xz archive", _UNPACK),
    _Format(b"\x28\xb5\x2f\xfd", "a Zstandard archive", _UNPACK),
    _Format(b"\x04\x22\x4d\x18", "an LZ4 archive", _UNPACK),
    _Format(b"7z\xbc\xaf\x27\x1c", "a 7z archive", _UNPACK),
    _Format(b"Rar!\x1a\x07", "a RAR archive", _UNPACK),
    _Format(b"%PDF-", "a PDF document", _SAVE),
    _Format(b"\xd0\xcf\x11\xe0", "an old Office document", _SAVE),
    _Format(b"PAR1", "a Parquet file", _EXPORT, end=b"PAR1"),
    _Format(b"ARROW1\x00\x00", "an Arrow or Feather file", _EXPORT),
    _Format(b"Obj\x01", "an Avro file", _EXPORT),
    _Format(b"\x89HDF\r\n", "an HDF5 file", _EXPORT),
    _Format(b"Standard Jet DB\x00", "a Microsoft Access database", _EXPORT, 4),
    _Format(b"Standard ACE DB\x00", "a Microsoft Access database", _EXPORT, 4),
)


def refuse_other_formats(content: bytes, name: str) -> None:
    """Raise `SourceFormatError` for an archive, a document or another database, which is not text."""
    for each in _FORMATS:
        if content.startswith(each.magic, each.offset) and content.endswith(each.end):
            raise SourceFormatError(
                f"{name} is not text: its first bytes are those of {each.words}.",
                hint=each.hint.format(name=name),
                file=name,
            )


def refuse_other_texts(files: Sequence[InputFile]) -> None:
    """Raise `SourceFormatError` for files that are SQL text by their names, and that begin as no script does."""
    for file in files:
        text = file.content()[:_LOOKED_AT].decode("utf-8-sig", "replace").lstrip()
        words = _TEXTS.get(text[:1])
        if words is not None:
            raise _not_sql(file.name, words, _EXPORT)
        delimiter = None if suffix_of(file.name) in _SQL_SUFFIXES else _delimiter_of(text)
        if delimiter is not None:
            end = ".tsv" if delimiter == "\t" else ".csv"
            more = advice(delimiter) if delimiter in ";|" else ""
            raise _not_sql(file.name, "a table", f"Rename it, so that its name ends in {end}. {more}".strip())


def _delimiter_of(text: str) -> str | None:
    """What seems to separate fields in the first lines, if they begin as no statement does."""
    lines = [_QUOTED.sub("", line) for line in text.splitlines()[:2]]
    if not lines or _SCRIPT_BEGINS.match(lines[0]):
        return None
    return next((sign for sign in _DELIMITERS if lines[0].count(sign) == lines[-1].count(sign) > 0), None)


def _not_sql(name: str, words: str, hint: str) -> SourceFormatError:
    return SourceFormatError(
        f"{name} is read as SQL text by its name, and its first line is that of {words}.", hint=hint, file=name
    )
