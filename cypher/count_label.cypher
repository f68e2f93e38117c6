// The nodes of one label, from the count store.
// Identifiers: __LABEL__.
// Parameters: none.
// Returns: count.
MATCH (n:__LABEL__) RETURN count(n) AS count
