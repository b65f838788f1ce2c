package store

import (
	"context"
	"encoding/json"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"syscall"
	"time"
)

// commitRunPattern are the names of runs: those of NewRunID, those that a player gives
// itself, and those of runs within them.
var commitRunPattern = regexp.MustCompile(`^[0-9a-z]{1,64}(\.[0-9]{1,9}){0,8}$`)

// notePattern are the names of notes: the steps that lead to a run within the run, then the
// step that was sent.
var notePattern = regexp.MustCompile(`^[0-9]+(\.[0-9]+)*\.json$`)

// maxCommitSize is far more than a note has.
const maxCommitSize = 4 << 10

// storedCommit is a note as it stands in a file, whose name says of which step. That
// the file is there says that the step was sent; what is in it, what became of that.
type storedCommit struct {
	Sent time.Time `json:"sent,omitzero"`
	Done bool      `json:"done"`
}

type dirCommits struct{ *dir }

func (d dirCommits) Sending(ctx context.Context, run string, step int) error {
	return d.note(ctx, run, step, func(path string) error {
		return createFile(path, encodeCommit(storedCommit{Sent: time.Now().UTC()}))
	})
}

func (d dirCommits) Settled(ctx context.Context, run string, step int, done bool) error {
	return d.note(ctx, run, step, func(path string) error {
		now, err := readCommit(path)
		absent := errors.Is(err, fs.ErrNotExist)
		switch {
		case err != nil && !absent:
			return err
		case done && !now.Done:
			now.Done = true
			return writeFile(filepath.Join(d.root, runsDir), path, encodeCommit(now))
		case done || absent:
			return nil
		case now.Done:
			return ErrSent
		}
		return removeFile(path)
	})
}

func (d dirCommits) Sent(ctx context.Context, run string) (map[int]bool, error) {
	if err := d.ready(ctx); err != nil {
		return nil, err
	}
	if !commitRunPattern.MatchString(run) {
		return nil, &InvalidCommitError{Run: run}
	}
	dir, prefix := d.place(run)
	entries, err := os.ReadDir(dir)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, pathError("list", dir, err)
	}
	sent := map[int]bool{}
	for _, e := range entries {
		name, ours := strings.CutPrefix(e.Name(), prefix)
		name, isNote := strings.CutSuffix(name, ".json")
		step, err := strconv.Atoi(name)
		if !ours || !isNote || err != nil {
			continue // of a run within this one, or another's
		}
		note, err := readCommit(filepath.Join(dir, e.Name()))
		if errors.Is(err, fs.ErrNotExist) {
			continue // taken back meanwhile
		}
		if err != nil {
			return nil, err
		}
		sent[step] = note.Done
	}
	return sent, nil
}

func (d dirCommits) Unresolved(ctx context.Context, run string) (bool, error) {
	if err := d.ready(ctx); err != nil {
		return false, err
	}
	if !commitRunPattern.MatchString(run) {
		return false, &InvalidCommitError{Run: run}
	}
	dir, prefix := d.place(run)
	entries, err := os.ReadDir(dir)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return false, pathError("list", dir, err)
	}
	for _, e := range entries {
		name, ours := strings.CutPrefix(e.Name(), prefix)
		if !ours || !notePattern.MatchString(name) {
			continue
		}
		note, err := readCommit(filepath.Join(dir, e.Name()))
		if errors.Is(err, fs.ErrNotExist) {
			continue // taken back meanwhile
		}
		if err != nil || !note.Done {
			return err == nil, err
		}
	}
	return false, nil
}

// note changes the note of a step.
func (d dirCommits) note(ctx context.Context, run string, step int, change func(path string) error) error {
	if err := d.ready(ctx); err != nil {
		return err
	}
	if !commitRunPattern.MatchString(run) || step < 0 {
		return &InvalidCommitError{run, step}
	}
	dir, prefix := d.place(run)
	return d.write(ctx, func() error {
		return change(filepath.Join(dir, prefix+strconv.Itoa(step)+".json"))
	})
}

// place gives the directory of a run's notes, and what their names begin with: those
// of a run within another stand beside the other's.
func (d dirCommits) place(run string) (dir, prefix string) {
	outermost, within, nested := strings.Cut(run, ".")
	if nested {
		prefix = within + "."
	}
	return filepath.Join(d.root, runsDir, outermost, commitsDir), prefix
}

func encodeCommit(c storedCommit) []byte {
	data, err := json.Marshal(c)
	if err != nil {
		return nil // a time and a bool: cannot happen; an empty note is one too
	}
	return append(data, '\n')
}

// readCommit reads a note. One that is torn says that the step was sent, which is all
// that its writer had come to.
func readCommit(path string) (storedCommit, error) {
	data, _, err := readFile(path, maxCommitSize)
	if err != nil {
		return storedCommit{}, err
	}
	var c storedCommit
	if json.Unmarshal(data, &c) != nil {
		return storedCommit{}, nil
	}
	return c, nil
}

// createFile makes a file that must not be there yet, durably. The name is taken
// first: whoever finds it knows that somebody was here, whatever has become of them.
func createFile(path string, data []byte) error {
	if err := makeDir(filepath.Dir(path)); err != nil {
		return err
	}
	f, err := os.OpenFile(path, os.O_WRONLY|os.O_CREATE|os.O_EXCL|syscall.O_NOFOLLOW, filePerm)
	if errors.Is(err, fs.ErrExist) {
		return ErrSent
	}
	if err != nil {
		return pathError("save", path, err)
	}
	_, err = f.Write(data)
	err = errors.Join(err, f.Sync(), f.Close())
	if err == nil {
		err = syncDir(filepath.Dir(path))
	}
	if err != nil {
		_ = os.Remove(path) // nothing is sent after an error; where this fails too, it counts as sent
		return pathError("save", path, err)
	}
	return nil
}
