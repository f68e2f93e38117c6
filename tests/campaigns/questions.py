"""Random plans over any schema, as documents: every operator, function, join and order of the DSL."""

from collections.abc import Mapping, Sequence
from random import Random
from typing import Any

from app.tables.schema import RelationalSchema, TableSchema
from app.tables.table import Table
from app.values import Scalar

Document = dict[str, Any]

_SCALAR_OPS = ("eq", "ne", "lt", "le", "gt", "ge")
_OPS = (*_SCALAR_OPS, "in", "contains", "is_null", "not_null", "not_null")
_STRANGE: tuple[Scalar, ...] = (
    0, 1, -1, 2.0, 0.5, -0.0, 2**53 + 1, -(2**63), 2**63 - 1, 9007199254740992.0, 1e300, "", " ", "a", "A ", "1", "01",
    " 1 ", "0.0", "1e1", "1e400", "-1e400", "9e999", "9223372036854775808", "0x1F", "1_0", "ä", "%", True, False,
)  # fmt: skip
_PARTS = ("", "a", "A", " ", "0", ".0", "1", "e", "-", "e+", "5", "0.0", "ä")


class Questions:
    """Draws plans over one source."""

    def __init__(self, random: Random, schema: RelationalSchema, tables: Mapping[str, Table]) -> None:
        self._random = random
        self._schema = schema
        self._tables = tables

    def plan(self) -> Document:
        """A plan; those that the DSL refuses by its types are for the caller to drop."""
        root = self._random.choice([table.name for table in self._schema])
        aliases = {"t0": self._schema.table(root)}
        joins = [join for _ in range(self._random.choice((0, 0, 1, 1, 2, 2, 3))) for join in self._join(aliases)]
        filters = [self._filter(aliases) for _ in range(self._random.choice((0, 0, 0, 1, 1, 2)))]
        document = {
            "id": "q",
            "question": "?",
            "root": {"table": root, "alias": "t0"},
            "joins": joins,
            "filters": filters,
            **self._outputs(aliases),
        }
        return {**document, **self._order(document)}

    def _join(self, aliases: dict[str, TableSchema]) -> list[Document]:
        """A hop from an alias to a new one, which is added; none where no key leads anywhere."""
        hops = [
            (alias, key, forward)
            for alias, table in aliases.items()
            for key in self._schema.foreign_keys
            for forward in (True, False)
            if (key.table if forward else key.ref_table) == table.name
        ]
        if not hops:
            return []
        # A chain is as likely as a star.
        last = [hop for hop in hops if hop[0] == f"t{len(aliases) - 1}"]
        source, key, forward = self._random.choice(last if last and self._random.random() < 0.5 else hops)
        alias, table = f"t{len(aliases)}", key.ref_table if forward else key.table
        aliases[alias] = self._schema.table(table)
        return [
            {
                "from": source,
                "table": table,
                "alias": alias,
                "foreign_key": key.to_dict(),
                "direction": "forward" if forward else "reverse",
                "type": "left" if self._random.random() < 0.35 else "inner",
            }
        ]

    def _references(self, aliases: Mapping[str, TableSchema]) -> list[str]:
        return [f"{alias}.{column}" for alias, table in aliases.items() for column in table.column_names]

    def _filter(self, aliases: Mapping[str, TableSchema]) -> Document:
        reference = self._random.choice(self._references(aliases))
        op = self._random.choice(_OPS)
        if op in ("is_null", "not_null"):
            return {"column": reference, "op": op}
        if op == "contains":
            return {"column": reference, "op": op, "value": self._random.choice(_PARTS)}
        alias, _, name = reference.partition(".")
        held = [value for value in self._tables[aliases[alias].name].columns[name].to_list()[:50] if value is not None]
        value: Any = [self._constant(held) for _ in range(self._random.randint(1, 4))]
        return {"column": reference, "op": op, "value": value if op == "in" else value[0]}

    def _constant(self, held: Sequence[Scalar]) -> Scalar:
        """A value of the column, one near it, or a strange one."""
        if not held or self._random.random() < 0.3:
            return self._random.choice(_STRANGE)
        value = self._random.choice(held)
        near: tuple[Scalar, ...] = (value, value, value, str(value))
        if isinstance(value, str):
            near = (value, value, value.swapcase(), value + " ", value[:-1])
        return self._random.choice(near)

    def _outputs(self, aliases: Mapping[str, TableSchema]) -> Document:
        references, random = self._references(aliases), self._random
        if random.random() < 0.35:
            return {
                "projection": self._projection(random.sample(references, min(len(references), random.randint(1, 4))))
            }
        root_key = [f"t0.{name}" for name in aliases["t0"].primary_key]
        group_by = random.choice(([], root_key, root_key, self._sample(references), self._sample(references)))
        functions = random.choices(("count", "sum", "avg", "min", "max"), k=random.randint(0 if group_by else 1, 4))
        aggregations = [self._aggregation(number, name, references) for number, name in enumerate(functions)]
        projection = self._sample(group_by) if aggregations else group_by
        return {"projection": self._projection(projection), "group_by": group_by, "aggregations": aggregations}

    def _sample(self, references: Sequence[str]) -> list[str]:
        return self._random.sample(references, min(len(references), self._random.randint(0, 3)))

    def _projection(self, references: Sequence[str]) -> list[Any]:
        named = self._random.random() < 0.3
        return [{"column": column, "as": f"p{n}"} if named else column for n, column in enumerate(references)]

    def _aggregation(self, number: int, function: str, references: Sequence[str]) -> Document:
        star = function == "count" and self._random.random() < 0.4
        return {"function": function, "column": "*" if star else self._random.choice(references), "as": f"a{number}"}

    def _order(self, document: Document) -> Document:
        projected = [item if isinstance(item, str) else item["as"] for item in document["projection"]]
        names = projected + [item["as"] for item in document.get("aggregations", [])]
        self._random.shuffle(names)
        limit = self._random.choice((None, None, None, 1, 2, 3, 10))
        kept = names if limit is not None else names[: self._random.randint(0, len(names))]
        order_by = [{"column": name, "direction": self._random.choice(("asc", "desc"))} for name in kept]
        return {"order_by": order_by, "limit": limit}
