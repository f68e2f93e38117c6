"""What is committed holds no index address, foreign host, secret or machine path."""

import re
import subprocess
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
TEXTS = ("", ".py", ".md", ".txt", ".toml", ".yml", ".yaml", ".json", ".cfg", ".sql", ".cypher", ".sh", ".lock", ".csv")

ALLOWED_HOSTS = frozenset({"localhost", "127.0.0.1", "example.org", "sqlite.org", "repo1.maven.org", "docs.neo4j.com"})
"""Hosts that may be written down: this machine, reserved names, and documentation."""

FORBIDDEN = {
    "an index address": re.compile(r"--(extra-)?index-url|--find-links|--trusted-host|pypi\.org|pythonhosted", re.I),
    "a machine path": re.compile(r"(?<![\w.])/(?:work|home|root|Users)/\w", re.I),
    "a private key": re.compile(r"-----BEGIN [A-Z ]*PRIVATE KEY"),
    "a token": re.compile(r"\b(?:gh[pousr]_\w{30,}|sk-[A-Za-z0-9]{20,}|AKIA[0-9A-Z]{16})\b"),
    "a private address": re.compile(r"\b(?:10\.\d+|192\.168|172\.(?:1[6-9]|2\d|3[01]))\.\d+\.\d+\b"),
}
URL = re.compile(r"\bhttps?://(?:[^\s/@'\"`]*@)?\[?([A-Za-z0-9.-]+)")


def committed_texts() -> list[Path]:
    listing = subprocess.run(["git", "ls-files", "-z"], cwd=ROOT, capture_output=True, check=False)
    if listing.returncode:
        pytest.skip("not a git checkout")
    paths = [ROOT / name for name in listing.stdout.decode().split("\0") if name]
    return [path for path in paths if path.suffix in TEXTS and path.is_file() and path != Path(__file__)]


@pytest.mark.parametrize("what", FORBIDDEN)
def test_no_committed_file_holds(what: str) -> None:
    found = [
        f"{path.relative_to(ROOT)}: {match.group()}"
        for path in committed_texts()
        for match in FORBIDDEN[what].finditer(path.read_text(encoding="utf-8", errors="replace"))
    ]
    assert not found, f"{what}: {found[:10]}"


def test_no_committed_file_names_a_foreign_host() -> None:
    found = {
        f"{path.relative_to(ROOT)}: {match.group(1)}"
        for path in committed_texts()
        for match in URL.finditer(path.read_text(encoding="utf-8", errors="replace"))
        if match.group(1).lower() not in ALLOWED_HOSTS and not match.group(1).endswith(".example")
    }
    assert not found, sorted(found)[:20]


def test_the_locks_are_complete() -> None:
    """Each requirement has an exact version and hashes, and the smaller sets are parts of the larger ones."""
    locks = {name: (ROOT / "requirements" / f"{name}.txt").read_text() for name in ("runtime", "dev", "bench")}
    pins = {}
    for name, text in locks.items():
        entries = [entry for entry in re.split(r"\n(?=\S)", text.strip()) if not entry.startswith("#")]
        assert all(re.match(r"[\w.-]+(\[[\w,]+\])?==\S+", entry) and "--hash=sha256:" in entry for entry in entries)
        pins[name] = {entry.split()[0] for entry in entries}
    assert pins["runtime"] < pins["dev"] < pins["bench"]
