// The types that the values of one property of relationships have: one scan of all relationships.
// Identifiers: __NAME__, the property.
// Parameters: none.
// Returns: type, as valueType() words it; count.
MATCH ()-[r]->()
WHERE r.__NAME__ IS NOT NULL
RETURN valueType(r.__NAME__) AS type, count(*) AS count
