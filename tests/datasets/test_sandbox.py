"""What happens to the parent while its child is killed, crashes, or takes all it can get."""

import os
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import psutil
import pytest

from app.datasets.sandbox import MIB, SandboxLimits, run_in_sandbox
from app.errors import CellInvalidError, FileSystemError, SourceParserFailedError, TimeBudgetExhaustedError

ROOT = Path(__file__).parents[2]
LIMITS = SandboxLimits(256 * MIB, 20.0)


@pytest.fixture(autouse=True)
def _tasks_of_tests_can_be_imported(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PYTHONPATH", str(ROOT))


def run(task: str, argument: Any = None, limits: SandboxLimits = LIMITS) -> Any:
    return run_in_sandbox(f"tests.datasets.sandbox_tasks:{task}", {"argument": argument}, limits)


def sent(argument: Any) -> dict[str, Any]:
    return {"argument": argument}


def test_an_answer_comes_back_from_another_process() -> None:
    assert run("echo", ["ü", 1.5, None]) == sent(["ü", 1.5, None])
    assert run("process_id") != os.getpid()


def test_the_tasks_own_errors_come_back_as_they_are() -> None:
    with pytest.raises(CellInvalidError, match="no") as caught:
        run("refuse", "t")
    assert caught.value.to_dict() == {
        "code": "cell_invalid",
        "message": "no",
        "hint": "yes",
        "where": {"table": {"argument": "t"}, "row": 3},
    }


@pytest.mark.parametrize(
    ("task", "message"),
    [
        ("crash", "was ended by SIGSEGV"),
        ("be_killed", "was ended by SIGKILL"),
        ("exhaust_python", "ran out of the memory"),
        ("recurse", "nested too deep"),
        ("fail", "a fault of its own"),
        ("exit_early", "ended with status 3"),
    ],
)
def test_a_child_that_dies_is_one_clean_error(task: str, message: str) -> None:
    others = psutil.Process().children()
    with pytest.raises(SourceParserFailedError, match=message) as caught:
        run(task)
    if task == "fail":
        assert str(caught.value.where["fault"]).startswith("ZeroDivisionError at sandbox_tasks.py:")
    assert set(psutil.Process().children()) <= set(others), "no child stays behind"


def test_memory_is_bounded_for_native_code_too() -> None:
    task = "tests.datasets.sandbox_tasks:exhaust_natively"
    assert run_in_sandbox("tests.datasets.sandbox_tasks:echo", {}, LIMITS) == {}
    with pytest.raises(SourceParserFailedError, match="SIGABRT"):
        run_in_sandbox(task, 512 * MIB, LIMITS)
    assert run_in_sandbox(task, 128 * MIB, LIMITS) == 0


def test_arrow_takes_no_more_than_it_uses() -> None:
    assert run_in_sandbox("tests.datasets.sandbox_tasks:encode_texts", 100_000, SandboxLimits(64 * MIB, 20.0)) == 1_000


def test_a_task_that_checks_its_deadline_says_so_itself() -> None:
    with pytest.raises(TimeBudgetExhaustedError, match="ran out during reading the source"):
        run("spin", limits=SandboxLimits(64 * MIB, 0.2))


def test_a_task_that_never_looks_at_the_clock_is_ended(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("app.datasets.sandbox._GRACE_SECONDS", 2.0)
    started = time.monotonic()
    with pytest.raises(TimeBudgetExhaustedError, match="was ended"):
        run("hang", limits=SandboxLimits(64 * MIB, 0.2))
    assert time.monotonic() - started < 10


def test_too_long_an_answer_is_not_taken() -> None:
    with pytest.raises(SourceParserFailedError, match="an answer that is too long"):
        run("talk_too_much")


def test_the_child_writes_no_files(tmp_path: Path) -> None:
    with pytest.raises(FileSystemError):
        run_in_sandbox("tests.datasets.sandbox_tasks:write_a_file", str(tmp_path / "f"), LIMITS)
    assert not (tmp_path / "f").exists() or not (tmp_path / "f").stat().st_size


def test_the_child_ends_with_a_parent_that_is_killed() -> None:
    script = (
        "from app.datasets.sandbox import SandboxLimits, run_in_sandbox\n"
        "run_in_sandbox('tests.datasets.sandbox_tasks:hang', {}, SandboxLimits(1 << 26, 500.0))\n"
    )
    parent = subprocess.Popen([sys.executable, "-c", script], cwd=ROOT)
    try:
        end = time.monotonic() + 20
        while not (children := psutil.Process(parent.pid).children()) and time.monotonic() < end:
            time.sleep(0.05)
        parent.send_signal(signal.SIGKILL)
        parent.wait()
        assert children
        gone, alive = psutil.wait_procs(children, timeout=20)
        assert gone
        assert not alive
    finally:
        parent.kill()
        parent.wait()
