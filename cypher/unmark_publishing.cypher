// Takes the mark of a publish away: the graph is whole.
// Parameters: none.
// Returns: nothing.
MATCH (mark:__graphwright_publishing__)
DELETE mark
