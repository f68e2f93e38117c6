// The properties of nodes with every type that their values have: one scan of all nodes.
// Parameters: none.
// Returns: name; type, as valueType() words it; count.
MATCH (n)
UNWIND keys(n) AS name
RETURN name, valueType(n[name]) AS type, count(*) AS count
