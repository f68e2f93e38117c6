// Creates one batch of relationships of one type, parallel ones and self-loops included.
// Identifiers: __TYPE__.
// Parameters: $size, how many; $sources and $targets, lists of $size internal node ids.
// Returns: created, how many were created.
UNWIND range(0, $size - 1) AS i
MATCH (source) WHERE id(source) = $sources[i]
MATCH (target) WHERE id(target) = $targets[i]
CREATE (source)-[r:__TYPE__]->(target)
RETURN count(r) AS created
