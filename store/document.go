package store

import (
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"

	"github.com/go-reprise/reprise/automation"
)

// encode gives the text of a document at a revision, and what reading it back
// gives, which is the caller's private copy. A document that would not be read
// again is refused here, before anything is written.
func encode(a *automation.Automation, revision int) ([]byte, *automation.Automation, error) {
	if a == nil {
		return nil, nil, errors.New("store: there is no automation to save: it is nil")
	}
	next := *a
	next.Revision = revision
	data, saved, err := roundTrip(&next)
	if err != nil {
		return nil, nil, fmt.Errorf("store: automation %.60q is not saved: %w", next.Name, err)
	}
	return data, saved, nil
}

// roundTrip validates also before it writes: JSON cannot hold what is not
// UTF-8, and would hold something else instead. What looks like a secret does not
// get that far.
func roundTrip(a *automation.Automation) ([]byte, *automation.Automation, error) {
	if err := errors.Join(a.Validate(), a.CheckSecrets()); err != nil {
		return nil, nil, err
	}
	data, err := automation.Marshal(a)
	if err != nil {
		return nil, nil, err
	}
	saved, err := automation.Parse(data, automation.AnyTools())
	return data, saved, err
}

// readDocument reads the document of a file, which must be the file that its
// name and account call for, and gives what the file was like.
func readDocument(path string) (*automation.Automation, fs.FileInfo, error) {
	data, info, err := readFile(path, automation.MaxSize)
	if err != nil {
		return nil, nil, err
	}
	a, err := automation.Parse(data, automation.AnyTools())
	if err != nil {
		return nil, nil, pathError("read", path, err)
	}
	file, err := fileName(a.Name, a.Match.Account)
	if err == nil && file != filepath.Base(path) {
		err = ErrMisplaced
	}
	if err != nil {
		return nil, nil, misplaced(path, file, a, err)
	}
	// What a person wrote by hand has no revision; 0 would be a new document.
	a.Revision = max(a.Revision, 1)
	return a, info, nil
}

func misplaced(path, file string, a *automation.Automation, err error) error {
	e := &PathError{Op: "read", Path: path, Err: err}
	if file != "" {
		e.Advice = fmt.Sprintf("it holds %s: rename it to %s, or change what it says", describe(a.Name, a.Match.Account), file)
	}
	return e
}

// storedRevision gives the revision that a file holds, 0 when there is none.
func storedRevision(path string) (int, error) {
	a, _, err := readDocument(path)
	if errors.Is(err, fs.ErrNotExist) {
		return 0, nil
	}
	if err != nil {
		return 0, err
	}
	return a.Revision, nil
}
