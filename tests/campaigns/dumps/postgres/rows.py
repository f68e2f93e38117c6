"""Random rows of PostgreSQL tables, as INSERT and COPY."""

from tests.campaigns.dumps.postgres.columns import Column, Table
from tests.campaigns.dumps.postgres.types import copy_field, literal
from tests.campaigns.dumps.script import Piece, Rows
from tests.campaigns.dumps.words import Dice

Value = str | None
"""What a type's input function takes; None for NULL."""


def rows_of(dice: Dice, table: Table) -> list[Piece]:
    """A few statements that fill a table."""
    return [piece for _ in range(dice.pick((0, 1, 1, 1, 2, 3))) if (piece := _statement(dice, table))]


def _statement(dice: Dice, table: Table) -> Piece | None:
    given = [place for place, column in enumerate(table.columns) if _is_given(dice, column)]
    if not given:
        return None
    names = tuple(table.columns[place].name for place in given)
    complete = len(given) == len(table.columns)
    records = _records(dice, table, given)
    if dice.maybe(0.25) and not any(table.columns[place].always for place in given):
        fields = tuple(tuple(map(copy_field, record)) for record in records)
        return Rows(table.name, names, fields, "COPY")
    rows = tuple(
        tuple(_literal(dice, table.columns[at], value) for at, value in zip(given, record, strict=True))
        for record in records
    )
    head = dice.pick(("INSERT INTO",) * 6 + ("insert into", "INSERT  INTO"))
    overriding = any(table.columns[place].always for place in given)
    listed = names if not complete or dice.maybe(0.5) else None
    tail = "\nON CONFLICT DO NOTHING" if dice.rare(0.1) else ""
    if overriding:
        return Rows(f"{table.name} ({', '.join(names)}) OVERRIDING SYSTEM VALUE", None, rows, head, tail)
    return Rows(table.name, listed, rows, head, tail)


def _records(dice: Dice, table: Table, given: list[int]) -> list[list[Value]]:
    """A few rows, now and then more than are read at once, of which mostly no two share a key."""
    wanted = 700 if dice.maybe(0.02) else dice.randint(1, 6)
    records: list[list[Value]] = []
    taken: set[tuple[object, ...]] = set()
    for _ in range(5 * wanted):
        values = _record(dice, table, given)
        keys = {(key, *(values.get(place) for place in key)) for key in table.keys if set(key) <= values.keys()}
        if taken.isdisjoint(keys) or dice.rare(0.02):
            taken |= keys
            _remember(table, values)
            records.append([values[place] for place in given])
        if len(records) == wanted:
            break
    return records


def _is_given(dice: Dice, column: Column) -> bool:
    if column.computed:
        return False
    if column.counts:
        return dice.maybe(0.5)
    if column.filled or not column.not_null:
        return dice.maybe(0.8)
    return True


def _literal(dice: Dice, column: Column, value: Value) -> str:
    if value is None:
        return dice.pick(("NULL", "NULL", "null", "DEFAULT")) if dice.rare(0.2) else "NULL"
    return literal(dice, column.type, value)


def _record(dice: Dice, table: Table, given: list[int]) -> dict[int, Value]:
    values: dict[int, Value] = {place: _value(dice, table, place) for place in given}
    for places, target, key in table.references:
        known = target.values.get(key)
        chosen = dice.pick(known) if known and dice.maybe(0.8) else (None,) * len(places)
        for place, part in zip(places, chosen, strict=True):
            if place in values and not (part is None and table.columns[place].not_null):
                values[place] = part
    return values


def _remember(table: Table, values: dict[int, Value]) -> None:
    """Keep the keys of a row, to which others may refer."""
    for key in table.keys:
        parts = tuple(values.get(place) for place in key)
        if None not in parts:
            table.values.setdefault(key, []).append(tuple(map(str, parts)))


def _value(dice: Dice, table: Table, place: int) -> Value:
    column = table.columns[place]
    if place in table.bounds:
        return dice.pick(table.bounds[place])
    if not column.not_null and dice.maybe(0.2):
        return None
    if column.counts:
        return str(dice.randint(20, 90))
    return column.type.make(dice)
