"""Receives the files of a multipart form, straight to disk, counted while they stream."""

from collections.abc import AsyncIterator, Callable
from contextlib import ExitStack

from python_multipart.exceptions import FormParserError
from python_multipart.multipart import MultipartParser, parse_options_header

from app.datasets.catalog import Dataset, Upload
from app.errors import UploadInvalidError, UploadTooLargeError
from app.sources.declared.bundle import MAX_SCHEMA_BYTES

FILE_FIELDS = (b"file", b"files")
SCHEMA_FIELD = b"csv_schema"

_HINT = "Send a file: curl -F file=@shop.sqlite …/api/personal-datasets"


class _Form:
    """The parser's callbacks: the bodies of file parts are passed on, the schema is kept, other parts are dropped."""

    def __init__(self, receive: Callable[[str], Upload], stack: ExitStack) -> None:
        self._receive, self._stack = receive, stack
        self.upload: Upload | None = None
        self.csv_schema: bytearray | None = None
        self._in_file = self._in_schema = False
        self._header_name, self._header_value = bytearray(), bytearray()
        self._disposition = b""

    def callbacks(self) -> dict[str, Callable[..., None]]:
        """The callbacks by the names that the parser knows them by."""
        return {
            "on_part_begin": self._begin,
            "on_header_field": lambda data, start, end: self._header_name.extend(data[start:end]),
            "on_header_value": lambda data, start, end: self._header_value.extend(data[start:end]),
            "on_header_end": self._header_end,
            "on_headers_finished": self._headers_finished,
            "on_part_data": self._data,
        }

    def _begin(self) -> None:
        self._in_file = self._in_schema = False
        self._disposition = b""

    def _header_end(self) -> None:
        if self._header_name.lower() == b"content-disposition":
            self._disposition = bytes(self._header_value)
        self._header_name.clear()
        self._header_value.clear()

    def _headers_finished(self) -> None:
        _, parameters = parse_options_header(self._disposition)
        field, file_name = parameters.get(b"name", b""), parameters.get(b"filename")
        if field == SCHEMA_FIELD:
            self._open_schema()
        elif field in FILE_FIELDS and file_name is not None:
            self._open(file_name.decode("utf-8", "replace"))

    def _open_schema(self) -> None:
        if self.csv_schema is not None:
            raise UploadInvalidError("The form has two csv_schema fields.", hint=_HINT)
        self.csv_schema, self._in_schema = bytearray(), True

    def _open(self, file_name: str) -> None:
        if self.upload is None:
            self.upload = self._stack.enter_context(self._receive(file_name))
        else:
            self.upload.next_file(file_name)
        self._in_file = True

    def _data(self, data: bytes, start: int, end: int) -> None:
        if self._in_file and self.upload is not None:
            self.upload.write(data[start:end])
        elif self._in_schema and self.csv_schema is not None:
            self.csv_schema += data[start:end]
            if len(self.csv_schema) > MAX_SCHEMA_BYTES:
                raise UploadTooLargeError(f"The csv_schema has more than {MAX_SCHEMA_BYTES:,} bytes.")


async def receive_file(content_type: str, body: AsyncIterator[bytes], receive: Callable[[str], Upload]) -> Dataset:
    """Keep the file of a multipart body as a new dataset, or its CSV files with their csv_schema.

    Raises `UploadInvalidError` for anything but a complete form with a file, `UploadTooLargeError` past the limit.
    """
    kind, parameters = parse_options_header(content_type.encode("latin-1", "replace"))
    boundary = parameters.get(b"boundary")
    if kind != b"multipart/form-data" or not boundary:
        raise UploadInvalidError("The request is not a multipart form.", hint=_HINT)
    with ExitStack() as stack:
        form = _Form(receive, stack)
        await _parse(boundary, body, form)
        if form.upload is None:
            raise UploadInvalidError("The form has no file in a field named file.", hint=_HINT)
        return form.upload.finish(None if form.csv_schema is None else bytes(form.csv_schema))


async def _parse(boundary: bytes, body: AsyncIterator[bytes], form: _Form) -> None:
    ended = False

    def on_end() -> None:
        nonlocal ended
        ended = True

    try:
        parser = MultipartParser(boundary, {**form.callbacks(), "on_end": on_end})  # type: ignore[arg-type]
        async for chunk in body:
            parser.write(chunk)
    except FormParserError as error:
        raise UploadInvalidError(f"The multipart form is malformed: {error}.", hint=_HINT) from error
    if not ended:
        raise UploadInvalidError("The multipart form ends before its last boundary.", hint="Send the file again.")
