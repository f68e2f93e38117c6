"""The preview's own limits; no resource profile of a build changes them."""

MIB = 1024 * 1024

SOURCE_BYTES = 32 * MIB
"""The most bytes of SQL text, and of CSV files together."""

RESPONSE_BYTES = 4 * MIB
TABLES = 128
WARNINGS = 200
COLUMNS = 256
ROWS = 5
CELL_CHARACTERS = 300
TEXT_CHARACTERS = 4_000

STATEMENT_CHARACTERS = 1 * MIB
"""The longest statement that is looked into; statements that hold rows are read a row at a time."""

TOKENS = 1_000_000
VALUE_BYTES = 8 * MIB
"""The longest value of a SQLite image that is fetched."""

SECONDS = 12.0
SQL_SECONDS = 8.0
"""How long statements are looked at; what was found until then is shown."""

COUNT_SECONDS = 1.0
"""How long the rows of one table of a SQLite image are counted before their number stays unknown."""
