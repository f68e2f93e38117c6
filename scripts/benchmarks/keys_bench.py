"""How many of the declared keys of known databases are suggested once they are taken away, and how many others."""

import json
import os
import sys
import time
from collections.abc import Iterable
from dataclasses import asdict, dataclass
from itertools import chain
from pathlib import Path
from typing import TypeVar

from app.inspect.keys.model import DEFAULT_THRESHOLD
from app.inspect.keys.suggest import suggest_keys
from scripts.benchmarks.key_sources import generated_databases
from scripts.benchmarks.key_truth import DATABASES, KnownDatabase

T = TypeVar("T")

ALL = "all"
KINDS = ("primary keys", "foreign keys", "keys")


@dataclass(frozen=True)
class Score:
    database: str
    kind: str
    declared: int
    suggested: int
    found: int
    seconds: float

    @property
    def precision(self) -> float:
        return self.found / self.suggested if self.suggested else 1.0

    @property
    def recall(self) -> float:
        return self.found / self.declared if self.declared else 1.0

    @property
    def f1(self) -> float:
        both = self.declared + self.suggested
        return 2 * self.found / both if both else 1.0

    def to_dict(self) -> dict[str, object]:
        return {**asdict(self), "precision": self.precision, "recall": self.recall, "f1": self.f1}


def run(data: Path | None, threshold: float | None, output: Path | None, *, details: bool) -> bool:
    folder = data or Path(os.environ.get("GRAPHWRIGHT_CORPUS", "")) / "data"
    if not folder.is_dir():
        print("Name the folder of the databases with --data, or its parent in GRAPHWRIGHT_CORPUS.", file=sys.stderr)
        return False
    wanted = DEFAULT_THRESHOLD if threshold is None else threshold
    known = chain((load(folder) for load in DATABASES.values()), generated_databases())
    scores = scores_of(known, wanted, details=details)
    scores += [_summed(ALL, scores, kind) for kind in KINDS]
    _print(scores)
    if output is not None:
        output.write_text(json.dumps([score.to_dict() for score in scores], indent=2) + "\n", encoding="utf-8")
    return True


def scores_of(
    known: Iterable[KnownDatabase], threshold: float = DEFAULT_THRESHOLD, *, details: bool = False
) -> list[Score]:
    """The scores of each database; those of one name, which are generated, are taken together."""
    scores = [score for each in known for score in _scores(each, threshold, details)]
    names = dict.fromkeys(score.database for score in scores)
    own = {name: [score for score in scores if score.database == name] for name in names}
    return [_summed(name, own[name], kind) for name in names for kind in KINDS]


def _scores(known: KnownDatabase, threshold: float, details: bool) -> list[Score]:
    started = time.perf_counter()
    suggestions = suggest_keys(known.tables, empty_is_missing=known.empty_is_missing)
    seconds = time.perf_counter() - started
    judged = {table for table, _ in known.primary_keys}
    best = suggestions.best_primary_keys(threshold).values()
    primary = {(key.table, _folded(key.columns)) for key in best if key.table in judged}
    foreign = {
        (key.table, _pairs(key.columns, key.ref_columns), key.ref_table)
        for key in suggestions.likely_foreign_keys(threshold)
    }
    declared_primary = {(table, _folded(columns)) for table, columns in known.primary_keys}
    declared_foreign = {(t, _pairs(c, r), p) for t, c, p, r in known.foreign_keys}
    if details:
        _differences(known.name, declared_primary, primary)
        _differences(known.name, declared_foreign, foreign)
    return [
        Score(
            known.name, "primary keys", len(declared_primary), len(primary), len(primary & declared_primary), seconds
        ),
        Score(
            known.name, "foreign keys", len(declared_foreign), len(foreign), len(foreign & declared_foreign), seconds
        ),
    ]


def _folded(columns: tuple[str, ...]) -> frozenset[str]:
    """A key's columns; their order is not what identifies rows."""
    return frozenset(columns)


def _pairs(columns: tuple[str, ...], targets: tuple[str, ...]) -> frozenset[tuple[str, str]]:
    return frozenset(zip(columns, targets, strict=True))


def _differences(name: str, declared: set[T], suggested: set[T]) -> None:
    for sign, keys in (("missed", declared - suggested), ("invented", suggested - declared)):
        for key in sorted(keys, key=str):
            print(f"{name}: {sign} {key}")


def _summed(database: str, scores: list[Score], kind: str) -> Score:
    kinds = KINDS[:2] if kind == "keys" else (kind,)
    chosen = [score for score in scores if score.kind in kinds]
    return Score(
        database,
        kind,
        sum(score.declared for score in chosen),
        sum(score.suggested for score in chosen),
        sum(score.found for score in chosen),
        sum(score.seconds for score in chosen if score.kind == chosen[0].kind),
    )


def _print(scores: list[Score]) -> None:
    print("database     kind          declared  suggested  right  precision  recall     F1  seconds")
    for score in scores:
        print(
            f"{score.database:<12} {score.kind:<13} {score.declared:>8} {score.suggested:>10} {score.found:>6} "
            f"{score.precision:>10.3f} {score.recall:>7.3f} {score.f1:>6.3f} {score.seconds:>8.3f}"
        )
