"""One mapping of options from a door, split into those of the build and those of the source."""

from collections.abc import Mapping
from dataclasses import asdict, dataclass
from typing import Any

from app.build.options import FULL_SCALE_MAX_SECONDS, MAX_SECONDS, BuildOptions, refuse_unknown
from app.sources.options import SourceOptions


@dataclass(frozen=True, slots=True)
class JobOptions:
    """All options of one build, checked and complete."""

    build: BuildOptions
    source: SourceOptions

    @classmethod
    def from_options(
        cls, given: Mapping[str, object], environment: Mapping[str, str], *, max_seconds: float = MAX_SECONDS
    ) -> "JobOptions":
        """Options by name, then the environment's, then defaults; `max_seconds` is the door's longest build.

        Raises `InvalidOptionError` for an unknown name, a wrong type or a value out of range.
        """
        refuse_unknown(given, [*BuildOptions.names(), *sorted(SourceOptions.names() - set(BuildOptions.names()))])
        of_build = {name: value for name, value in given.items() if name in BuildOptions.names()}
        of_source = {name: value for name, value in given.items() if name in SourceOptions.names()}
        build = BuildOptions.from_options(of_build, environment, max_seconds=max_seconds)
        return cls(build, SourceOptions.from_options(of_source))

    def to_dict(self) -> dict[str, Any]:
        """All options by name, as JSON; `from_options` of it gives the same again."""
        return {**asdict(self.source), **asdict(self.build)}


def longest_build(given: Mapping[str, object]) -> float:
    """The longest build in seconds that the command line allows: more for `resource_profile=full_scale`."""
    return FULL_SCALE_MAX_SECONDS if given.get("resource_profile") == "full_scale" else MAX_SECONDS
