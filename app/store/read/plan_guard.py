"""Which statements a guarded read runs: judged by their plan, never by their text.

What is not on the list is refused: operators and procedures that a later Neo4j adds are not trusted unseen.
"""

import re
from collections.abc import Iterator, Mapping
from typing import Any, TypeAlias

from app.errors import CypherRefusedError

Plan: TypeAlias = Mapping[str, Any]

_OPERATORS = frozenset(
    """
    AllNodesScan AntiConditionalApply AntiSemiApply Apply Argument AssertSameNode AssertSameRelationship
    BidirectionalRepeat CacheProperties CartesianProduct ConditionalApply Distinct DynamicLabelNodeLookup Eager
    EagerAggregation EmptyResult EmptyRow Expand Filter Input IntersectionNodeByLabelsScan LeftOuterHashJoin
    LetAntiSemiApply LetSelectOrAntiSemiApply LetSelectOrSemiApply LetSemiApply Limit MultiNodeIndexSeek
    NodeByElementIdSeek NodeByIdSeek NodeByLabelScan NodeCountFromCountStore NodeHashJoin NodeIndexContainsScan
    NodeIndexEndsWithScan NodeIndexScan NodeIndexSeek NodeIndexSeekByRange NodeUniqueIndexSeek
    NodeUniqueIndexSeekByRange NullifyMetadata Optional OptionalExpand OrderedAggregation OrderedDistinct OrderedUnion
    PartialSort PartialTop PreserveOrder ProcedureCall ProduceResults ProjectEndpoints Projection
    RelationshipCountFromCountStore RemoteBatchProperties Repeat RightOuterHashJoin RollUpApply SelectOrAntiSemiApply
    SelectOrSemiApply SemiApply ShortestPath ShowConstraints ShowIndexes Skip Sort StatefulShortestPath
    SubtractionNodeByLabelsScan Top Top1WithTies TriadicBuild TriadicFilter TriadicSelection UnionNodeByLabelsScan
    Union Unwind UnwindCollection ValueHashJoin VarLengthExpand
    """.split()  # noqa: SIM905
)

_RELATIONSHIP_OPERATORS = re.compile(
    r"(?:Directed|Undirected)(?:AllRelationshipsScan|UnionRelationshipTypesScan|"
    r"Relationship(?:ByElementIdSeek|ByIdSeek|TypeScan|IndexContainsScan|IndexEndsWithScan|IndexScan|IndexSeek|"
    r"IndexSeekByRange|UniqueIndexSeek|UniqueIndexSeekByRange|TypeLookup))"
)

_PROCEDURES = frozenset(
    """
    db.info db.labels db.ping db.propertyKeys db.relationshipTypes db.schema.nodeTypeProperties
    db.schema.relTypeProperties db.schema.visualization db.index.fulltext.listAvailableAnalyzers
    db.index.fulltext.queryNodes db.index.fulltext.queryRelationships db.index.vector.queryNodes
    db.index.vector.queryRelationships apoc.meta.data apoc.meta.graph apoc.meta.schema apoc.meta.stats
    apoc.meta.nodeTypeProperties apoc.meta.relTypeProperties
    """.split()  # noqa: SIM905
)

_REFUSED_OPERATORS = {
    "LoadCSV": ("load_csv", "LOAD CSV reads files and web pages"),
    "TerminateTransactions": ("administration", "TERMINATE ends the work of others"),
    "ShowSettings": ("administration", "SHOW SETTINGS tells how the server is set up"),
    "ShowTransactions": ("administration", "SHOW TRANSACTIONS tells what others do"),
    "AdministrationCommand": ("administration", "it is an administration command"),
    "TransactionApply": ("own_transactions", "IN TRANSACTIONS commits on its own"),
    "TransactionForeach": ("own_transactions", "IN TRANSACTIONS commits on its own"),
}

_ALLOWED = "Ask with MATCH … RETURN, and with db.labels(), db.relationshipTypes() and db.propertyKeys()."


def check_plan(plan: Plan | None, query_type: str | None, database: str) -> None:
    """Raise `CypherRefusedError` unless every part of the plan only reads the graph in `database`."""
    operators = list(walk(plan)) if plan is not None else []
    for operator in operators:
        _check_named_refusals(operator)
    if query_type in ("w", "rw"):
        raise _refused("writes", "it would change the database")
    if query_type != "r" or not operators:
        raise _refused("administration", "it administers the server instead of reading the graph")
    for operator in operators:
        _check_operator(operator, database.lower())


def walk(plan: Plan) -> Iterator[Plan]:
    """The operators of a plan, parents before children."""
    yield plan
    for child in plan.get("children", ()):
        yield from walk(child)


def operator_name(operator: Plan) -> str:
    """The operator's name without database and variant, for example Expand for `Expand(All)@neo4j`."""
    return str(operator["operatorType"]).partition("@")[0].partition("(")[0]


def details(operator: Plan) -> str:
    """What the plan says about the operator beyond its name."""
    return str(operator.get("args", {}).get("Details", ""))


def _check_named_refusals(operator: Plan) -> None:
    name = operator_name(operator)
    if name in _REFUSED_OPERATORS:
        raise _refused(*_REFUSED_OPERATORS[name])
    if name == "ProcedureCall":
        _check_procedure(details(operator).partition("(")[0])


def _check_operator(operator: Plan, database: str) -> None:
    name = operator_name(operator)
    bare = name.removeprefix("Partitioned").removeprefix("Dynamic")
    if not {name, bare} & _OPERATORS and not _RELATIONSHIP_OPERATORS.fullmatch(bare):
        raise _refused("unknown_operator", f"{name} is not among the operations that only read the graph")
    where = str(operator["operatorType"]).partition("@")[2].lower()
    if where and where != database:
        raise _refused("other_database", f"it uses database {where}; this graph is in {database}")


def _check_procedure(procedure: str) -> None:
    if procedure not in _PROCEDURES:
        raise _refused("procedure", f"procedure {procedure} is not among those that only read the graph")


def _refused(reason: str, why: str) -> CypherRefusedError:
    return CypherRefusedError(f"The statement was not run: {why}.", hint=_ALLOWED, reason=reason)
