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
		return Run{}, runNotFound(id)
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

func (d dirRuns) path(id string) string { return filepath.Join(d.root, runsDir, id, runFile) }

func (d dirRuns) read(id string) (Run, error) {
	return readRecord(d.path(id), "run", id, maxRunSize, decodeRun, func(r Run) string { return r.ID }, runNotFound(id))
}

func runNotFound(id string) error {
	return fmt.Errorf("store: run %.40q: %w", id, ErrNotFound)
}
