"""Options of mariadb-dump that change the text, in random sets that it accepts."""

from tests.campaigns.dumps.dump_options import DumpOptions
from tests.campaigns.dumps.words import Dice

_ANYWHERE = (
    "--compact",
    "--complete-insert",
    "--hex-blob",
    "--replace",
    "--insert-ignore",
    "--skip-quote-names",
    "--order-by-primary",
    "--skip-opt",
    "--skip-extended-insert",
    "--skip-add-drop-table",
    "--skip-add-locks",
    "--skip-comments",
    "--skip-disable-keys",
    "--skip-lock-tables",
    "--no-autocommit",
    "--single-transaction",
    "--routines",
    "--events",
    "--skip-triggers",
    "--skip-dump-date",
    "--skip-set-charset",
    "--skip-create-options",
    "--no-tablespaces",
    "--allow-keywords",
    "--quick",
    "--skip-tz-utc",
    "--add-drop-trigger",
    "--skip-tz-utc",
    "--delete-master-logs=0",
    "--flush-privileges=0",
    "--no-set-names",
    "--comments",
    "--add-locks",
    "--extended-insert",
    "--opt",
    "--dump-history=0",
    "--default-character-set=latin1",
    "--default-character-set=utf8mb3",
    "--compatible=no_table_options",
    "--compatible=ansi",
    "--compatible=no_key_options",
    "--compatible=mysql40",
    "--compatible=postgresql",
    "--net-buffer-length=4096",
)


def mariadb_options(dice: Dice) -> DumpOptions:
    """Options of mariadb-dump; databases are named by `*`, for which the server puts them."""
    options = tuple(option for option in _ANYWHERE if dice.maybe(0.06))
    if not any(
        option.startswith(("--default-character-set", "--no-set-names", "--skip-set-charset")) for option in options
    ):
        options = (*options, "--default-character-set=utf8mb4")
    names = dice.pick(
        (
            ("*",),
            ("*",),
            ("--databases", "*"),
            ("--add-drop-database", "--databases", "*"),
            ("--no-create-db", "--databases", "*"),
        )
    )
    server_zone = dice.pick(("+00:00", "+00:00", "+02:00", "-05:30"))
    charsets = [each.partition("=")[2] for each in options if each.startswith("--default-character-set")]
    session = {
        "dump_charset": charsets[-1] if charsets else "utf8mb4",
        "server_zone": server_zone,
        "zone": server_zone if "--skip-tz-utc" in options else "+00:00",
    }
    if dice.maybe(0.12):
        rows = ("--no-create-info", "--no-create-db", "--skip-triggers", *options, *names)
        return DumpOptions((("--no-data", *options, *names), rows), dice.maybe(0.5), session)
    return DumpOptions(((*options, *names),), session=session)
