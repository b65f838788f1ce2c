package store

import "github.com/go-reprise/reprise/automation"

// What follows is for the packages of other stores, so that each keeps the same
// text and refuses the same things.

// Encode gives the text in which a document is kept at a revision, and what reading
// that gives, which is a copy of its own. It refuses what is not valid and what looks
// like a secret.
func Encode(a *automation.Automation, revision int) ([]byte, *automation.Automation, error) {
	return encode(a, revision)
}

// EncodeRun gives the text in which the record of a run is kept. It refuses what
// Validate does.
func EncodeRun(r Run) ([]byte, error) {
	if err := r.Validate(); err != nil {
		return nil, err
	}
	return encodeRun(r)
}

// DecodeRun reads what EncodeRun gives.
func DecodeRun(data []byte) (Run, error) { return decodeRun(data) }

// CheckCommit says that a step of a run cannot be noted, as an *InvalidCommitError.
func CheckCommit(run string, step int) error {
	if !commitRunPattern.MatchString(run) || step < 0 {
		return &InvalidCommitError{run, step}
	}
	return nil
}
