// Marks the database as holding half a graph; a mark that is there already is taken over.
// Parameters: $graph, the graph's name; $revision, the revision being written.
// Returns: nothing.
OPTIONAL MATCH (old:__graphwright_publishing__)
DELETE old
WITH count(*) AS marks
CREATE (:__graphwright_publishing__ {graph: $graph, revision: $revision})
