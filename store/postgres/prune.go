package postgres

import (
	"context"
	"errors"
	"io/fs"
	"iter"
	"os"
	"path/filepath"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/go-reprise/reprise/store"
	"github.com/go-reprise/reprise/store/internal/driver"
)

// Prune removes what has ended, each record in a transaction of its own. Of files, a run's
// report and downloads, it removes those that are on this machine.
func (s *Store) Prune(ctx context.Context, o store.PruneOptions) iter.Seq2[store.Pruned, error] {
	return driver.Rules.Prune(ctx, s, o, func(ctx context.Context, p store.Pruned) (store.Pruned, bool, error) {
		var (
			removed store.Pruned
			gone    bool
			files   []string
		)
		err := s.InTx(ctx, "prune", func(ctx context.Context, tx pgx.Tx) (err error) {
			removed, gone, files, err = s.pruneOne(ctx, tx, o, p)
			if errors.Is(err, pgx.ErrNoRows) || errors.Is(err, store.ErrNotFound) { // of another who prunes
				gone = false
				return nil
			}
			return err
		})
		if err != nil || !gone {
			return p, false, err
		}
		return withFiles(removed, files, o.DryRun)
	})
}

// withFiles removes files of a record that is gone: what a crash leaves of them takes room
// and has no record.
func withFiles(p store.Pruned, files []string, dryRun bool) (store.Pruned, bool, error) {
	for _, file := range files {
		_ = filepath.WalkDir(file, func(_ string, e fs.DirEntry, err error) error {
			if err != nil {
				return nil
			}
			if info, err := e.Info(); err == nil && info.Mode().IsRegular() {
				p.Size += info.Size()
			}
			return nil
		})
		if dryRun {
			continue
		}
		if err := os.RemoveAll(file); err != nil && !errors.Is(err, fs.ErrPermission) {
			return p, true, err
		}
	}
	return p, true, nil
}

const (
	pruneRunSQL     = "SELECT record FROM reprise.runs WHERE id = $1 FOR UPDATE"
	noteCountSQL    = "SELECT count(*) FROM reprise.commits WHERE run = $1 OR run > $1 || '.' AND run < $1 || '/'"
	dropRunSQL      = "DELETE FROM reprise.runs WHERE id = $1"
	dropNotesSQL    = "DELETE FROM reprise.commits WHERE done AND (run = $1 OR run > $1 || '.' AND run < $1 || '/')"
	pruneApprSQL    = "SELECT" + approvalColumns + ", octet_length(question), clock_timestamp() FROM reprise.approvals WHERE id = $1 FOR UPDATE"
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
func (s *Store) pruneOne(ctx context.Context, tx pgx.Tx, o store.PruneOptions, p store.Pruned) (_ store.Pruned, gone bool, files []string, err error) {
	var drop []string
	switch p.Kind {
	case store.PrunedRun:
		drop, files, err = s.pruneRun(ctx, tx, o, &p)
	case store.PrunedApproval:
		drop, err = s.pruneApproval(ctx, tx, o, &p)
	case store.PrunedHandoff:
		drop, err = s.pruneHandoff(ctx, tx, o, &p)
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
	return p, true, files, nil
}

// pruneRun removes the notes of a run's commits only where it is done: another can be resumed.
func (s *Store) pruneRun(ctx context.Context, tx pgx.Tx, o store.PruneOptions, p *store.Pruned) (drop, files []string, err error) {
	var record []byte
	if err := tx.QueryRow(ctx, pruneRunSQL, p.ID).Scan(&record); err != nil {
		return nil, nil, err
	}
	r, err := runs{s}.decode(p.ID, record)
	if err != nil || !driver.Rules.RunEnded(r, o.Before) {
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
		files = append(files, filepath.Join(dir, "runs", p.ID, "downloads"))
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
