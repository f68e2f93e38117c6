"""How a source is read: its limits, its SQL dialect, and what becomes of what cannot be read."""

import math
from collections.abc import Mapping
from dataclasses import dataclass, fields
from enum import StrEnum
from typing import Any, TypeVar

from app.errors import InvalidOptionError
from app.sources.declared.options import TableOptions, checked_table_options
from app.sources.dialect import Dialect

Choice = TypeVar("Choice", bound=StrEnum)

MIB = 1024 * 1024
GIB = 1024 * MIB


class ResourceProfile(StrEnum):
    """`bounded` keeps a source in memory under small limits; `full_scale` reads images from disk under large ones."""

    BOUNDED = "bounded"
    FULL_SCALE = "full_scale"


class Unsupported(StrEnum):
    """What becomes of views, triggers and BLOBs: the source is refused, or they are left out and named."""

    ERROR = "error"
    SKIP = "skip"


@dataclass(frozen=True, slots=True)
class _Limits:
    """Default and ceiling of each limit under one profile."""

    source_bytes: tuple[int, int]
    source_rows: tuple[int, int]
    timeout_seconds: tuple[float, float]


_LIMITS = {
    ResourceProfile.BOUNDED: _Limits((32 * MIB, 64 * MIB), (200_000, 200_000), (10.0, 60.0)),
    ResourceProfile.FULL_SCALE: _Limits((8 * GIB, 8 * GIB), (10_000_000, 10_000_000), (7_200.0, 7_200.0)),
}


@dataclass(frozen=True, slots=True)
class SourceOptions(TableOptions):
    """The limits in force for one source, which is refused, never cut, when over one; and how SQL is understood."""

    resource_profile: ResourceProfile = ResourceProfile.BOUNDED
    max_source_bytes: int = _LIMITS[ResourceProfile.BOUNDED].source_bytes[0]
    max_source_rows: int = _LIMITS[ResourceProfile.BOUNDED].source_rows[0]
    source_timeout_seconds: float = _LIMITS[ResourceProfile.BOUNDED].timeout_seconds[0]
    dialect: Dialect = Dialect.AUTO
    unsupported: Unsupported = Unsupported.ERROR

    @classmethod
    def names(cls) -> frozenset[str]:
        """The option names that belong to the source."""
        return frozenset(field.name for field in fields(cls))

    @classmethod
    def from_options(cls, options: Mapping[str, object]) -> "SourceOptions":
        """Options by name; those left out take the profile's default; `InvalidOptionError` for anything else."""
        for name in options:
            if name not in cls.names():
                raise InvalidOptionError(f"There is no source option {name}.", option=name)
        profile = _choice(options, "resource_profile", ResourceProfile.BOUNDED)
        limits = _LIMITS[profile]
        return cls(
            resource_profile=profile,
            max_source_bytes=_whole_number(options, "max_source_bytes", limits.source_bytes),
            max_source_rows=_whole_number(options, "max_source_rows", limits.source_rows),
            source_timeout_seconds=_seconds(options, "source_timeout_seconds", limits.timeout_seconds),
            dialect=_choice(options, "dialect", Dialect.AUTO),
            unsupported=_choice(options, "unsupported", Unsupported.ERROR),
            **checked_table_options(options),
        )


def _choice(options: Mapping[str, object], name: str, default: Choice) -> Choice:
    """One of the words of the default's class."""
    value, words = options.get(name, default), [str(word) for word in type(default)]
    if isinstance(value, str) and value in words:
        return type(default)(value)
    raise InvalidOptionError(
        f"{name} must be {', '.join(words[:-1])} or {words[-1]}.", option=name, value=_shown(value)
    )


def _whole_number(options: Mapping[str, object], name: str, limits: tuple[int, int]) -> int:
    default, ceiling = limits
    value = options.get(name, default)
    if isinstance(value, int) and not isinstance(value, bool) and 1 <= value <= ceiling:
        return value
    raise _out_of_range(name, "a whole number", ceiling, value)


def _seconds(options: Mapping[str, object], name: str, limits: tuple[float, float]) -> float:
    default, ceiling = limits
    value = options.get(name, default)
    if isinstance(value, int | float) and not isinstance(value, bool) and _within(value, ceiling):
        return float(value)
    raise _out_of_range(name, "a number of seconds above 0", ceiling, value)


def _within(value: float, ceiling: float) -> bool:
    return math.isfinite(value) and 0 < value <= ceiling


def _out_of_range(name: str, wanted: str, ceiling: float, value: object) -> InvalidOptionError:
    return InvalidOptionError(
        f"{name} must be {wanted}, at most {ceiling:,g}."
        if isinstance(ceiling, float)
        else f"{name} must be {wanted} from 1 to {ceiling:,}.",
        hint="resource_profile=full_scale has higher limits.",
        option=name,
        value=_shown(value),
    )


def _shown(value: object) -> Any:
    return value if isinstance(value, bool | int | float) else str(value)[:100]
