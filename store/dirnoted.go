package store

import (
	"context"
	"errors"
	"io/fs"
	"iter"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
)

// Noted looks into the directory of every run.
func (d dirCommits) Noted(ctx context.Context) iter.Seq2[string, error] {
	return func(yield func(string, error) bool) {
		err := d.noted(ctx, func(run string) bool { return yield(run, nil) })
		if err != nil {
			yield("", err)
		}
	}
}

func (d dirCommits) noted(ctx context.Context, yield func(string) bool) error {
	if err := d.ready(ctx); err != nil {
		return err
	}
	folder := filepath.Join(d.root, runsDir)
	entries, err := os.ReadDir(folder)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return pathError("list", folder, err)
	}
	for _, e := range entries {
		if err := d.ready(ctx); err != nil {
			return err
		}
		if !commitRunPattern.MatchString(e.Name()) {
			continue
		}
		runs, err := notedIn(filepath.Join(folder, e.Name(), commitsDir), e.Name())
		if err != nil {
			return err
		}
		for _, run := range runs {
			if !yield(run) {
				return nil
			}
		}
	}
	return nil
}

// notedIn gives a run and those within it, as far as there are notes of them.
func notedIn(dir, outermost string) ([]string, error) {
	notes, err := os.ReadDir(dir)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, pathError("list", dir, err)
	}
	var runs []string
	for _, note := range notes {
		name, isNote := strings.CutSuffix(note.Name(), ".json")
		run, step := outermost, name
		if i := strings.LastIndexByte(name, '.'); i >= 0 {
			run, step = outermost+"."+name[:i], name[i+1:]
		}
		if _, err := strconv.Atoi(step); isNote && err == nil && commitRunPattern.MatchString(run) {
			runs = append(runs, run)
		}
	}
	slices.Sort(runs)
	return slices.Compact(runs), nil
}
