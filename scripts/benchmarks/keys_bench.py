"""How many of the declared keys of known databases are suggested once they are taken away, and how many others."""

import json
import os
import sys
import time
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import TypeVar

from app.inspect.keys.model import DEFAULT_THRESHOLD
from app.inspect.keys.suggest import suggest_keys
from scripts.benchmarks.key_truth import DATABASES, KnownDatabase

T = TypeVar("T")

ALL = "all"


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
    scores = [score for load in DATABASES.values() for score in _scores(load(folder), wanted, details)]
    scores += [_summed(scores, kind) for kind in ("primary keys", "foreign keys", "keys")]
    _print(scores)
    if output is not None:
        output.write_text(json.dumps([score.to_dict() for score in scores], indent=2) + "\n", encoding="utf-8")
    return True


def _scores(known: KnownDatabase, threshold: float, details: bool) -> list[Score]:
    started = time.perf_counter()
    suggestions = suggest_keys(known.tables, empty_is_missing=known.empty_is_missing)
    seconds = time.perf_counter() - started
    primary = {(key.table, _folded(key.columns)) for key in suggestions.best_primary_keys(threshold).values()}
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


def _summed(scores: list[Score], kind: str) -> Score:
    chosen = [score for score in scores if kind in ("keys", score.kind) and score.database != ALL]
    return Score(
        ALL,
        kind,
        sum(score.declared for score in chosen),
        sum(score.suggested for score in chosen),
        sum(score.found for score in chosen),
        sum(score.seconds for score in chosen if score.kind == chosen[0].kind),
    )


def _print(scores: list[Score]) -> None:
    print("database    kind          declared  suggested  right  precision  recall     F1  seconds")
    for score in scores:
        print(
            f"{score.database:<11} {score.kind:<13} {score.declared:>8} {score.suggested:>10} {score.found:>6} "
            f"{score.precision:>10.3f} {score.recall:>7.3f} {score.f1:>6.3f} {score.seconds:>8.3f}"
        )
