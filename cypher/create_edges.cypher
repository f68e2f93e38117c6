// Creates one batch of relationships of one type, parallel ones and self-loops included.
// A NULL cell makes no property.
// Identifiers: __TYPE__; __PROPERTIES__, a map of property names to cells $columns[k][i].
// Parameters: $size, how many; $sources and $targets, lists of $size internal node ids; $columns, one list of $size
// cells for each property.
// Returns: created, how many were created.
UNWIND range(0, $size - 1) AS i
MATCH (source) WHERE id(source) = $sources[i]
MATCH (target) WHERE id(target) = $targets[i]
CREATE (source)-[r:__TYPE__ __PROPERTIES__]->(target)
RETURN count(r) AS created
