// The relationship types in use or once used.
// Parameters: none.
// Returns: type.
CALL db.relationshipTypes() YIELD relationshipType AS type
RETURN type ORDER BY type
