// All relationships, from the count store.
// Parameters: none.
// Returns: count.
MATCH ()-[r]->() RETURN count(r) AS count
