"""Options of pg_dump that change the text, in random sets that it accepts."""

from tests.campaigns.dumps.dump_options import DumpOptions
from tests.campaigns.dumps.words import Dice

_ANYWHERE = (
    "--no-owner",
    "--no-privileges",
    "--quote-all-identifiers",
    "--no-comments",
    "--no-security-labels",
    "--no-tablespaces",
    "--no-publications",
    "--no-subscriptions",
    "--disable-dollar-quoting",
    "--use-set-session-authorization",
    "--encoding=UTF8",
    "--verbose",
    "--no-sync",
    "--load-via-partition-root",
    "--enable-row-security",
    "--no-table-access-method",
    "--strict-names",
    "--lock-wait-timeout=5000",
    "--no-toast-compression",
    "--serializable-deferrable",
    "--blobs",
    "--disable-triggers",
)


def postgres_options(dice: Dice) -> DumpOptions:
    """Options of pg_dump."""
    options = [option for option in _ANYWHERE if dice.maybe(0.08)]
    options += _row_format(dice)
    if dice.maybe(0.15):
        options += ["--clean", "--if-exists"] if dice.maybe(0.7) else ["--clean"]
    if dice.maybe(0.15):
        options.append("--create")
    if dice.maybe(0.05):
        options.append(f"--encoding={dice.pick(('LATIN1', 'WIN1252', 'SQL_ASCII', 'LATIN9'))}")
    digits = 3
    if dice.maybe(0.05):
        digits = dice.pick((0, 1, -3))
        options.append(f"--extra-float-digits={digits}")
    if dice.maybe(0.04):
        some = dice.some(("--clean", "--no-owner", "--inserts", "--quote-all-identifiers"))
        return DumpOptions((("pg_dumpall", *some),))
    zone = dice.pick(("UTC",) * 5 + ("America/New_York", "Asia/Kolkata", "Europe/Berlin"))
    return DumpOptions(_runs(dice, tuple(options)), dice.maybe(0.5), {"digits": str(digits), "zone": zone})


def _row_format(dice: Dice) -> list[str]:
    form = dice.randrange(5)
    if form < 2:
        return []
    options = [("--inserts",), ("--column-inserts",), (f"--rows-per-insert={dice.randint(1, 5)}",)][form - 2]
    more = ["--column-inserts"] if form == 4 and dice.maybe(0.4) else []
    conflict = ["--on-conflict-do-nothing"] if dice.maybe(0.2) else []
    return [*options, *more, *conflict]


def _runs(dice: Dice, options: tuple[str, ...]) -> tuple[tuple[str, ...], ...]:
    """In one run, by schema and data, or by sections."""
    data = tuple(option for option in options if option not in ("--clean", "--if-exists", "--create"))
    if "--disable-triggers" in options:
        schema = tuple(option for option in options if option != "--disable-triggers")
        return (("--schema-only", *schema), ("--data-only", *data))
    if dice.maybe(0.12):
        return (("--schema-only", *options), ("--data-only", *data))
    if dice.maybe(0.08):
        return tuple((f"--section={section}", *data) for section in ("pre-data", "data", "post-data"))
    return (options,)
