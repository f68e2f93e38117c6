"""Reads the rows of a SQLite image from its pages, whole blocks of them at once.

Fetching cells through SQLite costs 100 ns and more each, however it is done. Its file format is documented, stable and
made for being read in place (https://sqlite.org/fileformat2.html), and numpy decodes the records of a thousand
pages together for a fraction of that. SQLite itself still checks the pages, gives the schema, and reads whatever is
unusual: rows with overflow pages, or with fewer fields than columns, and columns with BLOBs or numbers that are not
finite. What is read here is never trusted: each position is checked against its page before it is used.
"""
