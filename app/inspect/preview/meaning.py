"""What a column means: its comment, else the keys that it belongs to, else a guess at a common name, else nothing.

A guess says what such a name usually means and that it is to be checked. It never says a currency, a unit, how a
number was computed, or what the values of a status stand for.
"""

from collections.abc import Sequence

from app.inspect.keys.names import Words, words_of
from app.inspect.preview.limits import CELL_CHARACTERS
from app.inspect.preview.model import Meaning, Origin, PreviewColumn, PreviewTable, Reference, shown_text
from app.values import fold_identifier

_CHECK = "(guessed from the name; check it)"
_PLAIN = (
    "name, full name, first name, last name, title, description, summary, note, comment, category, "
    "quantity, count, amount, total, price, discount, rating, score, rank, position, address, street, "
    "city, region, country, postal code, latitude, longitude, date, year, time"
)
"""Common names that usually mean what they say."""

_NAMES: dict[str, str] = {
    "A first name": "given name",
    "A last name": "family name",
    "A name for display": "display name",
    "A user's name": "user name, username",
    "Notes": "notes",
    "Comments": "comments",
    "A status; what its values stand for is not said": "status",
    "A state or region": "state",
    "A type; what its values stand for is not said": "type",
    "A kind; what its values stand for is not said": "kind",
    "A code; what its values stand for is not said": "code",
    "A quantity": "qty",
    "A price": "unit price",
    "An e-mail address": "email",
    "A telephone number": "phone",
    "A fax number": "fax",
    "A postal code": "zip code, zip",
    "A web address": "url",
    "A date of birth": "birth date",
    "When something starts": "start date",
    "When something ends": "end date",
    "When the row was made": "created at, create date, creation date",
    "When the row was last changed": "updated at, last update",
    "An identifier": "id, uuid",
}
"""Other common names by what they usually mean."""

_KNOWN = {name: meaning for meaning, names in _NAMES.items() for name in names.split(", ")} | {
    name: f"{'An' if name[0] in 'aeiou' else 'A'} {name}" for name in _PLAIN.split(", ")
}


def meanings_of(table: PreviewTable, columns: Sequence[PreviewColumn]) -> list[Meaning]:
    """The meanings of columns of a table, with their origins."""
    facts = _facts(table)
    return [_meaning(column, table, facts.get(fold_identifier(column.name), [])) for column in columns]


def _meaning(column: PreviewColumn, table: PreviewTable, facts: Sequence[str]) -> Meaning:
    if column.comment:
        return Meaning(Origin.COMMENT, shown_text(column.comment))
    if facts:
        return Meaning(Origin.SCHEMA, shown_text(" ".join(facts), CELL_CHARACTERS))
    guess = _KNOWN.get(" ".join(_without_table(words_of(column.name), table.name)))
    return Meaning(Origin.INFERRED, f"{guess} {_CHECK}.") if guess else Meaning(Origin.UNAVAILABLE)


def _facts(table: PreviewTable) -> dict[str, list[str]]:
    """What the keys say of columns, by folded name."""
    key = "Primary key." if len(table.primary_key) == 1 else "Part of the primary key."
    facts: dict[str, list[str]] = {name: [key] for name in map(fold_identifier, table.primary_key)}
    for reference in table.references:
        for position, name in enumerate(dict.fromkeys(map(fold_identifier, reference.columns))):
            facts.setdefault(name, []).append(f"References {_target(position, reference)}.")
    return facts


def _target(position: int, reference: Reference) -> str:
    table, targets = reference.ref_table, reference.ref_columns
    return f"{table}.{targets[position]}" if position < len(targets) else f"the primary key of {table}"


def _without_table(words: Words, table: str) -> Words:
    """`product_name` of a table of products is a name."""
    own = [word.removesuffix("s") for word in words_of(table)]
    head = len(own)
    if len(words) > head and [word.removesuffix("s") for word in words[:head]] == own:
        return words[head:]
    return words
