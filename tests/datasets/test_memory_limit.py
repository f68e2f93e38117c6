"""Processes that read what strangers sent have a bound on their memory."""

import subprocess
import sys
from pathlib import Path

from app.datasets.jobs import JobFolder, JobOrder
from app.datasets.local_process import LocalProcessRunner
from app.service.builds.options import JobOptions

_LIMITED = """
from app.datasets.memory_limit import limit_memory
limit_memory(64 * 1024 * 1024)
small = bytearray(16 * 1024 * 1024)
try:
    bytearray(128 * 1024 * 1024)
except MemoryError:
    print("refused")
"""


def test_more_than_the_limit_is_refused_and_less_is_not() -> None:
    ended = subprocess.run([sys.executable, "-c", _LIMITED], capture_output=True, text=True, check=True)
    assert ended.stdout == "refused\n"


def test_a_build_job_is_limited(tmp_path: Path) -> None:
    source = tmp_path / "source.sql"
    source.write_text("CREATE TABLE t (a);\n")
    folder = JobFolder(tmp_path / "job")
    folder.write_order(JobOrder("b1", str(source), JobOptions.from_options({}, {}).to_dict()))
    process = LocalProcessRunner("app.service.builds.worker").start(folder.path)
    limits = Path(f"/proc/{process.pid}/limits")
    seen = {limits.read_text().split("Max address space")[1].split()[0]}
    while not process.wait(0.02):
        seen.add(limits.read_text().split("Max address space")[1].split()[0])
    assert any(limit != "unlimited" for limit in seen)
