"""The sample that ships: a bookshop in a SQLite file, made by code, the same on each machine.

Nine tables with what relational sources have in store: a self-reference (categories, customers who were referred), a
many-to-many (books and authors), composite keys and a composite foreign key (purchase lines and their refunds), NULLs,
and columns that queries like to filter, group and sum. Few books and customers have most of the purchases, and there
are enough rows for a better graph to be faster by more than the noise of measuring.
"""

from collections.abc import Iterator, Sequence
from datetime import date, timedelta
from pathlib import Path
from random import Random
from typing import TypeVar

import apsw

from app.values import Scalar

T = TypeVar("T")
Row = tuple[Scalar, ...]

SEED = 1869
OPENED = date(2022, 1, 3)
PURCHASES = 20_000

SCHEMA = """
CREATE TABLE author (
    author_id INTEGER PRIMARY KEY,
    name TEXT NOT NULL,
    country TEXT NOT NULL,
    born INTEGER
);
CREATE TABLE category (
    category_id INTEGER PRIMARY KEY,
    name TEXT NOT NULL,
    parent_id INTEGER REFERENCES category (category_id)
);
CREATE TABLE book (
    book_id INTEGER PRIMARY KEY,
    title TEXT NOT NULL,
    category_id INTEGER NOT NULL REFERENCES category (category_id),
    format TEXT NOT NULL,
    published INTEGER NOT NULL,
    price REAL
);
CREATE TABLE book_author (
    book_id INTEGER NOT NULL REFERENCES book (book_id),
    author_id INTEGER NOT NULL REFERENCES author (author_id),
    PRIMARY KEY (book_id, author_id)
);
CREATE TABLE customer (
    customer_id INTEGER PRIMARY KEY,
    name TEXT NOT NULL,
    city TEXT NOT NULL,
    email TEXT COLLATE NOCASE,
    referred_by INTEGER REFERENCES customer (customer_id)
);
CREATE TABLE purchase (
    purchase_id INTEGER PRIMARY KEY,
    customer_id INTEGER NOT NULL REFERENCES customer (customer_id),
    status TEXT NOT NULL,
    ordered_on TEXT NOT NULL,
    shipped_on TEXT
);
CREATE TABLE purchase_line (
    purchase_id INTEGER NOT NULL REFERENCES purchase (purchase_id),
    line INTEGER NOT NULL,
    book_id INTEGER NOT NULL REFERENCES book (book_id),
    quantity INTEGER NOT NULL,
    unit_price REAL NOT NULL,
    PRIMARY KEY (purchase_id, line)
);
CREATE TABLE refund (
    refund_id INTEGER PRIMARY KEY,
    purchase_id INTEGER NOT NULL,
    line INTEGER NOT NULL,
    reason TEXT,
    amount REAL NOT NULL,
    FOREIGN KEY (purchase_id, line) REFERENCES purchase_line (purchase_id, line)
);
CREATE TABLE review (
    customer_id INTEGER NOT NULL REFERENCES customer (customer_id),
    book_id INTEGER NOT NULL REFERENCES book (book_id),
    stars INTEGER NOT NULL,
    comment TEXT,
    PRIMARY KEY (customer_id, book_id)
);
"""

_FIRST = ("Ada", "Amir", "Bruno", "Chen", "Dara", "Elif", "Emeka", "Farah", "Greta", "Kofi", "Lena", "Mateo", "Priya")
_LAST = ("Abel", "Berg", "Costa", "Duarte", "Endo", "Haddad", "Ito", "Kaya", "Moreau", "Novak", "Okafor", "Silva")
_COUNTRIES = ("Brazil", "China", "France", "Germany", "India", "Japan", "Mexico", "Nigeria", "Poland", "Turkey")
_CITIES = ("Accra", "Berlin", "Kyoto", "Lagos", "Lima", "Lyon", "Porto", "Pune", "Recife", "Vienna")
_ADJECTIVES = ("Amber", "Bitter", "Crooked", "Distant", "Empty", "Golden", "Hidden", "Last", "Quiet", "Silver")
_NOUNS = ("Archive", "Bridge", "Garden", "Harbour", "House", "Island", "Letter", "Map", "Orchard", "River")
_CATEGORIES = {
    "Fiction": ("Crime", "Fantasy", "Historical", "Poetry"),
    "Knowledge": ("Biography", "Computing", "Economics", "Nature"),
    "Young readers": ("Adventure", "Picture books"),
}
_FORMATS = ("audio", "ebook", "hardcover", "paperback")
_STATUSES = ("cancelled", "delivered", "delivered", "delivered", "pending", "shipped")
_REASONS = ("arrived late", "damaged", "wrong edition", None)
_COMMENTS = ("A keeper.", "Good until the last third.", "Not for me.", "Read it twice.", None, None)


class _Dice:
    """Random choices from the one generator method whose sequence Python promises to keep between versions."""

    def __init__(self, seed: int) -> None:
        self._next = Random(seed).random  # noqa: S311 - sample data, no secrets

    def below(self, limit: int) -> int:
        """A whole number from 0 to `limit` - 1."""
        return int(self._next() * limit)

    def skewed(self, limit: int) -> int:
        """The same, with small numbers much likelier: bestsellers and regular customers."""
        return int(self._next() ** 2 * limit)

    def one_of(self, choices: Sequence[T]) -> T:
        """One of the choices."""
        return choices[self.below(len(choices))]

    def distinct(self, count: int, limit: int) -> list[int]:
        """Up to `count` different whole numbers from 1 to `limit`, ascending."""
        return sorted({1 + self.skewed(limit) for _ in range(count)})


def write_sample(path: Path, purchases: int = PURCHASES) -> None:
    """Write a bookshop of a number of purchases, and books and customers in proportion, over what was at `path`."""
    path.unlink(missing_ok=True)
    connection = apsw.Connection(str(path))
    try:
        with connection:
            connection.execute(SCHEMA)
            for table, rows in _tables(purchases):
                _insert(connection, table, rows)
    finally:
        connection.close()


def _insert(connection: apsw.Connection, table: str, rows: list[Row]) -> None:
    marks = ", ".join("?" * len(rows[0]))
    connection.executemany(f"INSERT INTO {table} VALUES ({marks})", rows)  # noqa: S608 - our own table names


def _tables(purchases: int) -> Iterator[tuple[str, list[Row]]]:
    dice, authors, customers = _Dice(SEED), purchases // 50, purchases // 5
    categories = _categories()
    books = _books(dice, purchases // 10, categories)
    lines = _purchase_lines(dice, purchases, books)
    yield "author", _authors(dice, authors)
    yield "category", categories
    yield "book", books
    yield "book_author", _book_authors(dice, len(books), authors)
    yield "customer", _customers(dice, customers)
    yield "purchase", _purchases(dice, purchases, customers)
    yield "purchase_line", lines
    yield "refund", _refunds(dice, lines)
    yield "review", _reviews(dice, customers, len(books))


def _person(dice: _Dice) -> str:
    return f"{dice.one_of(_FIRST)} {dice.one_of(_LAST)}"


def _authors(dice: _Dice, count: int) -> list[Row]:
    return [
        (number, _person(dice), dice.one_of(_COUNTRIES), 1900 + dice.below(100) if dice.below(5) else None)
        for number in range(1, count + 1)
    ]


def _categories() -> list[Row]:
    rows: list[Row] = []
    for name, children in _CATEGORIES.items():
        parent = len(rows) + 1
        rows.append((parent, name, None))
        rows.extend((parent + offset, child, parent) for offset, child in enumerate(children, start=1))
    return rows


def _books(dice: _Dice, count: int, categories: list[Row]) -> list[Row]:
    leaves = [row[0] for row in categories if row[2] is not None]
    return [
        (
            number,
            f"The {dice.one_of(_ADJECTIVES)} {dice.one_of(_NOUNS)}",
            dice.one_of(leaves),
            dice.one_of(_FORMATS),
            1960 + dice.below(65),
            (499 + 50 * dice.below(70)) / 100 if dice.below(12) else None,
        )
        for number in range(1, count + 1)
    ]


def _book_authors(dice: _Dice, books: int, authors: int) -> list[Row]:
    return [(book, author) for book in range(1, books + 1) for author in dice.distinct(1 + dice.below(3), authors)]


def _customers(dice: _Dice, count: int) -> list[Row]:
    return [_customer(dice, number) for number in range(1, count + 1)]


def _customer(dice: _Dice, number: int) -> Row:
    name = _person(dice)
    email = f"{name.replace(' ', '.')}.{number}@example.org" if dice.below(4) else None
    referrer = 1 + dice.skewed(number - 1) if number > 1 and dice.below(3) == 0 else None
    return number, name, dice.one_of(_CITIES), email, referrer


def _purchases(dice: _Dice, count: int, customers: int) -> list[Row]:
    return [_purchase(dice, number, customers) for number in range(1, count + 1)]


def _purchase(dice: _Dice, number: int, customers: int) -> Row:
    status, ordered = dice.one_of(_STATUSES), OPENED + timedelta(days=dice.below(1_000))
    shipped = ordered + timedelta(days=1 + dice.below(9)) if status in ("delivered", "shipped") else None
    customer = 1 + dice.skewed(customers)
    return number, customer, status, ordered.isoformat(), shipped.isoformat() if shipped else None


def _purchase_lines(dice: _Dice, purchases: int, books: list[Row]) -> list[Row]:
    priced = [(book[0], book[5]) for book in books if book[5] is not None]
    rows: list[Row] = []
    for purchase in range(1, purchases + 1):
        for line in range(1, 2 + dice.below(4)):
            book, price = priced[dice.skewed(len(priced))]
            rows.append((purchase, line, book, 1 + dice.skewed(4), price))
    return rows


def _refunds(dice: _Dice, lines: list[Row]) -> list[Row]:
    refunded = [line for line in lines if dice.below(25) == 0]
    return [(number, line[0], line[1], dice.one_of(_REASONS), line[4]) for number, line in enumerate(refunded, start=1)]


def _reviews(dice: _Dice, customers: int, books: int) -> list[Row]:
    return [
        (customer, book, 1 + dice.below(5), dice.one_of(_COMMENTS))
        for customer in range(1, customers + 1)
        for book in dice.distinct(dice.below(3), books)
    ]
