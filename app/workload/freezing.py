"""The frozen workload: plans that nobody may change, and their digest."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from app.budget import check_deadline
from app.errors import PlanInvalidError, WorkloadChangedError, WorkloadInvalidError
from app.tables.schema import RelationalSchema
from app.values import canonical_sha256
from app.workload.binding.bind import bind_plan
from app.workload.binding.cell_types import CellTypes
from app.workload.binding.parsing import parse_plan
from app.workload.bound import BoundPlan
from app.workload.fingerprint import semantic_fingerprint
from app.workload.plan import Plan


@dataclass(frozen=True)
class FrozenWorkload:
    """Plans and the same plans bound, in order; `workload_sha256` is the digest of the normalised documents."""

    plans: tuple[Plan, ...]
    bound: tuple[BoundPlan, ...]
    workload_sha256: str

    def __len__(self) -> int:
        return len(self.plans)

    @property
    def documents(self) -> list[dict[str, Any]]:
        """The normalised plans as the report's `queries` shows them, copied anew."""
        return [plan.normalised() for plan in self.plans]

    def verify(self) -> None:
        """Raise `WorkloadChangedError` unless the plans still have their digest."""
        found = canonical_sha256(self.documents)
        if found != self.workload_sha256:
            raise WorkloadChangedError(
                "The frozen workload changed after it was frozen.",
                hint="Build again; results against a changed workload prove nothing.",
                expected=self.workload_sha256,
                found=found,
            )


def freeze(
    documents: Sequence[object],
    schema: RelationalSchema,
    query_count: int,
    stored: CellTypes | None = None,
) -> FrozenWorkload:
    """Check and freeze exactly `query_count` plans, given as documents or `Plan`s.

    Raises `WorkloadInvalidError`: a wrong count, or all that is wrong with single plans in `where["problems"]` (each
    with `plan`, `reason` and `message`), duplicates of an id or of a meaning included.
    """
    if len(documents) != query_count:
        raise WorkloadInvalidError(
            f"The workload has {len(documents)} plans; query_count says {query_count}.",
            hint="Give exactly query_count plans, or set query_count to their number.",
            found=len(documents),
            expected=query_count,
        )
    checker = _Checker(schema, stored)
    for document in documents:
        check_deadline()
        checker.add(document)
    checker.raise_problems()
    digest = canonical_sha256([plan.normalised() for plan in checker.plans])
    return FrozenWorkload(tuple(checker.plans), tuple(checker.bound), digest)


class _Checker:
    """Collects valid plans and problems, one plan at a time."""

    def __init__(self, schema: RelationalSchema, stored: CellTypes | None) -> None:
        self._schema = schema
        self._stored = stored
        self._by_fingerprint: dict[str, str] = {}
        self._problems: list[dict[str, object]] = []
        self.plans: list[Plan] = []
        self.bound: list[BoundPlan] = []

    def add(self, document: object) -> None:
        try:
            plan = parse_plan(document)
            bound = bind_plan(plan, self._schema, self._stored)
        except PlanInvalidError as error:
            self._problems.append({**error.where, "message": error.message, "hint": error.hint})
            return
        if plan.id in {known.id for known in self.plans}:
            self._report(plan, "id_duplicate", f"Plan {plan.id}: another plan has the same id.")
        twin = self._by_fingerprint.setdefault(semantic_fingerprint(bound), plan.id)
        if twin != plan.id:
            self._report(plan, "plan_duplicate", f"Plan {plan.id} asks the same as plan {twin}.")
        self.plans.append(Plan.model_validate(plan.normalised()))
        self.bound.append(bound)

    def _report(self, plan: Plan, reason: str, message: str) -> None:
        hint = "A new id or other words add no coverage; ask something else."
        self._problems.append({"plan": plan.id, "reason": reason, "message": message, "hint": hint})

    def raise_problems(self) -> None:
        """Raise one error with all problems found."""
        if not self._problems:
            return
        first = self._problems[0]
        more = len(self._problems) - 1
        others = f" ({more} more {'problem' if more == 1 else 'problems'}.)" if more else ""
        raise WorkloadInvalidError(
            f"{first['message']}{others}",
            hint=str(first["hint"]),
            plan=first.get("plan"),
            reason=first["reason"],
            problems=self._problems,
        )
