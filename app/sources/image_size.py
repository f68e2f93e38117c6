"""Whether a SQLite image is as long as its header says."""

from app.sources.input_file import InputFile
from app.sources.sqlite_connection import damaged

_HEADER_BYTES = 100
_LARGEST_PAGE = 65_536
_LARGEST_PAGE_MARK = b"\x00\x01"


def refuse_short_image(file: InputFile) -> None:
    """Raise `SourceDamagedError` for a file that ends early; SQLite would take zeros for the rest of a page.

    Where a program of long ago wrote last, the header does not know the number of pages (SQLite file format, 1.3.8).
    """
    header = file.header.ljust(_HEADER_BYTES, b"\0")
    page = _LARGEST_PAGE if header[16:18] == _LARGEST_PAGE_MARK else int.from_bytes(header[16:18])
    pages = int.from_bytes(header[28:32]) if header[24:28] == header[92:96] else 0
    expected = max(_HEADER_BYTES, page * pages)
    if file.size < expected:
        raise damaged(file.name, f"it has {file.size:,} of {expected:,} bytes")
