"""What the settings of a session change about the statements that follow: quotes, encodings, schemas, numbering.

Every setting is followed, on the list of those that change no row, or refused.
"""

from dataclasses import dataclass, replace

from app.sources.dialect import Dialect
from app.sources.sql.lexing.cursor import Cursor
from app.sources.sql.lexing.names import TableName, word_set
from app.sources.sql.lexing.syntax import Syntax
from app.sources.sql.lexing.tokens import TokenKind
from app.sources.sql.statements.encodings import codec_of

_ANSI_MODES = frozenset({"ANSI", "ANSI_QUOTES", "DB2", "MAXDB", "MSSQL", "ORACLE", "POSTGRESQL"})
"""Modes of MySQL in which double quotes enclose names."""

_PLAIN_MODE, _ZERO_MODE = "NO_BACKSLASH_ESCAPES", "NO_AUTO_VALUE_ON_ZERO"
_COMPUTED_MODE = "an sql_mode that changes what quotes or backslashes mean is read as a text only, such as 'ANSI'"
_FLOAT_MODES = frozenset({"ANSI", "REAL_AS_FLOAT"})
_ODD_MODES = frozenset({"ORACLE", "EMPTY_STRING_IS_NULL"})
"""Modes of MariaDB in which types or texts are others; what stands under them is refused."""

_TRACKED_MODES = _ANSI_MODES | _FLOAT_MODES | _ODD_MODES | {_PLAIN_MODE, _ZERO_MODE}
_MYSQL_SCOPES = ("GLOBAL", "SESSION", "LOCAL", "PERSIST", "PERSIST_ONLY")
_OTHER_SESSIONS = frozenset({"GLOBAL", "PERSIST", "PERSIST_ONLY"})
_NO_SCHEMAS = frozenset({"", "pg_catalog", "$user"})
_OFF = ("0", "off", "false")
_UTC = frozenset({"utc", "gmt", "etc/utc", "zulu", "0", "+00", "+00:00"})

IGNORED_SETTINGS = word_set(
    # How the server plans, locks, logs, checks and stores: no row becomes another one.
    """
    application_name big_tables binlog_format bulk_insert_buffer_size bytea_output character_set_database
    character_set_filesystem character_set_results character_set_server check_constraint_checks check_function_bodies
    client_min_messages collation_connection collation_database collation_server createrole_self_grant
    default_storage_engine default_table_access_method default_tablespace default_toast_compression
    default_transaction_isolation default_transaction_read_only default_with_oids enable_seqscan
    escape_string_warning event_triggers explicit_defaults_for_timestamp extra_float_digits
    group_concat_max_len gtid_next gtid_purged idle_in_transaction_session_timeout idle_session_timeout
    information_schema_stats_expiry innodb_lock_wait_timeout innodb_strict_mode interactive_timeout is_superuser jit
    join_buffer_size lc_collate lc_ctype lc_messages lc_monetary lc_numeric lc_time lc_time_names lock_timeout
    log_bin_trust_function_creators maintenance_work_mem max_allowed_packet max_error_count max_execution_time
    max_heap_table_size max_parallel_workers_per_gather max_statement_time min_parallel_table_scan_size
    net_read_timeout net_write_timeout old_alter_table optimizer_switch password_history print_identified_with_as_hex
    quote_all_identifiers read_buffer_size read_rnd_buffer_size restrict_nonsystem_relation_kind role row_security
    session_authorization session_track_gtids show_create_table_verbosity sort_buffer_size sql_auto_is_null
    sql_big_selects sql_generate_invisible_primary_key sql_log_bin sql_log_off sql_notes sql_quote_show_create
    sql_require_primary_key sql_safe_updates sql_warnings statement_timeout storage_engine synchronous_commit
    system_versioning_alter_history temp_buffers timezone_abbreviations tmp_table_size transaction
    transaction_isolation transaction_read_only transaction_timeout tx_isolation unique_checks vacuum_cost_delay
    wait_timeout wal_compression work_mem xmlbinary xmloption
    """
    # How ambiguous texts of dates and intervals are read: such texts are refused where they stand.
    "datestyle intervalstyle"
)


@dataclass(frozen=True, slots=True)
class Settings:
    """The settings under which a statement runs.

    `encoding` is the codec of its text; `zero_draws` says that 0 asks an AUTO_INCREMENT column for the next number;
    `triggers_fire` that rows wake triggers, and `checks_references` that their parents are looked for; `in_utc` that
    times with a zone but no offset are in UTC. `odd_mode` is an sql_mode under which no table and no row is read.
    """

    syntax: Syntax
    encoding: str = "utf-8"
    zero_draws: bool = True
    triggers_fire: bool = True
    checks_references: bool = True
    in_utc: bool = False
    odd_mode: str = ""


_FIRST_SCHEMAS: dict[Dialect, tuple[str, ...]] = {
    Dialect.POSTGRES: ("public",),
    Dialect.MYSQL: ("",),
    Dialect.SQLITE: ("",),
}


class Session:
    """Follows the settings and the schema in force from statement to statement, over all files of a source."""

    def __init__(self, dialect: Dialect) -> None:
        self._dialect = dialect
        self.settings: Settings
        self.schemas: tuple[str, ...]
        self.commits_itself: bool
        self.begin_anew()
        self._modes: frozenset[str] = frozenset()
        self._kept: dict[str, frozenset[str]] = {}
        self._kept_encodings: dict[str, str] = {}

    @property
    def dialect(self) -> Dialect:
        """Whose statements these are."""
        return self._dialect

    @property
    def schema(self) -> str:
        """Where a table is made whose name says no schema."""
        return self.schemas[0] if self.schemas else ""

    def candidates(self, name: TableName) -> list[TableName]:
        """The whole names that a name may stand for, in order."""
        return [name] if name.schema else [TableName(schema, name.name) for schema in self.schemas or ("",)]

    def use(self, database: str) -> None:
        """USE of MySQL."""
        self.schemas = (database,)

    def begin_anew(self) -> None:
        """What \\connect of psql and RESET ALL do: all settings are as at the beginning."""
        self.settings = Settings(Syntax(self.dialect, escapes=self.dialect is Dialect.MYSQL))
        self.schemas = _FIRST_SCHEMAS[self.dialect]
        self.commits_itself = True

    def set_encoding(self, name: str) -> None:
        """Follow a declared encoding; one that cannot be decoded here is refused once text under it is read."""
        self.settings = replace(self.settings, encoding=codec_of(self.dialect, name))

    def read_set(self, cursor: Cursor) -> None:
        """Follow SET, whose first word is behind; a setting that is not known is refused."""
        if self.dialect is Dialect.POSTGRES:
            self._read_postgres(cursor)
        else:
            for part in cursor.elements(cursor.rest()):
                self._read_mysql(part)

    def set_config(self, cursor: Cursor, name: str, value: str) -> None:
        """SELECT set_config(…) of PostgreSQL."""
        self._assign_postgres(cursor, name.lower(), [value] if value else [])

    def reset(self, cursor: Cursor) -> None:
        """RESET of PostgreSQL, whose word is behind."""
        if cursor.accept("ALL"):
            self.begin_anew()
        elif cursor.accept("TIME ZONE"):
            self._assign_postgres(cursor, "timezone", [])
        elif not cursor.accept("ROLE", "SESSION AUTHORIZATION"):
            self._assign_postgres(cursor, ".".join(cursor.dotted_name()).lower(), [])

    def _read_postgres(self, cursor: Cursor) -> None:
        cursor.accept("SESSION", "LOCAL")
        if cursor.accept("AUTHORIZATION", "SESSION AUTHORIZATION", "CHARACTERISTICS"):
            cursor.rest()  # who runs what follows, and how transactions are kept apart
            return
        if cursor.accept("TIME ZONE"):
            name = "timezone"
        elif cursor.accept("NAMES"):
            name = "client_encoding"
        else:
            name = ".".join(cursor.dotted_name()).lower()
            cursor.accept("TO", "=")
        values = [] if cursor.accept("DEFAULT") else [_value(part) for part in cursor.elements(cursor.rest())]
        self._assign_postgres(cursor, name, values)

    def _assign_postgres(self, cursor: Cursor, name: str, values: list[str]) -> None:
        value = values[0].lower() if values else ""
        match name:
            case "search_path":
                self.schemas = tuple(each for each in values if each not in _NO_SCHEMAS)  # RESET and '' leave none
            case "client_encoding":
                self.settings = replace(self.settings, encoding=codec_of(self.dialect, value or "utf8"))
            case "standard_conforming_strings":
                syntax = replace(self.settings.syntax, escapes=value in ("off", "false", "0", "no"))
                self.settings = replace(self.settings, syntax=syntax)
            case "session_replication_role":
                self.settings = replace(self.settings, triggers_fire=value != "replica")
            case "timezone":
                self.settings = replace(self.settings, in_utc=value in _UTC)
            case "backslash_quote" | "constraints":
                pass
            case _ if name not in IGNORED_SETTINGS and "." not in name:
                raise cursor.script.unsupported(cursor.at, f"the setting {name} may change what rows mean")

    def _read_mysql(self, part: Cursor) -> None:
        if part.accept("NAMES"):
            name = "utf8" if part.accept("DEFAULT") else _value(part)
            if part.accept("COLLATE"):
                part.take()
            self.set_encoding(name)
        elif part.accept("CHARACTER SET", "CHARSET"):
            self.set_encoding("utf8" if part.accept("DEFAULT") else _value(part))
        elif part.accept("PASSWORD", "ROLE", "DEFAULT ROLE", "RESOURCE GROUP") or part.accept(
            "TRANSACTION", "SESSION TRANSACTION", "GLOBAL TRANSACTION", "LOCAL TRANSACTION"
        ):
            part.rest()
        else:
            self._assign_mysql(part)

    def _assign_mysql(self, part: Cursor) -> None:
        scope = next((each for each in _MYSQL_SCOPES if part.accept(each)), "")
        is_variable = part.accept("@") and not part.accept("@")
        names = [name.lower() for name in part.dotted_name()]
        if len(names) > 1:
            scope = names[0].upper()
        if not part.accept(":=", "="):
            raise part.refusal("an assignment is wanted")
        if is_variable:
            self._keep(names[-1], part)
        elif scope not in _OTHER_SESSIONS:
            self._assign_setting(names[-1], part)

    def _keep(self, variable: str, part: Cursor) -> None:
        """A variable that keeps a setting to be restored later; what else it holds changes nothing."""
        if part.accept("@ @"):
            setting = part.dotted_name()[-1].lower()
            if setting == "sql_mode":
                self._kept[variable] = self._modes
            elif setting == "character_set_client":
                self._kept_encodings[variable] = self.settings.encoding

    def _assign_setting(self, name: str, part: Cursor) -> None:
        match name:
            case "autocommit":
                self.commits_itself = part.token.meaning.lower() not in _OFF
            case "foreign_key_checks":
                checks = part.token.meaning.lower() not in _OFF
                self.settings = replace(self.settings, checks_references=checks)
            case "sql_mode":
                self._set_modes(self._mode_value(part))
            case "character_set_client":
                self._restore_encoding(part)
            case "time_zone":
                self.settings = replace(self.settings, in_utc=part.token.meaning.lower() in _UTC)
            case "character_set_connection" | "timestamp":
                part.rest()
            case "auto_increment_increment" | "auto_increment_offset":
                if part.integer() != 1:
                    raise part.refusal(f"with {name} other than 1 the server draws other numbers")
            case _ if name not in IGNORED_SETTINGS and "." not in name:
                raise part.script.unsupported(part.at, f"the setting {name} may change what rows mean")

    def _restore_encoding(self, part: Cursor) -> None:
        if part.accept("@"):
            encoding = self._kept_encodings.get(part.name().lower(), "utf-8")
            self.settings = replace(self.settings, encoding=encoding)
        else:
            self.set_encoding("utf8" if part.accept("DEFAULT") else _value(part))

    def _mode_value(self, part: Cursor) -> frozenset[str]:
        token = part.token
        if part.accept("IFNULL ("):
            token = part.token
        if token.kind is TokenKind.TEXT:
            return frozenset(mode.strip().upper() for mode in token.meaning.split(","))
        if token.word == "@" and part.peek().word != "@":
            return self._kept.get(part.peek().meaning.lower(), frozenset())
        words = {mode for each in part.rest() for mode in each.meaning.upper().replace("'", ",").split(",")}
        if words & _TRACKED_MODES:
            raise part.script.unsupported(token.start, _COMPUTED_MODE)
        return frozenset()

    def _set_modes(self, modes: frozenset[str]) -> None:
        self._modes = modes
        syntax = Syntax(
            Dialect.MYSQL,
            escapes=_PLAIN_MODE not in modes,
            ansi_quotes=bool(modes & _ANSI_MODES),
            real_is_float=bool(modes & _FLOAT_MODES),
        )
        odd_mode = min(modes & _ODD_MODES, default="")
        self.settings = replace(self.settings, syntax=syntax, zero_draws=_ZERO_MODE not in modes, odd_mode=odd_mode)


def _value(part: Cursor) -> str:
    """A setting's value: a text, a name, or a number with its sign."""
    sign = part.take().written if part.word in ("-", "+") else ""
    return sign + part.take().meaning
