package store

import (
	"context"
	"encoding/json"
	"errors"
	"io/fs"
	"iter"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"
)

const (
	// A record of a hundred thousand steps is smaller than this.
	maxRunSize = 32 << 20

	// maxCommitSize is far more than a note has.
	maxCommitSize = 4 << 10
)

// runExt follows the name of a run's folder.
const runExt = "/run.json"

// dirRuns has a record in runs/ID/run.json.
type dirRuns struct{ records[Run] }

// Runs returns the records of runs.
func (d *dir) Runs() Runs {
	return dirRuns{records[Run]{d, "run", runsDir, runExt, maxRunSize, decodeRun, func(r Run) string { return r.ID }}}
}

// DownloadDir returns the directory in which what a run downloads is saved: runs/ID/downloads.
func (d *dir) DownloadDir(run string) string { return d.Path(runsDir + "/" + run + "/downloads") }

func (d dirRuns) Save(ctx context.Context, r Run) error {
	if err := d.Ready(ctx); err != nil {
		return err
	}
	data, err := EncodeRun(r)
	if err != nil {
		return err
	}
	return d.Write(ctx, func() error { return d.Replace(d.name(r.ID), data) })
}

func (d dirRuns) Get(ctx context.Context, id string) (Run, error) { return d.get(ctx, id) }

func (d dirRuns) List(ctx context.Context) iter.Seq2[RunSummary, error] {
	return newest(ctx, d.records, func(id string, r Run, unread error) RunSummary {
		if unread != nil {
			r = Run{ID: id}
		}
		return RunSummary{r, unread}
	})
}

// ListOf reads all records: a directory has no index of them.
func (d dirRuns) ListOf(ctx context.Context, owner string) iter.Seq2[RunSummary, error] {
	return func(yield func(RunSummary, error) bool) {
		for r, err := range d.List(ctx) {
			if err == nil && (owner == "" || r.Owner != owner) { // one that cannot be read has no owner
				continue
			}
			if !yield(r, err) {
				return
			}
		}
	}
}

// dirCommits has a note in runs/RUN/commits/STEP.json. Those of a run within another are
// next to the other's: the steps that lead to it, and then its own, are STEP.STEP.json.
type dirCommits struct{ *dir }

// Commits returns the journal of what runs have sent.
func (d *dir) Commits() Commits { return dirCommits{d} }

// storedCommit is a note as it is in a file, whose name has the step. That the file is
// there means that the step was sent; its contents are the outcome.
type storedCommit struct {
	Sent time.Time `json:"sent,omitzero"`
	Done bool      `json:"done"`
}

func (c storedCommit) encode() []byte {
	data, err := json.Marshal(c)
	if err != nil {
		return nil // a time and a bool: cannot happen; an empty note is one too
	}
	return append(data, '\n')
}

// The names of notes: the steps that lead to a run within the run, then the step that was
// sent. Those of the run itself have the step alone.
var (
	notePattern    = regexp.MustCompile(`^[0-9]+(\.[0-9]+)*\.json$`)
	ownNotePattern = regexp.MustCompile(`^[0-9]+\.json$`)
)

func (d dirCommits) Begin(ctx context.Context, run string, step int) error {
	return d.note(ctx, run, step, func(name string) error {
		err := d.Create(name, storedCommit{Sent: time.Now().UTC()}.encode())
		if errors.Is(err, fs.ErrExist) {
			return ErrAlreadySent
		}
		return err // where the note could not be removed after an error, it counts as sent
	})
}

func (d dirCommits) Resolve(ctx context.Context, run string, step int, done bool) error {
	return d.note(ctx, run, step, func(name string) error {
		now, err := d.read(name)
		absent := errors.Is(err, fs.ErrNotExist)
		switch {
		case err != nil && !absent:
			return err
		case done && !now.Done:
			if err := d.limits().become(run, step, Paid); err != nil {
				return err
			}
			now.Done = true
			return d.Replace(name, now.encode())
		case done || absent:
			return nil
		case now.Done:
			return ErrAlreadySent
		}
		if err := d.limits().become(run, step, Released); err != nil {
			return err
		}
		return d.Remove(name)
	})
}

// note changes the note of a step.
func (d dirCommits) note(ctx context.Context, run string, step int, change func(name string) error) error {
	if err := d.Ready(ctx); err != nil {
		return err
	}
	if err := checkCommit(run, step); err != nil {
		return err
	}
	folder, prefix := commitsOf(run)
	return d.Write(ctx, func() error { return change(folder + prefix + strconv.Itoa(step) + ".json") })
}

// commitsOf returns the folder of a run's notes, and what their names begin with.
func commitsOf(run string) (folder, prefix string) {
	outermost, within, nested := strings.Cut(run, ".")
	if nested {
		prefix = within + "."
	}
	return runsDir + "/" + outermost + "/commits/", prefix
}

// read reads a note. A torn one means that the step was sent, which is how far its writer
// had come.
func (d dirCommits) read(name string) (storedCommit, error) {
	data, _, err := d.Read(name, maxCommitSize)
	if err != nil {
		return storedCommit{}, err
	}
	var c storedCommit
	if json.Unmarshal(data, &c) != nil {
		return storedCommit{}, nil
	}
	return c, nil
}

func (d dirCommits) Committed(ctx context.Context, run string) (map[int]bool, error) {
	sent := map[int]bool{}
	err := d.notes(ctx, run, ownNotePattern, func(name string, note storedCommit) bool {
		step, err := strconv.Atoi(strings.TrimSuffix(name, ".json"))
		if err == nil {
			sent[step] = note.Done
		}
		return true
	})
	if err != nil {
		return nil, err
	}
	return sent, nil
}

func (d dirCommits) Unresolved(ctx context.Context, run string) (unresolved bool, err error) {
	err = d.notes(ctx, run, notePattern, func(_ string, note storedCommit) bool {
		unresolved = !note.Done
		return note.Done
	})
	return unresolved, err
}

// notes reads the notes of a run that have certain names, as far as see goes. The names are
// without what those of this run begin with.
func (d dirCommits) notes(ctx context.Context, run string, names *regexp.Regexp, see func(name string, note storedCommit) bool) error {
	if err := d.Ready(ctx); err != nil {
		return err
	}
	if err := checkCommit(run, 0); err != nil {
		return err
	}
	folder, prefix := commitsOf(run)
	all, err := d.Names(folder)
	if err != nil {
		return err
	}
	for _, full := range all {
		name, ours := strings.CutPrefix(full, prefix)
		if !ours || !names.MatchString(name) {
			continue
		}
		note, err := d.read(folder + full)
		if errors.Is(err, fs.ErrNotExist) {
			continue // taken back meanwhile
		}
		if err != nil {
			return err
		}
		if !see(name, note) {
			return nil
		}
	}
	return nil
}

// RunsWithCommits looks into the folder of every run.
func (d dirCommits) RunsWithCommits(ctx context.Context) iter.Seq2[string, error] {
	return func(yield func(string, error) bool) {
		err := d.Ready(ctx)
		var outermost []string
		if err == nil {
			outermost, err = d.Names(runsDir)
		}
		for _, run := range outermost {
			if err = d.Ready(ctx); err != nil {
				break
			}
			if !runPattern.MatchString(run) {
				continue
			}
			var names []string
			if names, err = d.Names(runsDir + "/" + run + "/commits"); err != nil {
				break
			}
			for _, noted := range notedRuns(run, names) {
				if !yield(noted, nil) {
					return
				}
			}
		}
		if err != nil {
			yield("", err)
		}
	}
}

// notedRuns returns the runs that have notes: one, and those within it.
func notedRuns(outermost string, names []string) []string {
	var runs []string
	for _, name := range names {
		name, isNote := strings.CutSuffix(name, ".json")
		run, step := outermost, name
		if i := strings.LastIndexByte(name, '.'); i >= 0 {
			run, step = outermost+"."+name[:i], name[i+1:]
		}
		if _, err := strconv.Atoi(step); isNote && err == nil && runPattern.MatchString(run) {
			runs = append(runs, run)
		}
	}
	slices.Sort(runs)
	return slices.Compact(runs)
}
