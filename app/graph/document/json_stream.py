"""Reads the elements of top-level arrays of a JSON object one after another, without holding the document."""

import json
from collections.abc import Iterator
from typing import Any, TextIO

from app.budget import check_deadline
from app.errors import GraphInvalidError

_PIECE = 1 << 20
_SPACE = " \t\n\r"


class JsonStream:
    """A cursor over a JSON text file; every malformed input is a `GraphInvalidError` with its offset."""

    def __init__(self, file: TextIO) -> None:
        self._file = file
        self._buffer = ""
        self._at = 0
        self._consumed = 0
        self._decoder = json.JSONDecoder(parse_constant=_refuse_constant)

    def members(self) -> Iterator[str]:
        """The keys of the top-level object; the caller consumes each value with `elements` or `value`."""
        yield from self._separated("{", "}", self._key)
        if self._peek():
            raise self._malformed("text after the document")

    def elements(self) -> Iterator[Any]:
        """The elements of the array that comes next."""
        return self._separated("[", "]", self.value)

    def value(self) -> Any:
        """The JSON value that comes next, whole."""
        self._peek()
        while True:
            try:
                document, end = self._decoder.raw_decode(self._buffer, self._at)
            except (json.JSONDecodeError, RecursionError) as error:
                if isinstance(error, RecursionError) or not self._read_more(len(self._buffer)):
                    raise self._malformed("no JSON value") from error
                continue
            if end == len(self._buffer) and self._read_more(_PIECE):
                continue
            self._at = end
            return document

    def _key(self) -> str:
        key = self.value()
        if not isinstance(key, str):
            raise self._malformed("a key that is not text")
        self._expect(":")
        return key

    def _separated(self, opening: str, closing: str, read: Any) -> Iterator[Any]:
        self._expect(opening)
        if self._peek() == closing:
            self._at += 1
            return
        while True:
            yield read()
            if self._peek() == closing:
                self._at += 1
                return
            self._expect(",")

    def _expect(self, character: str) -> None:
        if self._peek() != character:
            raise self._malformed(f"no {character!r}")
        self._at += 1

    def _peek(self) -> str:
        """The next character that is not space, or "" at the end."""
        while True:
            while self._at < len(self._buffer):
                if self._buffer[self._at] not in _SPACE:
                    return self._buffer[self._at]
                self._at += 1
            if not self._read_more(_PIECE):
                return ""

    def _read_more(self, size: int) -> bool:
        check_deadline()
        piece = self._file.read(max(size, _PIECE))
        self._consumed += self._at
        self._buffer = self._buffer[self._at :] + piece
        self._at = 0
        return bool(piece)

    def _malformed(self, what: str) -> GraphInvalidError:
        offset = self._consumed + self._at
        return GraphInvalidError(f"The graph document is malformed: {what} at character {offset}.", offset=offset)


def _refuse_constant(name: str) -> Any:
    raise GraphInvalidError(f"The graph document holds {name}, which is not JSON.")
