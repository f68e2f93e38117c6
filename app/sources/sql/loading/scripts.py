"""Opens the scripts of a source, in the encoding that they declare, and reads their definitions."""

from collections.abc import Callable, Iterator, Sequence
from typing import TypeVar

from app.errors import SourceEncodingError, SourceError
from app.sources.dialect import Dialect
from app.sources.files.formats import refuse_other_formats
from app.sources.files.input_file import InputFile
from app.sources.files.utf8 import decoded
from app.sources.sql.lexing.script import Script
from app.sources.sql.lexing.tokens import TokensExhaustedError
from app.sources.sql.reading.definitions import Definitions
from app.sources.sql.statements.encodings import UTF8, decoded_in
from app.sources.sql.statements.splitter import Statement, StatementSplitter

OnProblem = Callable[[Statement, SourceError], None]
Read = TypeVar("Read")


class OtherEncodingError(Exception):
    """Text stands in another encoding than the one by which its script was decoded; caught where that is chosen."""

    def __init__(self, codec: str) -> None:
        super().__init__(codec)
        self.codec = codec


def as_declared(read: Callable[[str], Read]) -> Read:
    """What `read` makes of scripts in UTF-8, or in the codec by which they say that they are written."""
    try:
        return read(UTF8)
    except OtherEncodingError as error:
        return read(error.codec)


def read_definitions(files: Sequence[InputFile], dialect: Dialect, on_problem: OnProblem) -> Definitions:
    """Read scripts one after the other as one source."""
    return as_declared(lambda codec: _read(files, dialect, on_problem, codec))


def _read(files: Sequence[InputFile], dialect: Dialect, on_problem: OnProblem, codec: str) -> Definitions:
    definitions = Definitions(dialect, on_problem)
    for file in files:
        script = open_script(file, file.name, dialect, codec)
        try:
            statements = StatementSplitter(script, definitions.session).statements()
            definitions.read(in_encoding(statements, codec))
        except TokensExhaustedError:
            raise script.unsupported(0, "the definitions have too many words", hint="Split the script.") from None
    definitions.finish()
    return definitions


def open_script(file: InputFile, name: str, dialect: Dialect, codec: str) -> Script:
    """The text of a file that errors call `name`; MySQL writes bytes of binary columns as they are: surrogates here."""
    content = file.content()
    refuse_other_formats(content, name)
    _refuse_nul(content, name)
    if codec == UTF8:
        lenient = dialect is Dialect.MYSQL or not _declares_utf8_only(content)
        return Script(name, decoded(content, name, "surrogateescape" if lenient else "strict"))
    try:
        return Script(name, decoded_in(content, codec, dialect))
    except UnicodeDecodeError as error:
        line = content.count(b"\n", 0, error.start) + 1
        raise SourceEncodingError(
            f"{name}, line {line}: the byte at offset {error.start} is not {codec}, which the script declares.",
            hint="Dump the database in UTF-8.",
            file=name,
            line=line,
            offset=error.start,
        ) from error


def _declares_utf8_only(content: bytes) -> bool:
    """Whether nothing in the script speaks of encodings, so that bytes that are not UTF-8 are named at once."""
    folded = content.lower()
    return not any(word in folded for word in (b"client_encoding", b"set names", b"\\encoding"))


def _refuse_nul(content: bytes, name: str) -> None:
    offset = content.find(b"\0")
    if offset < 0:
        return
    line = content.count(b"\n", 0, offset) + 1
    raise SourceEncodingError(
        f"{name}, line {line}: the byte at offset {offset} is a NUL, which dump tools write as an escape.",
        hint="Save UTF-16 text as UTF-8. In Windows PowerShell `mysqldump … > FILE` writes UTF-16: use --result-file.",
        file=name,
        line=line,
        offset=offset,
    )


def in_encoding(statements: Iterator[Statement], codec: str) -> Iterator[Statement]:
    """The statements, as long as none with rows or definitions has letters in another encoding than `codec`."""
    for statement in statements:
        declared = statement.settings.encoding
        if declared != codec and not _is_ascii(statement) and _matters(statement):
            if codec != UTF8:
                reason = f"the text is in the encoding {declared}, after text in {codec}"
                raise statement.script.unsupported(statement.start, reason, hint="Dump the database in UTF-8.")
            raise OtherEncodingError(declared)
        yield statement


def _is_ascii(statement: Statement) -> bool:
    return statement.script.text.isascii() or statement.script.text[statement.start : statement.after].isascii()


def _matters(statement: Statement) -> bool:
    """Whether rows or names of tables may be in the statement; the text of a function or view is left out anyway."""
    beginning = statement.text[:200].upper()
    return statement.has_rows or "TABLE" in beginning or "COMMENT" in beginning
