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

VALUE_BYTES = 8 * MIB
"""The longest value of a SQLite image that is fetched."""

SECONDS = 12.0
DEFINITION_SECONDS = 6.0
"""How long the definitions of a script are looked at; what was found until then is shown."""

ROW_SECONDS = 4.0
"""How long the rows of SQL text are looked at before their numbers stay unknown."""

COUNT_SECONDS = 1.0
"""How long the rows of one table of a SQLite image are counted before their number stays unknown."""
