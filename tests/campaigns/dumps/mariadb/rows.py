"""Random rows of MariaDB tables, in every form that INSERT has."""

from tests.campaigns.dumps.mariadb.tables import Column, Table
from tests.campaigns.dumps.mariadb.types import Form, Quoting, literal
from tests.campaigns.dumps.script import Piece, Rows, Statement
from tests.campaigns.dumps.words import Dice


def rows_of(dice: Dice, table: Table, quoting: Quoting) -> list[Piece]:
    """A few statements that fill a table."""
    return [piece for _ in range(dice.pick((0, 1, 1, 1, 2, 3))) if (piece := _statement(dice, table, quoting))]


def _statement(dice: Dice, table: Table, quoting: Quoting) -> Piece | None:
    if dice.maybe(0.4):
        given = [place for place, column in enumerate(table.columns) if not column.hidden]
    else:
        given = [place for place, column in enumerate(table.columns) if _is_given(dice, column)]
    if not given:
        return None
    complete = [place for place, column in enumerate(table.columns) if not column.hidden] == given
    records = _records(dice, table, given)
    rows = tuple(
        tuple(_literal(dice, table.columns[at], value, quoting) for at, value in zip(given, record, strict=True))
        for record in records
    )
    names = tuple(_cased(dice, table.columns[place].name) for place in given)
    if dice.rare(0.05):
        return Statement(
            f"INSERT INTO {table.name} SET {', '.join(f'{a} = {b}' for a, b in zip(names, rows[0], strict=True))};"
        )
    head = dice.pick(
        ("INSERT INTO",) * 12
        + ("insert into", "INSERT IGNORE INTO", "REPLACE INTO", "INSERT", "INSERT LOW_PRIORITY INTO")
    )
    return Rows(table.name, None if complete and dice.maybe(0.5) else names, rows, head)


def _records(dice: Dice, table: Table, given: list[int]) -> list[list[str | None]]:
    """A few rows, now and then more than are read at once, of which mostly no two share a key."""
    wanted = 700 if dice.maybe(0.02) else dice.randint(1, 6)
    records: list[list[str | None]] = []
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


def _cased(dice: Dice, name: str) -> str:
    """Names of columns have no case."""
    return name.upper() if dice.rare(0.05) and name.isascii() else name


def _is_given(dice: Dice, column: Column) -> bool:
    if column.computed:
        return False
    if column.counts:
        return dice.maybe(0.5)
    return dice.maybe(0.8) if column.filled or not column.not_null else True


def _literal(dice: Dice, column: Column, value: str | None, quoting: Quoting) -> str:
    if column.computed:
        return "DEFAULT"
    if value is None:
        return dice.pick(("NULL", "null", "NULL", "DEFAULT")) if dice.rare(0.15) else "NULL"
    if column.counts and dice.rare(0.3):
        return dice.pick(("0", "NULL", "DEFAULT"))
    return literal(dice, column.type, value, quoting)


def _record(dice: Dice, table: Table, given: list[int]) -> dict[int, str | None]:
    values: dict[int, str | None] = {place: _value(dice, table.columns[place]) for place in given}
    for places, target, key in table.references:
        known = target.values.get(key)
        chosen = dice.pick(known) if known and dice.maybe(0.85) else (None,) * len(places)
        for place, part in zip(places, chosen, strict=True):
            if place in values:
                values[place] = _as_people_write(dice, table.columns[place], part)
    return values


def _remember(table: Table, values: dict[int, str | None]) -> None:
    """Keep the keys of a row, to which others may refer."""
    for key in table.keys:
        parts = tuple(values.get(place) for place in key)
        if None not in parts:
            table.values.setdefault(key, []).append(tuple(map(str, parts)))


def _as_people_write(dice: Dice, column: Column, part: str | None) -> str | None:
    """A reference may differ from the key in letters' case and in blanks at the end, as collations allow."""
    if part is None or column.type.form is not Form.TEXT or not dice.rare(0.05):
        return part
    return dice.pick((part.upper(), part.swapcase(), part + " "))


def _value(dice: Dice, column: Column) -> str | None:
    if not column.not_null and dice.maybe(0.2):
        return None
    return column.type.make(dice)
