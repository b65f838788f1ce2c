package store

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"iter"
	"os"
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
		ids, err := d.ids(ctx)
		for _, id := range ids {
			if err = d.ready(ctx); err != nil {
				break
			}
			r, err := d.read(id)
			if errors.Is(err, ErrNotFound) {
				continue // its directory holds something else, or it was removed
			}
			if err != nil {
				r = Run{ID: id}
			}
			if !yield(RunSummary{Run: r, Err: err}, nil) {
				return
			}
		}
		if err != nil {
			yield(RunSummary{}, err)
		}
	}
}

// ids gives the identifiers that have a directory, the newest first.
func (d dirRuns) ids(ctx context.Context) ([]string, error) {
	if err := d.ready(ctx); err != nil {
		return nil, err
	}
	dir := filepath.Join(d.root, runsDir)
	entries, err := os.ReadDir(dir)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, pathError("list", dir, err)
	}
	var ids []string
	for _, e := range slices.Backward(entries) {
		if idPattern.MatchString(e.Name()) {
			ids = append(ids, e.Name())
		}
	}
	return ids, nil
}

func (d dirRuns) path(id string) string { return filepath.Join(d.root, runsDir, id, runFile) }

func (d dirRuns) read(id string) (Run, error) {
	data, _, err := readFile(d.path(id), maxRunSize)
	if errors.Is(err, fs.ErrNotExist) {
		return Run{}, runNotFound(id)
	}
	if err != nil {
		return Run{}, err
	}
	r, err := decodeRun(data)
	if err == nil && r.ID != id {
		err = fmt.Errorf("%w: it holds run %.40q", ErrMisplaced, r.ID)
	}
	if err != nil {
		return Run{}, pathError("read", d.path(id), err)
	}
	return r, nil
}

func runNotFound(id string) error {
	return fmt.Errorf("store: run %.40q: %w", id, ErrNotFound)
}
