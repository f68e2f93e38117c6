import re
import sys

import pytest

from app.sources.sql.lexing.line_ends import TEXT_WITH_LINE_ENDS
from app.sources.sql.lexing.patterns import WORD_PART, WORD_START, with_atomic_groups
from app.sources.sql.running.inserts import INSERT, PLAIN_INSERT, ROW, SQLITE


@pytest.mark.parametrize(
    ("pattern", "expected"),
    [
        (r"a*+b", r"a*+b"),
        (r"[^*]++", r"[^*]++"),
        (r"(?:ab)*+", r"(?>(?:ab)*)"),
        (r"(?P<x>ab){1,3}+c", r"(?>(?P<x>ab){1,3})c"),
        (r"\)*+", r"\)*+"),
        (r"((?:a|b)?+c)++", r"(?>((?>(?:a|b)?)c)+)"),
        (r"[)(]*+(?i:x)?+", r"[)(]*+(?>(?i:x)?)"),
        (r"(a)+", r"(a)+"),
    ],
)
def test_only_possessive_groups_change(pattern: str, expected: str) -> None:
    assert with_atomic_groups(pattern) == expected


TEXTS = [
    "/***** x ****/ ",
    "-- a\n/* b */ ;",
    "'it''s' , 1.5e-3",
    "INSERT INTO t VALUES (1,'a;b'),(-2.5,NULL) ;",
    'INSERT INTO "a""b" (x, y) VALUES (0x1F, \'\');',
    "INSERT INTO t VALUES (1, 2",
    r"INSERT INTO t VALUES(replace('a\n','\n',char(10)),replace(replace('\r(\n7)','\r',char(13)),'(\n7)',char(10)));",
    r"replace(replace('\r(\n7)','\r',char(13)),'(\n7)',char(10))",
    r"replace('\N','\N',char(10))",
]


@pytest.mark.skipif(sys.version_info < (3, 11, 5), reason="this Python matches possessive groups wrongly")
@pytest.mark.parametrize("text", TEXTS)
@pytest.mark.parametrize(
    "pattern",
    [SQLITE.space, INSERT, PLAIN_INSERT, ROW, TEXT_WITH_LINE_ENDS],
    ids=["space", "INSERT", "plain INSERT", "row", "text with line ends"],
)
def test_the_atomic_form_means_the_same(pattern: str, text: str) -> None:
    forms = [re.compile(form, re.VERBOSE) for form in (pattern, with_atomic_groups(pattern))]
    ends = [found and found.end() for found in (form.match(text) for form in forms)]
    assert ends[0] == ends[1]


@pytest.mark.parametrize(
    ("quick", "plain"),
    [(WORD_START, r"[A-Za-z_\u0080-\U0010ffff]"), (WORD_PART, r"[A-Za-z0-9_$\u0080-\U0010ffff]")],
)
def test_the_quick_classes_of_names_mean_the_plain_ones(quick: str, plain: str) -> None:
    flags = re.VERBOSE | re.IGNORECASE | re.ASCII
    characters = [*map(chr, range(0x200)), "\u0800", "\ud800", "\uffff", "\U0010ffff"]
    quickly, plainly = ([re.match(form, each, flags) is not None for each in characters] for form in (quick, plain))
    assert quickly == plainly
