// Creates one batch of nodes of one label; a NULL cell makes no property.
// Identifiers: __LABEL__; __PROPERTIES__, a map of property names to cells $columns[k][i].
// Parameters: $size, how many nodes; $columns, one list of $size cells for each property.
// Returns: ids, the internal ids of the nodes in their order.
UNWIND range(0, $size - 1) AS i
CREATE (n:__LABEL__ __PROPERTIES__)
RETURN collect(id(n)) AS ids
