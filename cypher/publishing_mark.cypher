// The publish that the database is in the middle of.
// Parameters: none.
// Returns: graph and revision; no row if the database is whole.
MATCH (mark:__graphwright_publishing__)
RETURN mark.graph AS graph, mark.revision AS revision
