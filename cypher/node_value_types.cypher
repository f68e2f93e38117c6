// The types that the values of one property of nodes have: one scan of all nodes.
// Identifiers: __NAME__, the property.
// Parameters: none.
// Returns: type, as valueType() words it; count.
MATCH (n)
WHERE n.__NAME__ IS NOT NULL
RETURN valueType(n.__NAME__) AS type, count(*) AS count
