"""The smallest script that still fails in the same way."""

import time
from dataclasses import replace
from pathlib import Path

from tests.campaigns.dumps.campaign import Case, Result, Server, run


def shrunk(case: Case, wanted: Result, server: Server, folder: Path, seconds: float) -> tuple[Case, Result]:
    """Take away what does not matter, one thing after another, for at most so many seconds."""
    end, best, smaller = time.monotonic() + seconds, wanted, True
    while smaller:
        smaller, place = False, 0
        candidates = list(case.script.smaller())
        while place < len(candidates) and time.monotonic() < end:
            candidate = replace(case, script=candidates[place])
            result = run(candidate, server, folder)
            if (result.outcome, result.reason) == (wanted.outcome, wanted.reason):
                case, best, smaller = candidate, result, True
                candidates = list(case.script.smaller())
            else:
                place += 1
    return case, best
