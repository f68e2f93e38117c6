"""Text is UTF-8, with or without a byte order mark; anything else is named, with its offset."""

import codecs

from app.budget import check_deadline
from app.errors import SourceEncodingError
from app.sources.files.formats import refuse_other_formats

BOM = codecs.BOM_UTF8

_STEP = 4 * 1024 * 1024
_LOOKED_AT = 64
_UTF16_OR_32 = {
    codecs.BOM_UTF32_LE: "UTF-32",
    codecs.BOM_UTF32_BE: "UTF-32",
    codecs.BOM_UTF16_LE: "UTF-16",
    codecs.BOM_UTF16_BE: "UTF-16",
}


def text_start(content: bytes, name: str) -> int:
    """The offset at which the text begins, after a byte order mark.

    Raises `SourceFormatError` for an archive or document, `SourceEncodingError` with the offset of the first byte
    that is not UTF-8, or of a NUL.
    """
    refuse_other_formats(content, name)
    _refuse_other_encodings(content, name)
    if not content.isascii():
        _check_utf8(content, name)
    _refuse_nul(content, name)
    return mark_bytes(content)


def decoded(content: bytes, name: str, errors: str = "strict") -> str:
    """The text without its byte order mark; raises as `text_start` does.

    With `errors="surrogateescape"` bytes that are not UTF-8 become surrogates instead.
    """
    refuse_other_formats(content, name)
    _refuse_other_encodings(content, name)
    try:
        text = content.decode("utf-8-sig", errors)
    except UnicodeDecodeError as error:
        raise _wrong_byte(content, error.start + mark_bytes(content), name) from error
    _refuse_nul(content, name)
    return text


def mark_bytes(content: bytes) -> int:
    """The length of the byte order mark that the text begins with, or 0."""
    return len(BOM) if content.startswith(BOM) else 0


def _refuse_other_encodings(content: bytes, name: str) -> None:
    for mark, encoding in _UTF16_OR_32.items():
        if content.startswith(mark):
            raise _wrong(content, 0, name, f"it is {encoding} text: byte 0x{content[0]:02X} at offset 0")


def _check_utf8(content: bytes, name: str) -> None:
    decoder = codecs.getincrementaldecoder("utf-8")()
    view = memoryview(content)
    for start in range(0, len(content), _STEP):
        check_deadline()
        pending = len(decoder.getstate()[0])
        try:
            decoder.decode(view[start : start + _STEP], final=start + _STEP >= len(content))
        except UnicodeDecodeError as error:
            raise _wrong_byte(content, start - pending + error.start, name) from error


def _refuse_nul(content: bytes, name: str) -> None:
    at = content.find(b"\0")
    if at < 0:
        return
    head = content[:_LOOKED_AT]
    if not any(head[0::2]) or not any(head[1::2]):
        raise _wrong(content, at, name, f"it is UTF-16 text without a byte order mark: NUL byte at offset {at}")
    raise _wrong(content, at, name, f"NUL byte at offset {at}", hint="Text holds no NUL. Remove it at its source.")


def _wrong_byte(content: bytes, at: int, name: str) -> SourceEncodingError:
    return _wrong(content, at, name, f"byte 0x{content[at]:02X} at offset {at}")


def _wrong(content: bytes, offset: int, name: str, what: str, *, hint: str = "Save as UTF-8.") -> SourceEncodingError:
    line = content.count(b"\n", 0, offset) + 1
    return SourceEncodingError(
        f"{name} cannot be read as UTF-8 text: {what} (line {line}).", hint=hint, file=name, offset=offset, line=line
    )
