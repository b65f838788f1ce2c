package store

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
)

// recordIDs gives the identifiers that have a place in a folder, each a name that ends
// with ext, sorted and so the oldest first. There are none where the folder is not there yet.
func (d *dir) recordIDs(ctx context.Context, folder, ext string) ([]string, error) {
	if err := d.ready(ctx); err != nil {
		return nil, err
	}
	folder = filepath.Join(d.root, folder)
	entries, err := os.ReadDir(folder) // sorted
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, pathError("list", folder, err)
	}
	var ids []string
	for _, e := range entries {
		if id, ours := strings.CutSuffix(e.Name(), ext); ours && idPattern.MatchString(id) {
			ids = append(ids, id)
		}
	}
	return ids, nil
}

// eachRecord reads records one at a time, as far as see goes, and leaves out what is not
// there: it was removed meanwhile, its writer was killed before it was there, or its
// folder holds something else. The error is why it ended before see did.
func eachRecord[T any](ctx context.Context, d *dir, ids []string, read func(id string) (T, error), see func(id string, record T, unread error) bool) error {
	for _, id := range ids {
		if err := d.ready(ctx); err != nil {
			return err
		}
		record, unread := read(id)
		if errors.Is(unread, ErrNotFound) {
			continue
		}
		if !see(id, record, unread) {
			return nil
		}
	}
	return nil
}

// readRecord reads the record of an identifier from its file. missing is the error
// where there is none.
func readRecord[T any](path, kind, id string, most int64, decode func([]byte) (T, error), idOf func(T) string, missing error) (T, error) {
	var none T
	data, _, err := readFile(path, most)
	if errors.Is(err, fs.ErrNotExist) {
		return none, missing
	}
	if err != nil {
		return none, err
	}
	record, err := decode(data)
	if err == nil && idOf(record) != id {
		err = fmt.Errorf("%w: it holds %s %.40q", ErrMisplaced, kind, idOf(record))
	}
	if err != nil {
		return none, pathError("read", path, err)
	}
	return record, nil
}
