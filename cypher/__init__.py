"""Every Cypher statement, one a file: NAME.cypher, opened by comments that state what it takes and returns.

Words between double underscores, such as __LABEL__, stand for identifiers; they are filled with escaped names only.
Values are parameters always.
"""

from functools import cache
from importlib.resources import files


@cache
def statement(name: str) -> str:
    """The text of cypher/NAME.cypher without its comments."""
    text = (files(__name__) / f"{name}.cypher").read_text(encoding="utf-8")
    return "\n".join(line for line in text.splitlines() if line and not line.startswith("//"))
