// How many relationships of one type run between each pair of label sets: one scan of the type.
// Identifiers: __TYPE__.
// Parameters: none.
// Returns: sources and targets, lists of labels; count.
MATCH (source)-[:__TYPE__]->(target)
RETURN labels(source) AS sources, labels(target) AS targets, count(*) AS count
