"""A small part of the campaign of dumps (`scripts/chaos dumps`): what PostgreSQL and MariaDB say is what is read."""

from collections import Counter
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.campaigns.dumps.campaign import Kind, Outcome, Server, accepted, case_of, run
from tests.campaigns.dumps.mariadb.server import MariadbServer
from tests.campaigns.dumps.postgres.server import PostgresServer
from tests.campaigns.dumps.private_server import ServerUnavailableError

SEED, CASES = 900_000, 30
KINDS = (Kind.DUMP, Kind.SCRIPT, Kind.DUMP, Kind.SCRIPT, Kind.DUMP, Kind.TYPO)


@pytest.fixture(params=[PostgresServer, MariadbServer], ids=["postgres", "mysql"])
def server(request: pytest.FixtureRequest) -> Iterator[Server]:
    try:
        with request.param.started() as started:
            yield started
    except ServerUnavailableError as error:
        pytest.skip(f"{request.param.__name__}: {error}")


def test_dumps_and_scripts_are_read_as_the_server_reads_them(server: Server, tmp_path: Path) -> None:
    outcomes: Counter[Outcome] = Counter()
    for number in range(CASES):
        case = case_of(SEED + number, server.dialect, KINDS[number % len(KINDS)])
        if case.kind is not Kind.DUMP:
            case = accepted(case, server, tmp_path)
        result = run(case, server, tmp_path)
        outcomes[result.outcome] += 1
        assert not result.failed, f"{case.kind.value} {case.seed}, {case.options}: {result.reason}\n{result.detail}"
    assert outcomes[Outcome.EQUAL] >= CASES // 2, f"most are refused: {outcomes}"
