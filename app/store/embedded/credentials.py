"""The embedded server's one user: a generated password, kept where only its owner can read it."""

import hashlib
import os
import secrets
from pathlib import Path

from app.store.servers.files import write_private

USERNAME = "neo4j"
_ITERATIONS = 1024
_SALT_BYTES = 32


def embedded_password(folder: Path) -> str:
    """The password kept in `folder`, generated on first use."""
    path = folder / "password"
    try:
        return path.read_text(encoding="utf-8").strip()
    except FileNotFoundError:
        write_private(path, secrets.token_urlsafe(24))
        return path.read_text(encoding="utf-8").strip()


def write_initial_password(home: Path, username: str, password: str) -> None:
    """Give a store that does not exist yet its only credential, so that Neo4j's default never works.

    The format is that of `neo4j-admin dbms set-initial-password`.
    """
    salt = os.urandom(_SALT_BYTES)
    digest = hashlib.sha256(salt + password.encode("utf-8")).digest()
    for _ in range(_ITERATIONS - 1):
        digest = hashlib.sha256(digest).digest()
    line = f"{username}:SHA-256,{digest.hex().upper()},{salt.hex().upper()},{_ITERATIONS}:\n"
    write_private(home / "data" / "dbms" / "auth.ini", line)
