// How many relationships of one type begin and end at nodes of each label, from the count store: no scan.
// Identifiers: __STARTS__ and __ENDS__, a COUNT subquery for each label, such as COUNT { (:`A`)-[:`T`]->() }.
// Parameters: none.
// Returns: starts and ends, a list of counts each, in the order of the labels.
RETURN [__STARTS__] AS starts, [__ENDS__] AS ends
