import pytest

from app.graph.model.names import foreign_key_type, next_free, upper_snake
from app.tables.schema import ForeignKey


@pytest.mark.parametrize(
    ("columns", "ref_table", "expected"),
    [
        (["SupportRepId"], "Employee", "SUPPORT_REP"),
        (["ReportsTo"], "Employee", "REPORTS_TO"),
        (["artist_id"], "artist", "ARTIST"),
        (["id"], "medical condition", "MEDICAL_CONDITION"),
        (["PlaylistId", "TrackId"], "Entry", "PLAYLIST_TRACK"),
        (["employeeID"], "Employee", "EMPLOYEE"),
        (["a.b"], "t", "A_B"),
        (["paid"], "t", "PAID"),
        (["--"], "--", "--"),
    ],
)
def test_foreign_key_type(columns: list[str], ref_table: str, expected: str) -> None:
    assert foreign_key_type(ForeignKey("child", tuple(columns), ref_table, ("x",) * len(columns))) == expected


def test_upper_snake_keeps_acronyms_and_digits_together() -> None:
    assert [upper_snake(name) for name in ("HTTPServer", "line2Item", "äÖ x")] == ["HTTP_SERVER", "LINE2_ITEM", "ÄÖ_X"]


def test_next_free_counts_from_two() -> None:
    assert next_free("TO", {"TO", "TO_2"}) == "TO_3"
