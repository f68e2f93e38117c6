import json
import shutil
from pathlib import Path

import pytest

from app.build.output import OutputDirectory, built_graph, open_output
from app.errors import NotFoundError, OutputBusyError, OutputError


def stage(output: OutputDirectory, text: str) -> None:
    with output.graph_file() as file:
        file.write(text.encode())
    output.write_report(json.dumps({"report": text}))


def build(path: Path, text: str) -> None:
    with open_output(path) as output:
        stage(output, text)
        output.commit()


def content(path: Path) -> dict[str, str]:
    return {entry.name: entry.read_text() for entry in sorted(path.iterdir())}


def test_a_build_leaves_exactly_its_graph_and_its_report(tmp_path: Path) -> None:
    build(tmp_path / "new" / "out", "one")
    found = content(tmp_path / "new" / "out")
    assert found.keys() == {"graph.json", "evolution-report.json"}
    assert found["graph.json"] == "one"
    assert json.loads(found["evolution-report.json"]) == {"report": "one"}


def test_without_a_commit_the_old_result_stays(tmp_path: Path) -> None:
    build(tmp_path, "one")
    before = content(tmp_path)
    with pytest.raises(RuntimeError, match="stop"), open_output(tmp_path) as output:
        stage(output, "two")
        raise RuntimeError("stop")
    assert content(tmp_path) == before


def test_a_directory_made_for_a_failed_build_is_removed(tmp_path: Path) -> None:
    with open_output(tmp_path / "out") as output:
        stage(output, "one")
    assert not (tmp_path / "out").exists()


def test_other_files_stay(tmp_path: Path) -> None:
    (tmp_path / "notes.txt").write_text("mine")
    build(tmp_path, "one")
    assert content(tmp_path)["notes.txt"] == "mine"


def test_a_failed_report_stands_beside_the_old_result_until_a_build_succeeds(tmp_path: Path) -> None:
    build(tmp_path, "one")
    with open_output(tmp_path) as output:
        output.write_report(json.dumps({"report": "two failed"}))
        output.keep_failed_report()
    assert content(tmp_path).keys() == {"graph.json", "evolution-report.json", "evolution-report.failed.json"}
    assert content(tmp_path)["graph.json"] == "one"
    build(tmp_path, "three")
    assert content(tmp_path).keys() == {"graph.json", "evolution-report.json"}


def interrupted_commit(path: Path, renamed: list[str]) -> None:
    """What a kill leaves after the marker stands and `renamed` files are in place."""
    build(path, "old")
    donor = path.parent / "donor"
    build(donor, "new")
    staging = path / ".graphwright-build"
    staging.mkdir()
    for name in ("graph.json", "evolution-report.json"):
        shutil.copy(donor / name, (path if name in renamed else staging) / name)
    (staging / "commit").touch()


@pytest.mark.parametrize("renamed", [[], ["graph.json"], ["graph.json", "evolution-report.json"]])
def test_a_commit_cut_short_is_finished_by_the_next_reader(tmp_path: Path, renamed: list[str]) -> None:
    path = tmp_path / "out"
    interrupted_commit(path, renamed)
    assert built_graph(path).read_text() == "new"
    assert json.loads(content(path)["evolution-report.json"]) == {"report": "new"}
    assert content(path).keys() == {"graph.json", "evolution-report.json"}


def test_a_second_build_into_the_same_directory_is_refused(tmp_path: Path) -> None:
    with (
        open_output(tmp_path),
        pytest.raises(OutputBusyError, match="Another build"),
        open_output(tmp_path),
    ):
        pass


def test_a_path_that_is_a_file_is_refused(tmp_path: Path) -> None:
    (tmp_path / "out").write_text("a file")
    with pytest.raises(OutputError, match="cannot be written"), open_output(tmp_path / "out"):
        pass
    assert (tmp_path / "out").read_text() == "a file"


def test_a_directory_without_a_graph_is_told(tmp_path: Path) -> None:
    with pytest.raises(NotFoundError, match=r"holds no graph\.json"):
        built_graph(tmp_path)
