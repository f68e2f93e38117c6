"""Reads the rows of literal INSERTs from the bytes of a script, whole blocks at a time, without running them.

Whatever is not plain is left alone as a whole: the script then goes through SQLite (see `sql_text`), so that what is
accepted, what is refused and what it means never depend on this package.
"""
