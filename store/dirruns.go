package store

import (
	"context"
	"fmt"
	"iter"
	"path/filepath"
	"slices"
)

const (
	runFile = "run.json"
	// A record of a hundred thousand steps is smaller than this.
	maxRunSize = 32 << 20
)

type dirRuns struct{ *dir }

func (d dirRuns) Save(ctx context.Context, r Run) error {
	if err := d.ready(ctx); err != nil {
		return err
	}
	if err := r.Validate(); err != nil {
		return err
	}
	data, err := encodeRun(r)
	if err != nil {
		return err
	}
	return d.write(ctx, func() error {
		return writeFile(filepath.Join(d.root, runsDir), d.path(r.ID), data)
	})
}

func (d dirRuns) Get(ctx context.Context, id string) (Run, error) {
	if err := d.ready(ctx); err != nil {
		return Run{}, err
	}
	if !idPattern.MatchString(id) {
		return Run{}, RunNotFound(id)
	}
	return d.read(id)
}

// List reads one record at a time, as far as the caller goes.
func (d dirRuns) List(ctx context.Context) iter.Seq2[RunSummary, error] {
	return func(yield func(RunSummary, error) bool) {
		ids, err := d.recordIDs(ctx, runsDir, "")
		slices.Reverse(ids) // the newest first
		if err == nil {
			err = eachRecord(ctx, d.dir, ids, d.read, func(id string, r Run, unread error) bool {
				if unread != nil {
					r = Run{ID: id}
				}
				return yield(RunSummary{Run: r, Err: unread}, nil)
			})
		}
		if err != nil {
			yield(RunSummary{}, err)
		}
	}
}

// ListOf reads all records: a directory has no index of them.
func (d dirRuns) ListOf(ctx context.Context, owner string) iter.Seq2[RunSummary, error] {
	return func(yield func(RunSummary, error) bool) {
		for r, err := range d.List(ctx) {
			if err == nil && (owner == "" || r.Owner != owner) { // whose one is that cannot be read nobody knows
				continue
			}
			if !yield(r, err) {
				return
			}
		}
	}
}

func (d dirRuns) path(id string) string { return filepath.Join(d.root, runsDir, id, runFile) }

func (d dirRuns) read(id string) (Run, error) {
	return readRecord(d.path(id), "run", id, maxRunSize, decodeRun, func(r Run) string { return r.ID }, RunNotFound(id))
}

// RunNotFound returns the error for a run that is not there, which is ErrNotFound. Whoever
// hides a run from a caller returns it as well, so that no one can tell the two apart.
func RunNotFound(id string) error {
	return fmt.Errorf("store: run %.40q: %w", id, ErrNotFound)
}
