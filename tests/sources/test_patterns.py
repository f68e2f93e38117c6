import re
import sys

import pytest

from app.sources import sql_lexicon
from app.sources.patterns import with_atomic_groups


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
]


@pytest.mark.skipif(sys.version_info < (3, 11, 5), reason="this Python matches possessive groups wrongly")
@pytest.mark.parametrize("text", TEXTS)
@pytest.mark.parametrize("name", ["SPACE", "INSERT", "ROW", "TOKENS"])
def test_the_atomic_form_means_the_same(name: str, text: str) -> None:
    part = getattr(sql_lexicon, name)
    pattern = part.pattern if isinstance(part, re.Pattern) else part
    forms = [re.compile(form, re.VERBOSE | re.IGNORECASE) for form in (pattern, with_atomic_groups(pattern))]
    ends = [found and found.end() for found in (form.match(text) for form in forms)]
    assert ends[0] == ends[1]
