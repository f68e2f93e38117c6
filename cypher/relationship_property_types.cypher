// The properties of relationships of one type with every type that their values have: one scan of the type.
// Identifiers: __TYPE__.
// Parameters: none.
// Returns: name; type, as valueType() words it; count.
MATCH ()-[r:__TYPE__]->()
UNWIND keys(r) AS name
RETURN name, valueType(r[name]) AS type, count(*) AS count
