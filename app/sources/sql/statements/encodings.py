"""Encodings that scripts declare, by the names that the servers give them."""

import codecs

from app.sources.dialect import Dialect

UTF8 = "utf-8"
_UTF8_NAMES = frozenset({"utf8", "utf8mb3", "utf8mb4", "unicode", "utf-8"})
_MYSQL = {
    # MySQL's latin1 is the Windows one.
    "latin1": "cp1252",
    "latin2": "iso8859-2",
    "latin5": "iso8859-9",
    "latin7": "iso8859-13",
    "greek": "iso8859-7",
    "hebrew": "iso8859-8",
    "koi8r": "koi8-r",
    "koi8u": "koi8-u",
    "cp1250": "cp1250",
    "cp1251": "cp1251",
    "cp1256": "cp1256",
    "cp1257": "cp1257",
    "cp850": "cp850",
    "cp852": "cp852",
    "cp866": "cp866",
    "ujis": "euc-jp",
    "euckr": "euc-kr",
}
_POSTGRES = {
    **{f"latin{number}": f"iso8859-{part}" for number, part in enumerate((1, 2, 3, 4, 9, 10, 13, 14, 15, 16), 1)},
    "iso88595": "iso8859-5",
    "iso88596": "iso8859-6",
    "iso88597": "iso8859-7",
    "iso88598": "iso8859-8",
    **{f"win{page}": f"cp{page}" for page in (866, 874, 1250, 1251, 1252, 1253, 1254, 1255, 1256, 1257, 1258)},
    "koi8r": "koi8-r",
    "koi8u": "koi8-u",
    "eucjp": "euc-jp",
    "euckr": "euc-kr",
    "euccn": "gb2312",
}
"""Encodings in which each ASCII byte is an ASCII character, so that quotes are found before the text is decoded."""


def codec_of(dialect: Dialect, name: str) -> str:
    """Python's name of an encoding; for one that is not read here, its own name, which is not a codec of ours.

    >>> codec_of(Dialect.POSTGRES, "WIN1252"), codec_of(Dialect.MYSQL, "latin1"), codec_of(Dialect.MYSQL, "sjis")
    ('cp1252', 'cp1252', 'sjis!')
    """
    folded = name.lower()
    if folded in _UTF8_NAMES:
        return UTF8
    if dialect is Dialect.MYSQL:
        return _MYSQL.get(folded, f"{folded}!")
    return _POSTGRES.get(folded.replace("-", "").replace("_", ""), f"{folded}!")


def decoded_in(content: bytes, codec: str, dialect: Dialect) -> str:
    """The text of bytes in an encoding; `UnicodeDecodeError` for bytes that it lacks.

    MySQL's latin1 has control characters where the Windows encoding has none.
    """
    fills_gaps = dialect is Dialect.MYSQL and codec == _MYSQL["latin1"]
    return content.decode(codec, _GAPS if fills_gaps else "strict")


def _as_control(error: UnicodeError) -> tuple[str, int]:
    assert isinstance(error, UnicodeDecodeError), "only bytes are decoded here"
    return error.object[error.start : error.end].decode("latin-1"), error.end


_GAPS = "graphwright.gaps"
codecs.register_error(_GAPS, _as_control)


def is_read(codec: str) -> bool:
    """Whether text in this encoding can be decoded."""
    return not codec.endswith("!") and codecs.lookup(codec) is not None
