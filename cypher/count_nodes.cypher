// All nodes, from the count store.
// Parameters: none.
// Returns: count.
MATCH (n) RETURN count(n) AS count
