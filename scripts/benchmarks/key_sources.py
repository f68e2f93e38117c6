"""Sources made here, whose keys are known, each in several styles of names and several sizes, from a seed.

They have what real ones have: role names, units, composite keys, soft references, and columns that only look like keys.
"""

import random
import uuid
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field

from app.tables.column import column_of
from app.tables.schema import ColumnSchema, TableSchema
from app.tables.table import Table
from app.values import Scalar
from scripts.benchmarks.key_truth import Key, KnownDatabase, Reference

Style = Callable[[str], str]

STYLES: dict[str, Style] = {
    "snake": str,
    "pascal": lambda name: "".join(word.capitalize() for word in name.split("_")),
    "camel": lambda name: name.split("_")[0] + "".join(word.capitalize() for word in name.split("_")[1:]),
    "upper": str.upper,
}
SEEDS = (1, 2, 3)


@dataclass
class Draft:
    """A database in the making; names are written in snake case and come out in its style."""

    rng: random.Random
    style: Style
    tables: list[Table] = field(default_factory=list)
    primary_keys: set[Key] = field(default_factory=set)
    foreign_keys: set[Reference] = field(default_factory=set)

    def table(self, name: str, columns: dict[str, Sequence[Scalar]], key: str = "", **references: str) -> None:
        """A table with its key (`"a, b"`) and references (`columns="table(columns)"`, columns joined by two `_`)."""
        title = self.style(name)
        cells = {self.style(column): column_of(list(values)) for column, values in columns.items()}
        schema = TableSchema(title, tuple(map(ColumnSchema, cells)))
        self.tables.append(Table(schema, cells, len(next(iter(columns.values())))))
        if key:
            self.primary_keys.add((title, self._names(key)))
        for own, target in references.items():
            parent, _, keys = target.rstrip(")").partition("(")
            self.foreign_keys.add((title, self._names(own.replace("__", ",")), self.style(parent), self._names(keys)))

    def _names(self, listed: str) -> tuple[str, ...]:
        return tuple(self.style(name.strip()) for name in listed.split(","))

    def some(self, values: Sequence[Scalar], count: int) -> list[Scalar]:
        return self.rng.choices(values, k=count)

    def words(self, count: int) -> list[Scalar]:
        return [f"{self.rng.choice(_FIRST)} {self.rng.choice(_LAST)}" for _ in range(count)]


_FIRST = ("Ada", "Bo", "Cem", "Dina", "Eli", "Fay", "Gus", "Hana", "Ivo", "June")
_LAST = ("Abel", "Brun", "Costa", "Dahl", "Evans", "Falk", "Gray", "Horn", "Ito", "Jung")


def tournament(draft: Draft) -> None:
    """Role names: winner, loser and umpire are not tables."""
    size = draft.rng.randint(60, 300)
    players = (
        range(1, size + 1) if draft.rng.random() < 0.5 else draft.rng.sample(range(100_000, 100_000 + 2 * size), size)
    )
    draft.table(
        "players", {"player_id": players, "name": draft.words(size), "hand": draft.some("LR", size)}, "player_id"
    )
    draft.table(
        "events", {"event_id": [f"E-{i}" for i in range(30)], "draw_size": draft.some([32, 64], 30)}, "event_id"
    )
    rows = 6 * size
    draft.table(
        "matches",
        {
            "match_id": range(1, rows + 1),
            "event_id": draft.some([f"E-{i}" for i in range(30)], rows),
            "winner_id": draft.some(players, rows),
            "loser_id": draft.some(players, rows),
            "best_of": draft.some([3, 5], rows),
            "minutes": draft.some(range(40, 300), rows),
            "winner_rank": draft.some(range(1, 90), rows),
            "loser_rank": draft.some(range(1, 90), rows),
        },
        "match_id",
        event_id="events(event_id)",
        winner_id="players(player_id)",
        loser_id="players(player_id)",
    )
    weeks = [20240101 + 7 * week for week in range(3)]
    draft.table(
        "rankings",
        {
            "ranking_date": [week for week in weeks for _ in players],
            "rank": [place for _ in weeks for place in range(1, size + 1)],
            "player": [one for _ in weeks for one in draft.rng.sample(list(players), size)],
            "points": draft.some(range(10, 9_000), 3 * size),
        },
        "ranking_date, rank",
        player="players(player_id)",
    )


def geography(draft: Draft) -> None:
    """Units and codes: references to a key that is not the primary one."""
    codes = [a + b for a in "ABCDEFGH" for b in "MNOPQRS"]
    countries = draft.rng.sample(codes, 40)
    numbers = draft.rng.sample(range(302_000, 303_000), 40)
    draft.table(
        "countries",
        {"id": numbers, "code": countries, "name": draft.words(40), "continent": draft.some(["EU", "AS"], 40)},
        "id",
    )
    regions = [f"{country}-{i:02}" for country in countries for i in range(1, 5)]
    draft.table(
        "regions",
        {
            "id": range(500_000, 500_000 + len(regions)),
            "code": regions,
            "name": draft.words(len(regions)),
            "iso_country": [region[:2] for region in regions],
        },
        "id",
        iso_country="countries(code)",
    )
    size = draft.rng.randint(200, 600)
    idents = [f"K{i:04}" for i in range(size)]
    homes = draft.some(regions, size)
    draft.table(
        "airports",
        {
            "id": draft.rng.sample(range(1, 4 * size), size),
            "ident": idents,
            "name": draft.words(size),
            "elevation_ft": draft.some(range(9_000), size),
            "iso_country": [str(home)[:2] for home in homes],
            "iso_region": homes,
        },
        "id",
        iso_country="countries(code)",
        iso_region="regions(code)",
    )
    airports = draft.tables[-1].columns[draft.style("id")].to_list()
    rows = 2 * size
    draft.table(
        "runways",
        {
            "id": range(269_000, 269_000 + rows),
            "airport_ref": draft.some(airports, rows),
            "length_ft": draft.some(range(900, 12_000), rows),
            "lighted": draft.some([0, 1], rows),
        },
        "id",
        airport_ref="airports(id)",
    )
    draft.table(
        "navaids",
        {
            "id": range(85_000, 85_000 + size),
            "ident": draft.some([f"N{i}" for i in range(90)], size),
            "iso_country": draft.some(countries, size),
            "associated_airport": draft.some([*idents, None], size),
        },
        "id",
        iso_country="countries(code)",
        associated_airport="airports(ident)",
    )


def shop(draft: Draft) -> None:
    """A user is a customer where there are no users, and raw_ says nothing."""
    size = draft.rng.randint(80, 200)
    draft.table(
        "raw_customers",
        {"id": range(1, size + 1), "first_name": draft.words(size), "last_name": draft.words(size)},
        "id",
    )
    orders = 2 * size
    draft.table(
        "raw_orders",
        {
            "id": range(1, orders + 1),
            "user_id": draft.some(range(1, size + 1), orders),
            "order_date": draft.some([f"2024-01-{day:02}" for day in range(1, 29)], orders),
            "status": draft.some(["placed", "shipped", "returned"], orders),
        },
        "id",
        user_id="raw_customers(id)",
    )
    draft.table(
        "raw_payments",
        {
            "id": range(1, orders + 1),
            "order_id": draft.rng.sample(range(1, orders + 1), orders),
            "payment_method": draft.some(["card", "cash"], orders),
            "amount": draft.some(range(3_000), orders),
        },
        "id",
        order_id="raw_orders(id)",
    )


def league(draft: Draft) -> None:
    """Composite keys of a unit of time and a name of its own, in many tables."""
    people = [f"p{i:04}" for i in range(draft.rng.randint(150, 300))]
    franchises = [f"F{i:02}" for i in range(16)]
    draft.table("people", {"player_id": people, "birth_year": draft.some(range(1950, 2000), len(people))}, "player_id")
    draft.table("teams_franchises", {"franch_id": franchises, "franch_name": draft.words(16)}, "franch_id")
    years = range(1990, 2010)
    seasons = [
        (year, f"{franchise[1:]}{'x' if year < 2000 else 'y'}", franchise) for year in years for franchise in franchises
    ]
    draft.table(
        "teams",
        {
            "year_id": [year for year, _, _ in seasons],
            "lg_id": draft.some(["AL", "NL"], len(seasons)),
            "team_id": [team for _, team, _ in seasons],
            "franch_id": [franchise for _, _, franchise in seasons],
            "wins": draft.some(range(50, 110), len(seasons)),
        },
        "year_id, team_id",
        franch_id="teams_franchises(franch_id)",
    )
    pairs = [(year, team) for year, team, _ in seasons]
    for name, share in (("salaries", 9), ("fielding", 7), ("pitching", 5)):
        rows = sorted(
            {(*draft.rng.choice(pairs), draft.rng.choice(people)) for _ in range(share * len(people))}, key=str
        )
        draft.table(
            name,
            {
                "year_id": [row[0] for row in rows],
                "team_id": [row[1] for row in rows],
                "player_id": [row[2] for row in rows],
                "amount": draft.some(range(1, 9_000), len(rows)),
            },
            "year_id, team_id, player_id",
            player_id="people(player_id)",
            year_id__team_id="teams(year_id, team_id)",
        )
    finals = [(year, name) for year in years for name in ("CS", "WS")]
    draft.table(
        "series",
        {
            "year_id": [year for year, _ in finals],
            "round": [name for _, name in finals],
            "team_id_winner": [draft.rng.choice([team for year, team in pairs if year == one]) for one, _ in finals],
            "team_id_loser": [draft.rng.choice([team for year, team in pairs if year == one]) for one, _ in finals],
        },
        "year_id, round",
        year_id__team_id_winner="teams(year_id, team_id)",
        year_id__team_id_loser="teams(year_id, team_id)",
    )


def bestiary(draft: Draft) -> None:
    """Small numbers, copies of keys, and columns that share a word with a table."""
    rng, size = draft.rng, draft.rng.randint(40, 90)
    draft.table("warriors", {"id": range(1, size + 1), "identifier": [f"w{i}" for i in range(size)]}, "id")
    draft.table(
        "warrior_names",
        {"warrior_id": range(1, size + 1), "local_language_id": [9] * size, "name": [f"W{i}" for i in range(size)]},
        "warrior_id, local_language_id",
        warrior_id="warriors(id)",
        local_language_id="languages(id)",
    )
    draft.primary_keys.add(
        (draft.style("warrior_names"), (draft.style("warrior_id"), draft.style("local_language_id")))
    )
    draft.table("languages", {"id": range(1, 13), "identifier": [f"l{i}" for i in range(12)]}, "id")
    ranks = [(warrior, rank) for warrior in range(1, size + 1) for rank in range(1, rng.randint(2, 4))]
    draft.table(
        "warrior_ranks",
        {"id": range(1, len(ranks) + 1), "warrior_id": [w for w, _ in ranks], "rank": [r for _, r in ranks]},
        "id",
        warrior_id="warriors(id)",
    )
    draft.table(
        "encounter_slots", {"id": range(1, 21), "slot": [i % 10 + 1 for i in range(20)], "rarity": [5] * 20}, "id"
    )
    draft.table("types", {"id": range(1, 19), "identifier": [f"t{i}" for i in range(18)]}, "id")
    draft.table(
        "stats", {"id": range(1, 9), "identifier": [f"s{i}" for i in range(8)], "game_index": range(1, 9)}, "id"
    )
    draft.table("move_targets", {"id": range(1, 17), "identifier": [f"m{i}" for i in range(16)]}, "id")
    draft.table(
        "move_ranges",
        {"id": range(1, 12), "identifier": [f"r{i}" for i in range(11)], "targets": draft.some([1, 2, 3, 6], 11)},
        "id",
    )
    beasts = [(beast, slot) for beast in range(1, 151) for slot in range(1, rng.randint(2, 3))]
    draft.table("beast_species", {"id": range(1, 151), "identifier": [f"b{i}" for i in range(150)]}, "id")
    draft.table(
        "beast_types",
        {
            "species_id": [beast for beast, _ in beasts],
            "type_id": draft.some(range(1, 19), len(beasts)),
            "slot": [slot for _, slot in beasts],
        },
        "species_id, slot",
        species_id="beast_species(id)",
        type_id="types(id)",
    )
    draft.table(
        "beast_stats",
        {
            "species_id": [beast for beast in range(1, 151) for _ in range(6)],
            "stat_id": [stat for _ in range(150) for stat in range(1, 7)],
            "base_stat": draft.some(range(1, 9), 900),
            "effort": draft.some([0, 1, 2, 3], 900),
        },
        "species_id, stat_id",
        species_id="beast_species(id)",
        stat_id="stats(id)",
    )


def school(draft: Draft) -> None:
    """Keys of three columns, lines within orders, and references to them."""
    rng = draft.rng
    draft.table("courses", {"course_id": range(1, 41), "title": [f"c{i}" for i in range(40)]}, "course_id")
    students = rng.randint(120, 240)
    draft.table("students", {"student_id": range(1, students + 1), "name": draft.words(students)}, "student_id")
    sections = [
        (c, term, n) for c in range(1, 41) for term in ("F23", "S24", "F24") for n in range(1, rng.randint(2, 4))
    ]
    draft.table(
        "sections",
        {
            "course_id": [c for c, _, _ in sections],
            "term": [term for _, term, _ in sections],
            "section_no": [n for _, _, n in sections],
            "room": draft.some(range(100, 140), len(sections)),
        },
        "course_id, term, section_no",
        course_id="courses(course_id)",
    )
    rows = sorted({(*rng.choice(sections), rng.randint(1, students)) for _ in range(8 * students)})
    draft.table(
        "enrolments",
        {
            "course_id": [row[0] for row in rows],
            "term": [row[1] for row in rows],
            "section_no": [row[2] for row in rows],
            "student_id": [row[3] for row in rows],
            "grade": draft.some("ABCDE", len(rows)),
        },
        "course_id, term, section_no, student_id",
        course_id="courses(course_id)",
        student_id="students(student_id)",
        course_id__term__section_no="sections(course_id, term, section_no)",
    )
    bills = range(1, 301)
    lines = [(bill, line) for bill in bills for line in range(1, rng.randint(2, 6))]
    draft.table(
        "bills",
        {"bill_id": bills, "student_id": draft.some(range(1, students + 1), 300)},
        "bill_id",
        student_id="students(student_id)",
    )
    draft.table(
        "bill_lines",
        {
            "bill_id": [bill for bill, _ in lines],
            "line_no": [line for _, line in lines],
            "course_id": draft.some(range(1, 41), len(lines)),
            "amount": draft.some(range(10, 900), len(lines)),
        },
        "bill_id, line_no",
        bill_id="bills(bill_id)",
        course_id="courses(course_id)",
    )


def office(draft: Draft) -> None:
    """Soft references that dangle, roles of people, random identifiers, and columns that are unique by chance."""
    rng = draft.rng
    staff = [str(uuid.UUID(int=rng.getrandbits(128))) for _ in range(rng.randint(60, 120))]
    draft.table(
        "employees",
        {
            "employee_id": staff,
            "manager_id": [None, *(staff[rng.randrange(place + 1)] for place in range(len(staff) - 1))],
            "salary": rng.sample(range(30_000, 90_000), len(staff)),
        },
        "employee_id",
        manager_id="employees(employee_id)",
    )
    draft.table("departments", {"dept_no": [f"d{i:03}" for i in range(12)], "dept_name": draft.words(12)}, "dept_no")
    rows = 10 * len(staff)
    lost = [str(uuid.UUID(int=rng.getrandbits(128))) for _ in range(4)]
    draft.table(
        "tickets",
        {
            "ticket_id": rng.sample(range(10_000, 90_000), rows),
            "reporter_id": draft.some(staff, rows),
            "assignee_id": draft.some([*staff, *lost[:2]], rows),
            "dept_no": draft.some([f"d{i:03}" for i in range(12)], rows),
            "priority": draft.some([1, 2, 3], rows),
            "opened_at": [f"2024-03-{i % 28 + 1:02}T{i % 24:02}:00" for i in range(rows)],
        },
        "ticket_id",
        reporter_id="employees(employee_id)",
        assignee_id="employees(employee_id)",
        dept_no="departments(dept_no)",
    )
    tickets = draft.tables[-1].columns[draft.style("ticket_id")].to_list()
    draft.table(
        "ticket_comments",
        {
            "comment_id": range(1, 2 * rows + 1),
            "ticket_id": draft.some([*tickets, 1], 2 * rows),
            "author_id": draft.some(staff, 2 * rows),
            "likes": draft.some(range(20), 2 * rows),
        },
        "comment_id",
        ticket_id="tickets(ticket_id)",
        author_id="employees(employee_id)",
    )


KINDS = (tournament, geography, shop, league, bestiary, school, office)


def generated_databases(kinds: Sequence[Callable[[Draft], None]] = KINDS) -> Iterator[KnownDatabase]:
    """These kinds in every style, each with several seeds."""
    for kind in kinds:
        for style, written in STYLES.items():
            for seed in SEEDS:
                draft = Draft(random.Random(f"{kind.__name__} {style} {seed}"), written)
                kind(draft)
                yield KnownDatabase(
                    kind.__name__, draft.tables, frozenset(draft.primary_keys), frozenset(draft.foreign_keys)
                )
