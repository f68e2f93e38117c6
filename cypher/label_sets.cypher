// How many nodes each set of labels has: one scan of all nodes.
// Parameters: none.
// Returns: labels, a list; count.
MATCH (n)
RETURN labels(n) AS labels, count(*) AS count
