"""What a dump holds besides tables and rows is left out and named."""

from pathlib import Path

from tests.sources.dumps.support import column, postgres

LARGE_OBJECTS = r"""
SELECT CASE WHEN EXISTS(SELECT 1 FROM pg_catalog.pg_largeobject_metadata WHERE oid = '16400')
  THEN pg_catalog.lo_unlink('16400') END;
SELECT pg_catalog.lo_unlink('16401');
CREATE TABLE t (a oid);
SELECT pg_catalog.lo_create('16400');
ALTER LARGE OBJECT 16400 OWNER TO postgres;
SELECT lo_create(16401);
INSERT INTO t VALUES (16400);
BEGIN;
SELECT pg_catalog.lo_open('16400', 131072);
SELECT pg_catalog.lowrite(0, '\x4142; it''s');
SELECT pg_catalog.lowrite(0, '\x43');
SELECT pg_catalog.lo_close(0);
COMMIT;
COMMENT ON LARGE OBJECT 16400 IS 'a picture';
GRANT ALL ON LARGE OBJECT 16400 TO x;
SELECT * FROM pg_catalog.pg_restore_relation_stats(
	'version', '180000'::integer,
	'relname', 't'
);
"""


def test_large_objects_are_left_out_and_named(tmp_path: Path) -> None:
    source = postgres(tmp_path, LARGE_OBJECTS)
    notes = "\n".join(source.notes)

    assert column(source, "t", "a") == [16400]
    assert "Skipped 2 large objects: 16400, 16401." in source.notes
    for words in ("2 LOWRITE", "1 LO_OPEN", "1 LO_CLOSE", "2 LO_UNLINK", "1 pg_restore_relation_stats"):
        assert words in notes
