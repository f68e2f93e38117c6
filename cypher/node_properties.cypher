// The properties of nodes with the Java types of their values: one scan of all nodes inside Neo4j.
// Parameters: none.
// Returns: name; types, a list of words such as Long and StringArray.
CALL db.schema.nodeTypeProperties() YIELD propertyName, propertyTypes
WHERE propertyName IS NOT NULL
RETURN propertyName AS name, propertyTypes AS types
