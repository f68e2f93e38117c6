"""Reads `--option key=value`: a value is JSON or text, or `@FILE` for a JSON file."""

import json
from pathlib import Path

from app.build.option_rules import json_or_text
from app.errors import InvalidOptionError


def parse_options(texts: list[str]) -> dict[str, object]:
    """The options that the texts set, the last of a name winning.

    >>> parse_options(["query_count=3", "mode=rules", "evolve=false"])
    {'query_count': 3, 'mode': 'rules', 'evolve': False}
    """
    return dict(_parse(text) for text in texts)


def _parse(text: str) -> tuple[str, object]:
    name, equals, value = text.partition("=")
    name = name.strip().replace("-", "_")
    if not equals or not name:
        raise InvalidOptionError(f"--option takes key=value; it got {text!r}.", hint="For example: query_count=12")
    return name, _from_file(name, Path(value[1:])) if value.startswith("@") else json_or_text(value)


def _from_file(name: str, path: Path) -> object:
    try:
        return json.loads(path.read_text(encoding="utf-8-sig"))
    except OSError as error:
        raise InvalidOptionError(
            f"The file for {name} cannot be read: {error.strerror}.", option=name, file=str(path)
        ) from error
    except UnicodeDecodeError as error:
        raise InvalidOptionError(f"The file for {name} is not UTF-8.", option=name, file=str(path)) from error
    except (ValueError, RecursionError) as error:
        raise InvalidOptionError(f"The file for {name} is not JSON: {error}.", option=name, file=str(path)) from error
