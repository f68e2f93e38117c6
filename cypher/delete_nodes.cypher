// Deletes one batch of nodes with their relationships, leaving the mark of a publish that is under way.
// Parameters: $limit, how many nodes at most.
// Returns: deleted, how many were deleted.
MATCH (n) WHERE NOT n:__graphwright_publishing__
WITH n LIMIT $limit
DETACH DELETE n
RETURN count(*) AS deleted
