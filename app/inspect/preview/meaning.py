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
_KNOWN: dict[str, str] = {
    "name": "A name",
    "full name": "A full name",
    "first name": "A first name",
    "given name": "A first name",
    "last name": "A last name",
    "family name": "A last name",
    "display name": "A name for display",
    "user name": "A user's name",
    "username": "A user's name",
    "title": "A title",
    "description": "A description",
    "summary": "A summary",
    "note": "A note",
    "notes": "Notes",
    "comment": "A comment",
    "comments": "Comments",
    "status": "A status; what its values stand for is not said",
    "state": "A state or region",
    "type": "A type; what its values stand for is not said",
    "kind": "A kind; what its values stand for is not said",
    "category": "A category",
    "code": "A code; what its values stand for is not said",
    "quantity": "A quantity",
    "qty": "A quantity",
    "count": "A count",
    "amount": "An amount",
    "total": "A total",
    "price": "A price",
    "unit price": "A price",
    "discount": "A discount",
    "rating": "A rating",
    "score": "A score",
    "rank": "A rank",
    "position": "A position",
    "email": "An e-mail address",
    "phone": "A telephone number",
    "fax": "A fax number",
    "address": "An address",
    "street": "A street",
    "city": "A city",
    "region": "A region",
    "country": "A country",
    "postal code": "A postal code",
    "zip code": "A postal code",
    "zip": "A postal code",
    "latitude": "A latitude",
    "longitude": "A longitude",
    "url": "A web address",
    "date": "A date",
    "year": "A year",
    "time": "A time",
    "birth date": "A date of birth",
    "start date": "When something starts",
    "end date": "When something ends",
    "created at": "When the row was made",
    "create date": "When the row was made",
    "creation date": "When the row was made",
    "updated at": "When the row was last changed",
    "last update": "When the row was last changed",
    "id": "An identifier",
    "uuid": "An identifier",
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
