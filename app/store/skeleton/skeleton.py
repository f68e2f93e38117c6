"""The skeleton: what a published graph connects with what, counted exactly, as a short text for people and models.

Neo4j scans and groups, and its count store is asked first wherever it says enough; pandas drops what repeats, filters
and ranks. Nothing is sampled, and the sums are compared with the count store.
"""

from collections.abc import Iterable

import pandas as pd

from app.errors import StoreError
from app.store.servers.cypher_text import filled
from app.store.servers.server import Rows, Slot
from app.store.skeleton.connections import Connection, count_connections
from app.store.skeleton.property_types import read_property_types
from app.store.skeleton.text import GraphStructure, Ranked, label_set, skeleton_text

DEFAULT_MIN_COUNT = 1
DEFAULT_TOP_N = 5


def read_structure(slot: Slot) -> GraphStructure:
    """Count everything in the database, exactly; `StoreError` if its own counts contradict that."""
    types = [str(row[0]) for row in slot.rows(filled("relationship_types"))]
    label_sets = slot.rows(filled("label_sets"))
    nodes = _node_counts(label_sets)
    edges = _edge_counts(count_connections(slot, types, [labels for labels, _ in label_sets]))
    _reconcile(slot, nodes, edges)
    return GraphStructure(slot.revision, nodes, edges, read_property_types(slot))


def _node_counts(rows: Rows) -> pd.DataFrame:
    frame = pd.DataFrame([(label_set(labels), count) for labels, count in rows], columns=["labels", "count"])
    return _summed(frame, ["labels"]).sort_values(["count", "labels"], ascending=[False, True], ignore_index=True)


def _edge_counts(rows: Iterable[Connection]) -> pd.DataFrame:
    found = [(label_set(sources), type_name, label_set(targets), count) for type_name, sources, targets, count in rows]
    frame = pd.DataFrame(found, columns=["source", "type", "target", "count"])
    return _summed(frame, ["source", "type", "target"])


def _summed(frame: pd.DataFrame, keys: list[str]) -> pd.DataFrame:
    return frame.astype({"count": "int64"}).groupby(keys, as_index=False).agg({"count": "sum"})


def _reconcile(slot: Slot, nodes: pd.DataFrame, edges: pd.DataFrame) -> None:
    counted = {"nodes": int(nodes["count"].sum()), "edges": int(edges["count"].sum())}
    stored = {"nodes": slot.rows(filled("count_nodes"))[0][0], "edges": slot.rows(filled("count_edges"))[0][0]}
    if counted != stored:
        raise StoreError(
            f"Counting {slot.graph} found {counted['nodes']:,} nodes and {counted['edges']:,} edges; "
            f"Neo4j's count store says {stored['nodes']:,} and {stored['edges']:,}.",
            hint="Something else is writing to the database; repeat the command.",
            graph=slot.graph,
        )


def rank(edges: pd.DataFrame, min_count: int, top_n: int) -> Ranked:
    """Drop connections below `min_count`, rank by count, keep `top_n` for each source, and sum up what was dropped."""
    unique = edges.drop_duplicates(["source", "type", "target"], ignore_index=True)
    ordered = unique.sort_values(["count", "source", "type", "target"], ascending=[False, True, True, True])
    shown = ordered[ordered["count"] >= min_count].groupby("source").head(top_n)
    tails = ordered.drop(shown.index).groupby("source").agg(pairs=("count", "size"), edges=("count", "sum"))
    return Ranked(shown, tails)


def build_skeleton(slot: Slot, min_count: int = DEFAULT_MIN_COUNT, top_n: int = DEFAULT_TOP_N) -> str:
    """The skeleton of the slot's graph, with at most `top_n` connections a node type of at least `min_count` edges."""
    structure = read_structure(slot)
    return skeleton_text(structure, rank(structure.edge_counts, min_count, top_n), min_count, top_n)
