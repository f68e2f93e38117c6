// Whether relationships of one type run between two patterns as asked, and the other way round.
// Identifiers: __TYPE__; __SOURCE__ and __TARGET__, labels with their colons, or nothing.
// Parameters: none.
// Returns: forward, backward.
RETURN EXISTS { MATCH (__SOURCE__)-[:__TYPE__]->(__TARGET__) } AS forward,
       EXISTS { MATCH (__TARGET__)-[:__TYPE__]->(__SOURCE__) } AS backward
