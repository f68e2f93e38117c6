// The properties of relationships with the Java types of their values: one scan of all relationships inside Neo4j.
// Parameters: none.
// Returns: name; types, a list of words such as Long and StringArray.
CALL db.schema.relTypeProperties() YIELD propertyName, propertyTypes
WHERE propertyName IS NOT NULL
RETURN propertyName AS name, propertyTypes AS types
