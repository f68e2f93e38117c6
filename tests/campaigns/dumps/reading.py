"""What Graphwright makes of a dump: the one place of the campaign that knows its interfaces."""

import re
import traceback
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from app.errors import GraphwrightError
from app.graph.g0 import build_initial_graph, match_references
from app.sources.load import load_source
from app.sources.options import SourceOptions
from app.sources.relational_source import RelationalSource, SourceWarning, WarningCode
from app.tables.schema import ForeignKey
from app.tables.table import Table
from tests.campaigns.dumps.answer import Answer, ColumnAnswer, Edges, Key, Kind, Row, TableAnswer


@dataclass(frozen=True, slots=True)
class Refusal:
    """An error with a stable code; `reason` is its message without the names, numbers and texts of this dump."""

    code: str
    message: str
    reason: str


@dataclass(frozen=True, slots=True)
class Crash:
    """Anything else that was raised."""

    text: str


def read(files: Sequence[Path], dialect: str, *, skip: bool) -> Answer | Refusal | Crash:
    """The first graph of a dump, as an answer."""
    options = {"dialect": dialect, "unsupported": "skip" if skip else "error", "source_timeout_seconds": 60.0}
    try:
        source = load_source(files[0] if len(files) == 1 else list(files), SourceOptions.from_options(options))
        return _answer(source)
    except GraphwrightError as error:
        if error.code == "internal_error":
            return Crash(traceback.format_exc())
        return Refusal(error.code, f"{error.message} [{error.hint}]", _reason(error))
    except Exception:
        return Crash(traceback.format_exc())


def _reason(error: GraphwrightError) -> str:
    message = re.sub(r"^[^:]*?\.sql(?:, line [\d,]+)?:\s*", "", error.message)
    for value in sorted(map(str, error.where.values()), key=len, reverse=True):
        message = message.replace(value, "…") if len(value) > 2 else message
    message, _, at = message.partition(", at: ")
    words = " ".join(re.findall(r"^[A-Z]+\b|\b[A-Z]{3,}\b", at)[:2])
    return re.sub(r"'[^']*'|\"[^\"]*\"|`[^`]*`|[\d,]+", "…", message)[:120] + (f", at {words}" if words else "")


def _answer(source: RelationalSource) -> Answer:
    graph = build_initial_graph(source.schema, source.tables, match_references(source.schema, source.tables))
    tables = {name: _table(table) for name, table in source.tables.items()}
    edges: dict[Key, Edges] = {}
    for key in source.schema.foreign_keys:
        found = graph.foreign_key_edges(key)
        child, parent = tables[key.table].rows, tables[key.ref_table].rows
        ends = zip(found.sources.tolist(), found.targets.tolist(), strict=True)
        edges[_key(key)] = Counter((child[a], parent[b]) for a, b in ends)
    return Answer(tables, edges, _texts(source.warnings), _skipped(source.warnings))


def _table(table: Table) -> TableAnswer:
    columns = tuple(ColumnAnswer(name, Kind.TEXT) for name in table.columns)
    rows: list[Row] = list(zip(*(column.to_list() for column in table.columns.values()), strict=True))
    return TableAnswer(table.schema.name, columns, table.schema.primary_key, tuple(rows or [()] * table.row_count))


def _key(key: ForeignKey) -> Key:
    return Key.of(key.table, key.columns, key.ref_table, key.ref_columns)


def _texts(warnings: Sequence[SourceWarning]) -> tuple[str, ...]:
    return tuple(f"{each.code.value}: {each.message}" for each in warnings)


def _skipped(warnings: Sequence[SourceWarning]) -> Mapping[tuple[str, str], int]:
    """Cells read as NULL, by table and column; a column that is left out has 0."""
    return {
        (str(each.where.get("table")), str(each.where.get("column"))): int(str(each.where.get("cells", 0)))
        for each in warnings
        if each.code is WarningCode.UNSUPPORTED_SKIPPED
    }
