"""The embedded server's process: who starts it, who joins it, and that it never outlives its users."""

import json
import os
import signal
import stat
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from dataclasses import asdict, replace
from pathlib import Path

import neo4j
import pytest

from app.errors import StoreInUseError, UnreachableError
from app.store.embedded import launch
from app.store.embedded.client import ServerClient
from app.store.embedded.credentials import USERNAME, embedded_password
from app.store.embedded.open_stores import OpenStores
from app.store.embedded.protocol import ServerFiles, ServerState
from app.store.servers.config import StoreSettings
from app.store.servers.files import is_locked, try_lock

USER = """
import json, sys, time
from pathlib import Path
from app.store.embedded import launch
from app.store.servers.config import StoreSettings

data, cache, home = map(Path, sys.argv[1:4])
client = launch.connect(StoreSettings(data, cache))
if home.name:
    client.request("open", home=str(home))
print("ready", flush=True)
time.sleep(300)
"""


@pytest.fixture
def own(embedded_settings: StoreSettings, tmp_path: Path) -> Iterator[StoreSettings]:
    """Settings of a data directory that has no server yet."""
    settings = replace(embedded_settings, data_dir=tmp_path / "own")
    yield settings
    launch.stop(files_of(settings))


def files_of(settings: StoreSettings) -> ServerFiles:
    return ServerFiles(settings.embedded_dir.resolve())


def started_elsewhere(settings: StoreSettings, home: str = "") -> "subprocess.Popen[bytes]":
    command = [sys.executable, "-c", USER, str(settings.data_dir), str(settings.cache_dir), home]
    process = subprocess.Popen(command, stdout=subprocess.PIPE)
    assert process.stdout is not None
    with process.stdout as output:
        assert output.readline() == b"ready\n"
    return process


def eventually(holds: Callable[[], bool], seconds: float = 20.0) -> bool:
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        if holds():
            return True
        time.sleep(0.05)
    return False


def killed(process: "subprocess.Popen[bytes]") -> None:
    process.send_signal(signal.SIGKILL)
    process.wait()


def test_a_killed_user_leaves_no_server(own: StoreSettings) -> None:
    user = started_elsewhere(own, str(own.data_dir / "neo4j" / "graphs" / "g" / "1"))
    files = files_of(own)
    state = ServerState.read(files)
    assert state is not None
    assert is_locked(files.lock)
    killed(user)
    assert eventually(lambda: not is_locked(files.lock))
    assert eventually(lambda: not alive(state.pid))
    assert not files.state.exists()


def alive(pid: int) -> bool:
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] != "Z"


def test_a_second_user_joins_and_keeps_the_server_when_the_first_is_killed(own: StoreSettings) -> None:
    first = started_elsewhere(own)
    second = launch.connect(own)
    assert second.request("status")["clients"] == 2
    killed(first)
    assert eventually(lambda: second.request("status")["clients"] == 1)
    pid = second.request("status")["pid"]
    second.close()
    assert eventually(lambda: not alive(pid))


def test_a_persistent_server_outlives_its_starter_until_it_is_stopped(own: StoreSettings) -> None:
    starter = started_elsewhere(own)
    client = launch.connect(own)
    client.request("persist")
    client.close()
    killed(starter)
    time.sleep(0.5)
    status = launch.connect(own)
    assert status.request("status")["persists"] is True
    status.close()
    assert launch.stop(files_of(own)) is True
    assert not is_locked(files_of(own).lock)
    assert launch.stop(files_of(own)) is False


def test_a_killed_server_leaves_a_state_that_is_cleaned_up(own: StoreSettings) -> None:
    client = launch.connect(own)
    os.kill(client.request("status")["pid"], signal.SIGKILL)
    with pytest.raises(UnreachableError, match="has ended"):
        client.request("status")
    files = files_of(own)
    assert files.state.exists()
    again = launch.connect(own)
    assert again.request("status")["clients"] == 1
    again.close()
    client.close()


def test_the_store_of_a_process_that_does_not_answer_is_in_use(own: StoreSettings) -> None:
    files = files_of(own)
    holder = (
        "import sys, time; from pathlib import Path; from app.store.servers.files import try_lock\n"
        "with try_lock(Path(sys.argv[1])) as held: print(held, flush=True); time.sleep(60)"
    )
    with subprocess.Popen([sys.executable, "-c", holder, str(files.lock)], stdout=subprocess.PIPE) as process:
        assert process.stdout is not None
        assert process.stdout.readline() == b"True\n"
        try:
            with pytest.raises(StoreInUseError, match="does not answer"):
                launch.join(files, seconds=0.3)
        finally:
            process.kill()


def test_only_the_owner_can_read_password_and_state(client: ServerClient) -> None:
    for path in (client.files.folder / "password", client.files.state):
        assert stat.S_IMODE(path.stat().st_mode) == 0o600
    assert stat.S_IMODE(client.files.folder.stat().st_mode) == 0o700
    assert embedded_password(client.files.folder) not in client.files.log.read_text(encoding="utf-8")


def test_only_the_generated_password_opens_bolt_and_only_on_loopback(client: ServerClient) -> None:
    home = str(client.files.folder / "guarded-store")
    port = client.request("open", home=home)
    uri = f"bolt://127.0.0.1:{port}"
    for auth in (("neo4j", "neo4j"), ("neo4j", ""), None):
        with (
            neo4j.GraphDatabase.driver(uri, auth=auth) as driver,
            pytest.raises(neo4j.exceptions.ClientError, match=r"(?i)unauth|credential|authentication"),
        ):
            driver.verify_connectivity()
    with neo4j.GraphDatabase.driver(uri, auth=(USERNAME, embedded_password(client.files.folder))) as driver:
        driver.verify_connectivity()
    assert listening_addresses(port) == {"0100007F"}
    client.request("release", home=home)


def listening_addresses(port: int) -> set[str]:
    """Local addresses, in hexadecimal, of the sockets that listen on the port."""
    found = set()
    for table in ("/proc/net/tcp", "/proc/net/tcp6"):
        for line in Path(table).read_text().splitlines()[1:]:
            address, _, state = line.split()[1:4]
            if state == "0A" and int(address.rpartition(":")[2], 16) == port:
                found.add(address.rpartition(":")[0][-8:])
    return found


def test_a_stranger_without_the_token_is_not_answered(client: ServerClient) -> None:
    state = ServerState.read(client.files)
    assert state is not None
    assert launch.greeted(replace(state, token="guess")) is None
    assert json.loads(state.to_json()) == asdict(state)


def test_a_lock_is_free_again_when_its_block_ends(tmp_path: Path) -> None:
    with try_lock(tmp_path / "lock") as first, try_lock(tmp_path / "lock") as second:
        assert (first, second) == (True, False)
    assert not is_locked(tmp_path / "lock")


class Opened:
    """A store that only notes whether it is open."""

    def __init__(self, home: Path) -> None:
        self.home, self.port, self.is_open = home, hash(home), True

    def close(self) -> None:
        self.is_open = False


def test_the_least_recently_used_idle_store_is_closed(tmp_path: Path) -> None:
    stores = OpenStores(Opened, limit=2)
    homes = [tmp_path / name for name in "abcd"]
    for home in homes[:2]:
        stores.lease(home, "me")
        stores.release(home, "me")
    stores.lease(homes[0], "me")
    stores.lease(homes[2], "me")
    assert list(stores.open_homes()) == [homes[0], homes[2]]
    stores.lease(homes[3], "me")
    assert len(stores.open_homes()) == 3, "leased stores stay open"
    stores.release_all("me")
    stores.lease(homes[1], "me")
    assert list(stores.open_homes()) == [homes[3], homes[1]]


def test_a_retired_store_is_deleted_when_its_last_lease_ends(tmp_path: Path) -> None:
    stores = OpenStores(Opened, limit=2)
    home = tmp_path / "old"
    home.mkdir()
    stores.lease(home, "reader")
    stores.lease(home, "reader")
    stores.retire(home)
    stores.release(home, "reader")
    assert home.exists()
    stores.release(home, "reader")
    assert not home.exists()
    assert stores.open_homes() == {}
