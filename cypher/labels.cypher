// The labels in use or once used.
// Parameters: none.
// Returns: label.
CALL db.labels() YIELD label
RETURN label ORDER BY label
