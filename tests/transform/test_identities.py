"""Sequences of strategies that name, join and rename: no two nodes and no two edges ever have one id."""

from collections import Counter

from hypothesis import note, settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, invariant, rule

from app.errors import TransformError
from app.graph.model.property_graph import PropertyGraph
from app.transform.registry import strategy_named
from tests.support.random_transform import edge_ids, node_ids, random_transformations
from tests.transform.support import market

COLUMNS = (("person", "city"), ("thing", "city"), ("person", "tags"), ("person", "boss"), ("bought", "person_id"))
NAMES = ("X", "Y", "Z")


class Identities(RuleBasedStateMachine):
    """One graph of a source whose columns share values, and few names for many types."""

    def __init__(self) -> None:
        super().__init__()
        self.made = market()
        self.graph = self.made.graph

    def apply(self, tool: str, **arguments: object) -> None:
        strategy = strategy_named(tool)
        try:
            graph = strategy.apply(self.graph, strategy.parse(arguments))
        except TransformError as error:
            note(f"refused: {error.message}")
            return
        assert self.made.integrity.errors(graph, checked=self.graph) == []
        self.graph = graph

    @rule(data=st.data(), tool=st.sampled_from(["generate_entity_table", "unfold_multi_category", "extract"]))
    def make_entities(self, data: st.DataObject, tool: str) -> None:
        table, column = data.draw(st.sampled_from(COLUMNS))
        former = {nodes.identity_type for nodes in self.graph.node_tables.values()} - set(self.graph.node_tables)
        name = data.draw(st.sampled_from(sorted(former) or NAMES))
        if tool != "extract":
            self.apply(tool, table=table, column=column, node_type=name)
            return
        ids = node_ids(self.graph, self.graph.rows_of(table).label)
        some = data.draw(st.lists(st.sampled_from(ids), min_size=1, max_size=2)) if ids else None
        rows: dict[str, object] = {"node_ids": some} if some else {"table": table}
        extract = {"op": "extract_property_node", "property": column, "node_type": name, "edge_type": f"AT_{name}"}
        self.apply("optimize_graph", operations=[extract | rows])

    @rule(data=st.data(), name=st.sampled_from(NAMES))
    def rename(self, data: st.DataObject, name: str) -> None:
        entities = [label for label, nodes in self.graph.node_tables.items() if not nodes.is_rows]
        old = data.draw(st.sampled_from(entities or ["person"]))
        rename = {"op": "rename_type", "target": "node", "old_type": old, "new_type": name}
        self.apply("optimize_graph", operations=[rename])

    @rule(data=st.data())
    def transform(self, data: st.DataObject) -> None:
        tool, arguments = data.draw(random_transformations(self.graph))
        self.apply(tool, **arguments)

    @invariant()
    def each_has_an_id_of_its_own(self) -> None:
        assert _doubled(self.graph) == []


def _doubled(graph: PropertyGraph) -> list[str]:
    ids = Counter(id_ for label in graph.node_tables for id_ in node_ids(graph, label))
    ids.update(id_ for own in edge_ids(graph).values() for id_ in own)
    return [id_ for id_, times in ids.items() if times > 1]


TestIdentities = Identities.TestCase
TestIdentities.settings = settings(stateful_step_count=12)
