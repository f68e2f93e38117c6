"""One join of a plan: a declared foreign key, whole, in its own direction."""

from collections.abc import Mapping

from app.errors import ForeignKeyInvalidError, NotFoundError, PlanInvalidError
from app.errors.wording import listed
from app.tables.schema import ForeignKey, RelationalSchema, TableSchema
from app.values import fold_identifier
from app.workload.binding.reasons import Reason, refusal
from app.workload.bound import BoundJoin
from app.workload.plan import Join


def require_table(plan: str, schema: RelationalSchema, name: str) -> TableSchema:
    """The table of that name, or a refusal."""
    try:
        return schema.table(name)
    except NotFoundError:
        raise refusal(
            plan,
            Reason.UNKNOWN_TABLE,
            f"there is no table {name!r}.",
            f"The tables are {listed(schema.tables)}.",
            table=name,
        ) from None


def bind_join(plan: str, join: Join, tables: Mapping[str, TableSchema], schema: RelationalSchema) -> BoundJoin:
    """The join bound to the aliases before it."""
    _check_alias(plan, join, tables)
    source = _source(plan, join, tables)
    target = require_table(plan, schema, join.table)
    key = _declared(plan, join, schema)
    forward = join.direction == "forward"
    child, parent = (tables[source].name, target.name) if forward else (target.name, tables[source].name)
    if (child, parent) != (key.table, key.ref_table):
        raise refusal(
            plan,
            Reason.JOIN_DIRECTION,
            f"join {join.alias} goes {join.direction} over {key.label} from {tables[source].name} to {target.name}.",
            "forward goes from the table that declares the key to the referenced one, reverse the other way.",
            alias=join.alias,
        )
    return BoundJoin(source, join.alias, target.name, key, forward, join.type == "left")


def _check_alias(plan: str, join: Join, tables: Mapping[str, TableSchema]) -> None:
    if not join.alias or "." in join.alias or not join.alias.isprintable():
        raise refusal(plan, Reason.ALIAS_INVALID, f"{join.alias!r} cannot be an alias.", alias=join.alias)
    if fold_identifier(join.alias) in map(fold_identifier, tables):
        raise refusal(plan, Reason.ALIAS_DUPLICATE, f"alias {join.alias!r} is taken.", alias=join.alias)


def _source(plan: str, join: Join, tables: Mapping[str, TableSchema]) -> str:
    for alias in tables:
        if fold_identifier(alias) == fold_identifier(join.source):
            return alias
    raise refusal(
        plan,
        Reason.UNKNOWN_ALIAS,
        f"join {join.alias} starts from {join.source!r}, which is not an alias before it.",
        alias=join.source,
    )


def _declared(plan: str, join: Join, schema: RelationalSchema) -> ForeignKey:
    wanted = join.foreign_key.to_key()
    try:
        if len(wanted.columns) != len(wanted.ref_columns):
            raise _undeclared(plan, wanted)
        return schema.foreign_key(wanted)
    except ForeignKeyInvalidError:
        raise _swapped(plan, wanted, schema) or _undeclared(plan, wanted) from None


def _undeclared(plan: str, wanted: ForeignKey) -> PlanInvalidError:
    return refusal(
        plan,
        Reason.FOREIGN_KEY_NOT_DECLARED,
        f"the source declares no foreign key {wanted.label}.",
        "Joins follow declared foreign keys with all their columns; equal values alone are not a relationship.",
        table=wanted.table,
    )


def _swapped(plan: str, wanted: ForeignKey, schema: RelationalSchema) -> PlanInvalidError | None:
    turned = ForeignKey(wanted.ref_table, wanted.ref_columns, wanted.table, wanted.columns)
    try:
        declared = schema.foreign_key(turned)
    except ForeignKeyInvalidError:
        return None
    return refusal(
        plan,
        Reason.FOREIGN_KEY_SWAPPED,
        f"the foreign key is {declared.label}; its child and parent are swapped.",
        "State the key as declared and choose direction reverse instead.",
        table=wanted.table,
    )
