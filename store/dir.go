package store

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"iter"
	"slices"
	"strings"
	"time"

	"github.com/go-reprise/reprise/store/internal/files"
)

// The folders of a directory.
const (
	automationsDir = "automations"
	runsDir        = "runs"
	tracesDir      = "traces"
	tasksDir       = "tasks"
	vaultDir       = "vault"
	loginsDir      = "logins"
	approvalsDir   = "approvals"
	handoffsDir    = "handoffs"
	limitsDir      = "limits"
	paymentsDir    = "payments"
	leasesDir      = "leases"
	browsersDir    = "browsers"
)

// dir is a store in a directory. What it asks of the file system is in package files; its
// methods, in the other files of this name, only decide what is in which file.
type dir struct {
	*files.Dir
	catalog *catalog
}

func openDir(path string) (Store, error) {
	folders := []string{automationsDir, runsDir, tracesDir, tasksDir, vaultDir, loginsDir, approvalsDir, limitsDir, paymentsDir, handoffsDir, browsersDir, indexDir}
	d, err := files.Open(path, folders, pathError)
	if err != nil {
		return nil, err
	}
	return &dir{Dir: d, catalog: newCatalog(d)}, nil
}

// dirNow is the time of a directory, as exact as every store holds it.
func dirNow() time.Time { return time.Now().UTC().Truncate(time.Microsecond) }

// records are the files of one kind of record, each named by its identifier.
type records[T any] struct {
	*dir
	kind, folder string
	file         string // what follows the identifier: ".json", or "/run.json" in a folder of its own
	limit        int64
	decode       func([]byte) (T, error)
	id           func(T) string
}

func (r records[T]) name(id string) string { return r.folder + "/" + id + r.file }

// get returns a record, or an error that is ErrNotFound.
func (r records[T]) get(ctx context.Context, id string) (T, error) {
	var none T
	if err := r.Ready(ctx); err != nil {
		return none, err
	}
	if !idPattern.MatchString(id) {
		return none, notFound(r.kind, id)
	}
	return r.read(id)
}

func (r records[T]) read(id string) (T, error) {
	var none T
	data, _, err := r.Read(r.name(id), r.limit)
	if errors.Is(err, fs.ErrNotExist) {
		return none, notFound(r.kind, id)
	}
	if err != nil {
		return none, err
	}
	record, err := r.decode(data)
	if err == nil && r.id(record) != id {
		err = fmt.Errorf("%w: it holds %s %.40q", ErrMisplaced, r.kind, r.id(record))
	}
	if err != nil {
		return none, pathError("read", r.Path(r.name(id)), err)
	}
	return record, nil
}

// ids returns the identifiers that have a file, sorted and so the oldest first.
func (r records[T]) ids(ctx context.Context) ([]string, error) {
	if err := r.Ready(ctx); err != nil {
		return nil, err
	}
	names, err := r.Names(r.folder)
	if err != nil {
		return nil, err
	}
	var ids []string
	for _, name := range names {
		if !strings.HasPrefix(r.file, "/") {
			var ours bool
			if name, ours = strings.CutSuffix(name, r.file); !ours {
				continue
			}
		}
		if idPattern.MatchString(name) {
			ids = append(ids, name)
		}
	}
	return ids, nil
}

// newest lists the records, the newest first, as summary makes them.
func newest[T, S any](ctx context.Context, r records[T], summary func(id string, record T, unread error) S) iter.Seq2[S, error] {
	return func(yield func(S, error) bool) {
		ids, err := r.ids(ctx)
		slices.Reverse(ids)
		each(ctx, r, ids, err, summary, yield)
	}
}

// each reads records one at a time, as far as the caller goes, and leaves out what is not
// there: it was removed meanwhile, its writer was killed before it was there, or its
// folder holds something else. The last pair is why it ended before.
func each[T, S any](ctx context.Context, r records[T], ids []string, err error, summary func(string, T, error) S, yield func(S, error) bool) {
	for _, id := range ids {
		if err = r.Ready(ctx); err != nil {
			break
		}
		record, unread := r.read(id)
		if errors.Is(unread, ErrNotFound) {
			continue
		}
		if !yield(summary(id, record, unread), nil) {
			return
		}
	}
	if err != nil {
		var none S
		yield(none, err)
	}
}
