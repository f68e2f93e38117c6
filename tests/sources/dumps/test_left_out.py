"""What a dump holds besides tables and rows is left out and named."""

from pathlib import Path

import pytest

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


OTHERS = """
COMMENT ON SCHEMA public IS 'standard public schema';
COMMENT ON EXTENSION "uuid-ossp" IS NULL;
COMMENT ON FUNCTION public.f(a integer, b text[]) IS E'it\\'s';
COMMENT ON CONSTRAINT c ON public.t IS 'x IS y';
COMMENT ON OPERATOR public.=== (integer, integer) IS 'x';
CREATE OPERATOR public.=== (FUNCTION = public.f);
CREATE TABLE t (a int);
"""


def test_comments_on_other_things_are_named(tmp_path: Path) -> None:
    notes = postgres(tmp_path, OTHERS).notes

    assert notes == (
        "Skipped 5 comments: SCHEMA public, EXTENSION uuid-ossp, FUNCTION public.f(a integer, b text[]), "
        "CONSTRAINT c ON public.t, OPERATOR public.=== (integer, integer).",
        "Skipped 1 operator: public.===.",
    )


@pytest.mark.parametrize(("count", "last"), [(13, "s12"), (1_001, "s999 and 1 more")])
def test_notes_have_the_names_of_all_up_to_a_thousand(tmp_path: Path, count: int, last: str) -> None:
    text = "".join(f"CREATE SEQUENCE s{number};\n" for number in range(count))
    [note] = postgres(tmp_path, text + "CREATE TABLE t (a int);").notes

    assert note.startswith(f"Skipped {count} sequences: s0, s1, s2, s3, s4, s5, ")
    assert note.endswith(f", {last}.")


def test_large_objects_are_left_out_and_named(tmp_path: Path) -> None:
    source = postgres(tmp_path, LARGE_OBJECTS)
    notes = "\n".join(source.notes)

    assert column(source, "t", "a") == [16400]
    assert "Skipped 2 large objects: 16400, 16401." in source.notes
    for words in ("2 LOWRITE", "1 LO_OPEN", "1 LO_CLOSE", "2 LO_UNLINK", "1 pg_restore_relation_stats"):
        assert words in notes
