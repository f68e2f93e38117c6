"""The random sources themselves: they must reach what they promise, or tests built on them prove little."""

from hypothesis import find, given

from tests.support.random_source import RandomSource, random_sources


@given(random_sources())
def test_every_statement_runs_and_no_target_key_repeats(source: RandomSource) -> None:
    rows = source.rows()

    assert sum(map(len, rows.values())) == sum(statement.startswith("INSERT") for statement in source.statements)


def test_there_are_self_references_composite_keys_and_cycles() -> None:
    def composite_self_reference(source: RandomSource) -> bool:
        connection = source.connect()
        tables = [name for (name,) in connection.execute("SELECT name FROM sqlite_master WHERE type = 'table'")]
        for table in tables:
            keys = connection.execute("SELECT id, seq, [table] FROM pragma_foreign_key_list(?)", (table,)).fetchall()
            if any(seq == 1 and parent == table for _, seq, parent in keys):
                return True
        return False

    assert find(random_sources(), composite_self_reference)
