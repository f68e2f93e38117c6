"""What the environment says, read once at start-up and handed to whoever needs it."""

import os
from collections.abc import Mapping
from pathlib import Path
from typing import Annotated

from pydantic import AfterValidator, Field, SecretStr, ValidationError
from pydantic_settings import BaseSettings, SettingsConfigDict

from app.build.options import ENVIRONMENT_PREFIX
from app.errors import InvalidOptionError

PORT = 21108

_Positive = Annotated[int, Field(ge=1)]
_Folder = Annotated[Path, AfterValidator(lambda path: path.expanduser().absolute())]


def _user_dir(variable: str, fallback: str) -> Path:
    """A folder of ours under an XDG base directory; relative ones are ignored, as the XDG specification says."""
    base = Path(os.environ.get(variable, ""))
    return (base if base.is_absolute() else Path.home() / fallback) / "graphwright"


def _construction_environment() -> Mapping[str, str]:
    return {name: value for name, value in os.environ.items() if name.startswith(ENVIRONMENT_PREFIX)}


class Neo4jSettings(BaseSettings):
    """An external Neo4j; without a `uri` the embedded one is used."""

    model_config = SettingsConfigDict(env_prefix="NEO4J_", env_ignore_empty=True, frozen=True, extra="ignore")

    uri: str | None = None
    username: str = "neo4j"
    password: SecretStr = SecretStr("")
    database: str | None = None


class Settings(BaseSettings):
    """`GRAPHWRIGHT_<NAME>` for each field but `neo4j` (`NEO4J_*`) and `construction` (`GRAPH_CONSTRUCTION_*`)."""

    model_config = SettingsConfigDict(env_prefix="GRAPHWRIGHT_", env_ignore_empty=True, frozen=True, extra="ignore")

    data_dir: _Folder = Field(default_factory=lambda: _user_dir("XDG_DATA_HOME", ".local/share"))
    cache_dir: _Folder = Field(default_factory=lambda: _user_dir("XDG_CACHE_HOME", ".cache"))
    maven_repository: str | None = None
    host: str = "127.0.0.1"
    port: Annotated[int, Field(ge=0, le=65_535)] = PORT
    max_upload_bytes: _Positive = 8 * 2**30
    graph: str | None = None
    skeleton_min_count: _Positive = 1
    skeleton_top_n: _Positive = 5
    neo4j: Neo4jSettings = Field(default_factory=Neo4jSettings)
    construction: Mapping[str, str] = Field(default_factory=_construction_environment)
    construction_concurrency: Annotated[int, Field(ge=1, le=64, validation_alias="GRAPH_CONSTRUCTION_CONCURRENCY")] = 1


def read_settings() -> Settings:
    """The settings of this process; raises `InvalidOptionError` that names the variable at fault."""
    try:
        return Settings()
    except ValidationError as error:
        raise _invalid(error) from None
    except RuntimeError as error:  # Path.home() of an account without one
        raise InvalidOptionError(
            f"No place for Graphwright's data: {error}", hint="Set GRAPHWRIGHT_DATA_DIR and GRAPHWRIGHT_CACHE_DIR."
        ) from None


def _invalid(error: ValidationError) -> InvalidOptionError:
    first = error.errors(include_url=False, include_input=False, include_context=False)[0]
    name = str(first["loc"][-1]).upper()
    variable = name if name.startswith(ENVIRONMENT_PREFIX) else "GRAPHWRIGHT_" + name
    return InvalidOptionError(f"{variable} in the environment is not usable: {first['msg']}.", option=variable)
