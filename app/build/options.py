"""The construction options: names, defaults and ranges, stated once.

An explicit option wins over its environment variable `GRAPH_CONSTRUCTION_<NAME>`, which wins over the default. The
environment is handed in; nothing is read here. How a source is read is a matter of its own options.
"""

import difflib
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import Field, dataclass, field, fields
from typing import Any, Literal

from app.build.option_rules import Choice, Count, Flag, PlanList, Quantity, Rule
from app.errors import InvalidOptionError

ENVIRONMENT_PREFIX = "GRAPH_CONSTRUCTION_"

MAX_SECONDS = 3_600.0
"""The longest a build may be told to take."""

FULL_SCALE_MAX_SECONDS = 86_400.0
"""The same for `resource_profile=full_scale` on the command line."""

DEFAULT_QUERY_COUNT = 15
"""Queries that are frozen if `query_count` is not given; fewer, if no more can be asked of the source."""

DOMAINS = ("auto", "finance", "academic", "commerce", "healthcare", "social", "general")


def _option(default: Any, rule: Rule, *, environment: bool = True) -> Any:
    return field(default=default, metadata={"rule": rule, "environment": environment})


@dataclass(frozen=True, kw_only=True)
class BuildOptions:
    """How a graph is built and improved; checked on construction, so that an instance is always valid."""

    mode: Literal["rules", "llm"] = _option("rules", Choice(("rules", "llm")))
    evolve: bool = _option(True, Flag(), environment=False)
    domain_category: str = _option("auto", Choice(DOMAINS))
    resource_profile: Literal["bounded", "full_scale"] = _option(
        "bounded", Choice(("bounded", "full_scale")), environment=False
    )
    queries: Sequence[Mapping[str, Any]] | None = _option(None, PlanList(), environment=False)
    query_count: int | None = _option(None, Count(1, 100, or_none=True))
    max_iterations: int = _option(12, Count(1, 30))
    max_tool_calls: int = _option(24, Count(1, 100))
    workload_attempts: int = _option(3, Count(1, 5))
    benchmark_repeats: int = _option(5, Count(1, 15))
    sample_rows: int = _option(3, Count(1, 10))
    expected_query_runs: int = _option(100, Count(1, 100_000))
    llm_timeout_seconds: float = _option(120.0, Quantity(1, 600))
    max_seconds: float = _option(900.0, Quantity(1, FULL_SCALE_MAX_SECONDS))
    min_speedup: float = _option(0.05, Quantity(0, 0.9))
    max_graph_growth: float = _option(3.0, Quantity(1, 10))
    experience_top_k: int = _option(8, Count(1, 32))
    experience_enabled: bool = _option(True, Flag())
    comparison_rounds: int = _option(3, Count(2, 9))
    min_query_seconds: float = _option(0.003, Quantity(0, 0.1))

    def __post_init__(self) -> None:
        for option in fields(self):
            value, rule = getattr(self, option.name), self._rule(option)
            _check(option.name, option.name, value, rule)
            if isinstance(rule, Quantity):  # 900 and 900.0 are the same option
                object.__setattr__(self, option.name, float(value))

    @classmethod
    def from_options(
        cls,
        explicit: Mapping[str, object],
        environment: Mapping[str, str] | None = None,
        *,
        max_seconds: float = MAX_SECONDS,
    ) -> "BuildOptions":
        """The options that `explicit` and then `environment` ask for; `max_seconds` is the door's longest build.

        Raises `InvalidOptionError` for an unknown name, a wrong type or a value out of range.
        """
        refuse_unknown(explicit, cls.names())
        merged: dict[str, Any] = {**cls._from_environment(environment or {}, explicit), **explicit}
        if "max_seconds" in merged:
            _check("max_seconds", "max_seconds", merged["max_seconds"], Quantity(1, max_seconds))
        return cls(**merged)

    @classmethod
    def names(cls) -> tuple[str, ...]:
        """The names of all construction options, in the order of their documentation."""
        return tuple(option.name for option in fields(cls))

    @classmethod
    def _from_environment(cls, environment: Mapping[str, str], explicit: Mapping[str, object]) -> dict[str, object]:
        """The options that the environment sets; a variable whose option is `explicit` is not even read."""
        found: dict[str, object] = {}
        for option in fields(cls):
            variable = ENVIRONMENT_PREFIX + option.name.upper()
            text = environment.get(variable, "")
            if text and option.name not in explicit and option.metadata["environment"]:
                found[option.name] = cls._rule(option).parse(text)
                _check(variable, option.name, found[option.name], cls._rule(option))
        return found

    @staticmethod
    def _rule(option: Field[Any]) -> Rule:
        rule: Rule = option.metadata["rule"]
        return rule


def refuse_unknown(given: Iterable[str], known: Sequence[str]) -> None:
    """Raise `InvalidOptionError` for the first name of `given` that is not in `known`, with the nearest one as hint."""
    for name in given:
        if name not in known:
            nearest = difflib.get_close_matches(str(name), known, n=1)
            hint = f"Did you mean {nearest[0]}?" if nearest else "Known options: " + ", ".join(known) + "."
            raise InvalidOptionError(f"There is no option {name!r}.", hint=hint, option=str(name))


def _check(shown_as: str, option: str, value: object, rule: Rule) -> None:
    if not rule.accepts(value):
        shown = repr(value) if len(repr(value)) <= 80 else repr(value)[:77] + "..."
        raise InvalidOptionError(
            f"{shown_as} must be {rule.range}; it is {shown}.", option=option, value=shown, range=rule.range
        )
