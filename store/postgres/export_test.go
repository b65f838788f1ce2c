package postgres

// What the tests ask the planner about.
const (
	CandidatesSQL = candidatesSQL
	RevisionSQL   = revisionSQL
	CurrentSQL    = currentSQL
	PageSQL       = pageSQL
)

// Hashes lets the tests fill the table of places as Save does.
var Hashes = hashes
