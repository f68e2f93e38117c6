"""A database that ends early is damaged, wherever it ends."""

from pathlib import Path

import pytest

from app.errors import SourceError
from app.inspect.preview.preview import preview_source
from app.sources.load import load_source
from app.sources.options import SourceOptions
from tests.support.sql_tables import sql_tables

FULL_SCALE = SourceOptions.from_options({"resource_profile": "full_scale", "unsupported": "skip"})
IMAGE = sql_tables("CREATE TABLE t (id INTEGER PRIMARY KEY, a TEXT); INSERT INTO t VALUES (1, 'x');").image


@pytest.mark.parametrize("size", [16, 17, 18, 19, 20, 27, 59, 99, 100, 511, 512, len(IMAGE) - 1])
@pytest.mark.parametrize("suffix", [".db", ".csv", ".sql"])
def test_an_image_that_ends_early_is_damaged(tmp_path: Path, size: int, suffix: str) -> None:
    path = tmp_path / f"x{suffix}"
    path.write_bytes(IMAGE[:size])
    for options in (SourceOptions(), FULL_SCALE):
        with pytest.raises(SourceError) as caught:
            load_source(path, options)
        assert caught.value.code == "source_damaged"
        assert caught.value.where["file"] == path.name
    with pytest.raises(SourceError) as caught:
        preview_source(path)
    assert caught.value.code == "source_damaged"
