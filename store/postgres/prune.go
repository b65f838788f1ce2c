package postgres

import (
	"context"
	"errors"
	"io/fs"
	"iter"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"

	"github.com/go-reprise/reprise/store"
	"github.com/go-reprise/reprise/store/internal/driver"
)

// Prune removes what has ended, each record in a transaction of its own. Of files, a run's
// report and downloads, it removes those that are on this machine: the transaction that removes
// the record notes them, so that after a crash the next prune of this machine does.
func (s *Store) Prune(ctx context.Context, o store.PruneOptions) iter.Seq2[store.Pruned, error] {
	return func(yield func(store.Pruned, error) bool) {
		host, err := os.Hostname()
		if err == nil && !o.DryRun {
			var left []store.Pruned
			left, err = s.finishPruning(ctx, host)
			for _, p := range left {
				if !yield(p, nil) {
					return
				}
			}
		}
		if err != nil {
			yield(store.Pruned{}, err)
			return
		}
		driver.Rules.Prune(ctx, s, o, func(ctx context.Context, p store.Pruned) (removed store.Pruned, gone bool, err error) {
			var files []string
			err = s.InTx(ctx, "prune", func(ctx context.Context, tx pgx.Tx) (err error) {
				removed, gone, files, err = s.pruneOne(ctx, tx, o, host, p)
				if errors.Is(err, pgx.ErrNoRows) || errors.Is(err, store.ErrNotFound) { // of another who prunes
					gone = false
					return nil
				}
				return err
			})
			if err == nil && gone && !o.DryRun && len(files) > 0 {
				err = s.removeFiles(ctx, host, &removed, files)
			}
			return removed, gone, err
		})(yield)
	}
}

// finishPruning removes the files that a prune on this machine has left, and returns the runs of
// which some still are.
func (s *Store) finishPruning(ctx context.Context, host string) (left []store.Pruned, err error) {
	files := map[string][]string{}
	err = s.call(ctx, "prune", func(ctx context.Context, conn *pgxpool.Conn) error {
		clear(files)
		rows, err := conn.Query(ctx, "SELECT run, file FROM reprise.pruned_files WHERE host = $1", host)
		if err != nil {
			return err
		}
		var run, file string
		_, err = pgx.ForEachRow(rows, []any{&run, &file}, func() error {
			files[run] = append(files[run], file)
			return nil
		})
		return err
	})
	for _, run := range slices.Sorted(maps.Keys(files)) {
		if err != nil {
			break
		}
		p := store.Pruned{Kind: store.PrunedRun, ID: run}
		if err = s.removeFiles(ctx, host, &p, files[run]); p.Left != "" {
			left = append(left, p)
		}
	}
	return left, err
}

// removeFiles removes files of a run that is gone, and their notes. What cannot be removed is
// left, and noted.
func (s *Store) removeFiles(ctx context.Context, host string, p *store.Pruned, files []string) error {
	var removed []string
	for _, file := range files {
		if err := os.RemoveAll(file); err != nil {
			p.Left = err.Error()
			continue
		}
		removed = append(removed, file)
	}
	return s.call(ctx, "prune", func(ctx context.Context, conn *pgxpool.Conn) error {
		_, err := conn.Exec(ctx, "DELETE FROM reprise.pruned_files WHERE host = $1 AND run = $2 AND file = ANY($3)", host, p.ID, removed)
		return err
	})
}

// sizeOf returns how much a file holds, or all in a directory.
func sizeOf(file string) (size int64) {
	_ = filepath.WalkDir(file, func(_ string, e fs.DirEntry, err error) error {
		if err != nil {
			return nil
		}
		if info, err := e.Info(); err == nil && info.Mode().IsRegular() {
			size += info.Size()
		}
		return nil
	})
	return size
}

const (
	pruneRunSQL     = "SELECT record FROM reprise.runs WHERE id = $1 FOR UPDATE"
	noteCountSQL    = "SELECT count(*) FROM reprise.commits WHERE run = $1 OR run > $1 || '.' AND run < $1 || '/'"
	dropRunSQL      = "DELETE FROM reprise.runs WHERE id = $1"
	dropNotesSQL    = "DELETE FROM reprise.commits WHERE done AND (run = $1 OR run > $1 || '.' AND run < $1 || '/')"
	noteFileSQL     = "INSERT INTO reprise.pruned_files (host, run, file) VALUES ($1, $2, $3) ON CONFLICT DO NOTHING"
	pruneApprSQL    = "SELECT" + approvalColumns + ", octet_length(question) + coalesce(octet_length(picture), 0), clock_timestamp() FROM reprise.approvals WHERE id = $1 FOR UPDATE"
	dropApprovalSQL = "DELETE FROM reprise.approvals WHERE id = $1"
	handoffSizeSQL  = `
SELECT octet_length(record) + coalesce(octet_length(after), 0)
     + coalesce((SELECT sum(octet_length(line)) FROM reprise.handoff_events WHERE handoff = $1), 0)
FROM reprise.handoffs WHERE id = $1`
	dropHandoffSQL = "DELETE FROM reprise.handoffs WHERE id = $1"
	// A call is added under the lock of its trace.
	pruneTraceSQL = "SELECT calls FROM reprise.traces WHERE session = $1 FOR UPDATE"
	traceSizeSQL  = "SELECT coalesce(sum(octet_length(line)), 0), coalesce(max(started), 'epoch') FROM reprise.calls WHERE session = $1"
	dropCallsSQL  = "DELETE FROM reprise.calls WHERE session = $1"
	dropTraceSQL  = "DELETE FROM reprise.traces WHERE session = $1"
)

// pruneOne looks at a record that no one else changes meanwhile, and removes it.
func (s *Store) pruneOne(ctx context.Context, tx pgx.Tx, o store.PruneOptions, host string, p store.Pruned) (_ store.Pruned, gone bool, files []string, err error) {
	var drop []string
	switch p.Kind {
	case store.PrunedRun:
		drop, files, err = s.pruneRun(ctx, tx, o, &p)
	case store.PrunedApproval:
		drop, err = s.pruneApproval(ctx, tx, o, &p)
	case store.PrunedHandoff:
		drop, err = s.pruneHandoff(ctx, tx, o, &p)
	case store.PrunedPayment:
		drop, err = s.prunePayment(ctx, tx, o, &p)
	case store.PrunedTrace:
		drop, err = s.pruneTrace(ctx, tx, o, &p)
	}
	if err != nil || len(drop) == 0 {
		return p, false, nil, err
	}
	for _, sql := range drop {
		if o.DryRun {
			break
		}
		if _, err := tx.Exec(ctx, sql, p.ID); err != nil {
			return p, false, nil, err
		}
	}
	for _, file := range files {
		p.Size += sizeOf(file)
		if o.DryRun {
			continue
		}
		if _, err := tx.Exec(ctx, noteFileSQL, host, p.ID, file); err != nil {
			return p, false, nil, err
		}
	}
	return p, true, files, nil
}

// pruneRun removes the notes of a run's commits only where it is done: another can be resumed.
func (s *Store) pruneRun(ctx context.Context, tx pgx.Tx, o store.PruneOptions, p *store.Pruned) (drop, files []string, err error) {
	var record []byte
	if err := tx.QueryRow(ctx, pruneRunSQL, p.ID).Scan(&record); err != nil {
		return nil, nil, err
	}
	r, err := runs{s}.decode(p.ID, record)
	if err != nil || !driver.Rules.RunEnded(r, o) {
		return nil, nil, nil
	}
	var unresolved bool
	var notes int
	if err := tx.QueryRow(ctx, unresolvedSQL, p.ID).Scan(&unresolved); err != nil || unresolved {
		return nil, nil, err
	}
	if err := tx.QueryRow(ctx, noteCountSQL, p.ID).Scan(&notes); err != nil {
		return nil, nil, err
	}
	p.Size, p.Commits = int64(len(record)), r.State != store.Done && notes > 0
	drop = []string{dropRunSQL}
	if r.State == store.Done {
		drop = append(drop, dropNotesSQL)
	}
	if report, _ := driver.Rules.ReportOf(r); report != "" {
		files = append(files, report)
	}
	if dir, err := store.DefaultDir(); err == nil { // where a run of this store saves its downloads
		downloads := filepath.Join(dir, "runs", p.ID, "downloads")
		if _, err := os.Lstat(downloads); err == nil {
			files = append(files, downloads)
		}
	}
	return drop, files, nil
}

func (s *Store) pruneApproval(ctx context.Context, tx pgx.Tx, o store.PruneOptions, p *store.Pruned) ([]string, error) {
	var now time.Time
	rows, err := tx.Query(ctx, pruneApprSQL, p.ID)
	if err != nil {
		return nil, err
	}
	found, err := pgx.CollectExactlyOneRow(rows, func(row pgx.CollectableRow) (store.ApprovalSummary, error) {
		return approvals{s}.summary(withMore{row, []any{&p.Size, &now}})
	})
	if err != nil || found.Err != nil || !driver.Rules.ApprovalEnded(found.Approval, now, o.Before) {
		return nil, err
	}
	return []string{dropApprovalSQL}, nil
}

// withMore is a row with more columns than its reader knows.
type withMore struct {
	pgx.CollectableRow
	more []any
}

func (r withMore) Scan(into ...any) error { return r.CollectableRow.Scan(append(into, r.more...)...) }

func (s *Store) pruneHandoff(ctx context.Context, tx pgx.Tx, o store.PruneOptions, p *store.Pruned) ([]string, error) {
	h, err := handoffs{s}.query(ctx, tx, lockHandoffSQL, p.ID)
	if err != nil || !driver.Rules.HandoffEnded(h, o.Before) {
		return nil, err
	}
	return []string{dropHandoffSQL}, tx.QueryRow(ctx, handoffSizeSQL, p.ID).Scan(&p.Size)
}

func (s *Store) pruneTrace(ctx context.Context, tx pgx.Tx, o store.PruneOptions, p *store.Pruned) ([]string, error) {
	var calls int
	var last time.Time
	if err := tx.QueryRow(ctx, pruneTraceSQL, p.ID).Scan(&calls); err != nil {
		return nil, err
	}
	if err := tx.QueryRow(ctx, traceSizeSQL, p.ID).Scan(&p.Size, &last); err != nil || last.After(p.Ended) {
		return nil, err
	}
	return []string{dropCallsSQL, dropTraceSQL}, nil
}
