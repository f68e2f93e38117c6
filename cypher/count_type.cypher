// The relationships of one type, from the count store.
// Identifiers: __TYPE__.
// Parameters: none.
// Returns: count.
MATCH ()-[r:__TYPE__]->() RETURN count(r) AS count
