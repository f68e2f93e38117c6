"""sqlglot's tokenizers, in which quotes and backslashes mean what they do in a lexicon."""

from functools import cache
from typing import ClassVar

from sqlglot.dialects.dialect import Dialect as ForeignDialect
from sqlglot.dialects.mysql import MySQL
from sqlglot.dialects.postgres import Postgres
from sqlglot.tokenizer_core import Token as ForeignToken

from app.sources.dialect import Dialect
from app.sources.dumps.lexicon import Lexicon


class _PlainMySQL(MySQL):
    class Tokenizer(MySQL.Tokenizer):
        STRING_ESCAPES: ClassVar[list[str]] = ["'", '"']


class _AnsiMySQL(MySQL):
    class Tokenizer(MySQL.Tokenizer):
        QUOTES: ClassVar[list[str | tuple[str, str]]] = ["'"]
        IDENTIFIERS: ClassVar[list[str | tuple[str, str]]] = ["`", '"']


class _PlainAnsiMySQL(_AnsiMySQL):
    class Tokenizer(_AnsiMySQL.Tokenizer):
        STRING_ESCAPES: ClassVar[list[str]] = ["'"]


class _EscapingPostgres(Postgres):
    class Tokenizer(Postgres.Tokenizer):
        STRING_ESCAPES: ClassVar[list[str]] = ["'", "\\"]


_MYSQL = {(True, False): MySQL, (False, False): _PlainMySQL, (True, True): _AnsiMySQL, (False, True): _PlainAnsiMySQL}


def foreign_tokens(text: str, lexicon: Lexicon) -> list[ForeignToken]:
    """The tokens of a text; `sqlglot.errors.SqlglotError` where it cannot be cut into any."""
    return _dialect(lexicon.dialect, lexicon.escapes, lexicon.ansi_quotes).tokenize(text)


@cache
def _dialect(dialect: Dialect, escapes: bool, ansi_quotes: bool) -> ForeignDialect:
    if dialect is Dialect.MYSQL:
        return _MYSQL[escapes, ansi_quotes]()
    return _EscapingPostgres() if escapes else Postgres()
