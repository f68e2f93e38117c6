"""Jobs as child processes of this one."""

import subprocess
import sys
from pathlib import Path
from typing import IO

LOG_FILE = "worker.log"


class LocalProcess:
    """A child that runs one job. It ends with its parent: its standard input closes, however the parent dies."""

    def __init__(self, process: "subprocess.Popen[bytes]") -> None:
        self._process = process

    @property
    def pid(self) -> int:
        """The child's process id."""
        return self._process.pid

    def wait(self, timeout: float) -> bool:
        """Wait up to `timeout` seconds; True once the child has ended."""
        try:
            self._process.wait(timeout)
        except subprocess.TimeoutExpired:
            return False
        if self._process.stdin is not None:
            self._process.stdin.close()
        return True

    def kill(self) -> None:
        """End the child at once."""
        self._process.kill()


class LocalProcessRunner:
    """Runs `python -m <module> <job folder>` for each job; what it prints goes to the folder's worker.log."""

    def __init__(self, module: str) -> None:
        self._module = module

    def start(self, folder: Path) -> LocalProcess:
        """Start the job whose order lies in `folder`."""
        with (folder / LOG_FILE).open("ab") as log:
            return LocalProcess(self._spawn(folder, log))

    def _spawn(self, folder: Path, log: IO[bytes]) -> "subprocess.Popen[bytes]":
        return subprocess.Popen(  # noqa: S603 - our own interpreter and module
            [sys.executable, "-P", "-m", self._module, str(folder)],
            stdin=subprocess.PIPE,
            stdout=log,
            stderr=log,
            cwd=folder,
            start_new_session=True,
        )
