package store

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"iter"
	"slices"
	"strconv"
	"strings"
	"time"
)

const (
	// maxLimitSize bounds the text of a limit or of an entry: each byte may be written as six.
	maxLimitSize = 6 * 8 * maxQuestionLine

	entryExt = ".json"
)

// dirLimits has a limit in limits/ID.json, and an entry of the ledger in payments/RUN.STEP.json. An entry
// that is reserved counts while the note of its commit is there: it is written before the note.
type dirLimits struct{ records[Limit] }

// Limits returns the standing limits, and the ledger.
func (d *dir) Limits() Limits { return d.limits() }

func (d *dir) limits() dirLimits {
	return dirLimits{records[Limit]{d, "limit", limitsDir, ".json", maxLimitSize, decodeLimit, func(l Limit) string { return l.ID }}}
}

func (d dirLimits) Add(ctx context.Context, l Limit) (Limit, error) {
	if err := d.Ready(ctx); err != nil {
		return l, err
	}
	l, err := l.normal()
	if err != nil {
		return l, err
	}
	l.ID, l.Created = NewRunID(), dirNow()
	data, err := encodeLimit(l)
	if err != nil {
		return l, err
	}
	return l, d.Write(ctx, func() error { return d.Replace(d.name(l.ID), data) })
}

func (d dirLimits) Remove(ctx context.Context, id string) error {
	if err := d.Ready(ctx); err != nil {
		return err
	}
	if !idPattern.MatchString(id) {
		return notFound(d.kind, id)
	}
	return d.Write(ctx, func() error {
		err := d.dir.Remove(d.name(id))
		if errors.Is(err, fs.ErrNotExist) {
			return notFound(d.kind, id)
		}
		return err
	})
}

func (d dirLimits) List(ctx context.Context) iter.Seq2[LimitSummary, error] {
	return func(yield func(LimitSummary, error) bool) {
		ids, err := d.ids(ctx)
		now := dirNow()
		var entries []LedgerEntry
		if err == nil && len(ids) > 0 {
			entries, err = d.entries(ctx)
		}
		if err != nil {
			ids = nil
		}
		each(ctx, d.records, ids, err, func(id string, l Limit, unread error) LimitSummary {
			if unread != nil {
				return LimitSummary{Limit: Limit{ID: id}, Err: unread}
			}
			sum, err := d.spent(l, entries, now)
			return LimitSummary{l, l.left(sum, now), err}
		}, yield)
	}
}

func (d dirLimits) Payments(ctx context.Context) iter.Seq2[LedgerEntry, error] {
	return func(yield func(LedgerEntry, error) bool) {
		entries, err := d.entries(ctx)
		slices.SortFunc(entries, func(a, b LedgerEntry) int { return b.Begun.Compare(a.Begun) })
		for _, e := range entries {
			if noted, unread := d.noted(e); unread != nil {
				e.Err = errors.Join(e.Err, unread)
			} else if e.State == Reserved && !noted {
				e.State = Released
			}
			if !yield(e, nil) {
				return
			}
		}
		if err != nil {
			yield(LedgerEntry{}, err)
		}
	}
}

// spent returns what counts against a limit.
func (d dirLimits) spent(l Limit, entries []LedgerEntry, now time.Time) (sum int64, err error) {
	for _, e := range entries {
		if !l.counts(e, true, now) { // before its note is looked for
			if e.Err != nil {
				return 0, e.Err // it may count
			}
			continue
		}
		noted := true
		if e.State == Reserved {
			if noted, err = d.noted(e); err != nil {
				return 0, err
			}
		}
		if l.counts(e, noted, now) {
			sum += e.Amount.Minor
		}
	}
	return sum, nil
}

// noted reports whether the commit of an entry is noted as sent.
func (d dirLimits) noted(e LedgerEntry) (bool, error) {
	folder, prefix := commitsOf(e.Run)
	_, err := d.Stat(folder + prefix + strconv.Itoa(e.Step) + ".json")
	if errors.Is(err, fs.ErrNotExist) {
		return false, nil
	}
	return err == nil, err
}

// entries reads the ledger. What cannot be read has an Err.
func (d dirLimits) entries(ctx context.Context) ([]LedgerEntry, error) {
	if err := d.Ready(ctx); err != nil {
		return nil, err
	}
	names, err := d.Names(paymentsDir)
	if err != nil {
		return nil, err
	}
	var all []LedgerEntry
	for _, name := range names {
		run, step, is := entryOf(name)
		if !is {
			continue
		}
		e, err := d.entry(run, step)
		if errors.Is(err, ErrNotFound) {
			continue // pruned meanwhile
		}
		if err != nil {
			e = LedgerEntry{Run: run, Step: step, Err: err}
		}
		all = append(all, e)
	}
	return all, nil
}

func entryName(run string, step int) string {
	return paymentsDir + "/" + run + "." + strconv.Itoa(step) + entryExt
}

// entryOf returns whose entry a file is.
func entryOf(name string) (run string, step int, is bool) {
	name, is = strings.CutSuffix(name, entryExt)
	i := strings.LastIndexByte(name, '.')
	if !is || i < 0 || !runPattern.MatchString(name[:i]) {
		return "", 0, false
	}
	step, err := strconv.Atoi(name[i+1:])
	return name[:i], step, err == nil && step >= 0
}

type storedEntry struct {
	Format   int         `json:"format"`
	Site     string      `json:"site"`
	Payee    string      `json:"payee"`
	Amount   string      `json:"amount"` // decimal
	Currency string      `json:"currency"`
	Begun    time.Time   `json:"begun"`
	State    LedgerState `json:"state"`
	Told     LedgerState `json:"told,omitempty"`
}

func (d dirLimits) entry(run string, step int) (LedgerEntry, error) {
	name := entryName(run, step)
	data, _, err := d.Read(name, maxLimitSize)
	if errors.Is(err, fs.ErrNotExist) {
		return LedgerEntry{}, notFound("payment", run)
	}
	if err != nil {
		return LedgerEntry{}, err
	}
	e, err := decodeEntry(data)
	e.Run, e.Step = run, step
	return e, pathError("read", d.Path(name), err)
}

// decodeEntry reads the file of an entry, and refuses what no store writes.
func decodeEntry(data []byte) (LedgerEntry, error) {
	var s storedEntry
	if err := json.Unmarshal(data, &s); err != nil {
		return LedgerEntry{}, err
	}
	if s.Format != limitFormat {
		return LedgerEntry{}, fmt.Errorf("%w: format %d", errLimitFormat, s.Format)
	}
	amount, err := ParseDecimal(s.Amount, s.Currency)
	if err != nil {
		return LedgerEntry{}, err
	}
	e := LedgerEntry{Payment: Payment{s.Site, s.Payee, amount}, Begun: s.Begun, State: s.State, Told: s.Told}
	normal, err := e.normal()
	if err == nil && (normal != e.Payment || e.Begun.IsZero() || !e.State.known() || e.Told != "" && !e.Told.known()) {
		err = &InvalidLimitError{"the entry is not as it was written"}
	}
	return e, err
}

func (d dirLimits) put(e LedgerEntry) error {
	data, err := encodeIndented(storedEntry{limitFormat, e.Site, e.Payee, e.Amount.Decimal(), e.Amount.Currency, e.Begun, e.State, e.Told})
	if err != nil {
		return err
	}
	return d.Replace(entryName(e.Run, e.Step), data)
}

func (s LedgerState) known() bool { return s == Reserved || s == Paid || s == Released }

func (d dirLimits) NoteTold(ctx context.Context, run string, step int, of LedgerState) error {
	if err := d.Ready(ctx); err != nil {
		return err
	}
	if !runPattern.MatchString(run) || step < 0 {
		return notFound("payment", run)
	}
	return d.Write(ctx, func() error {
		e, err := d.entry(run, step)
		if err != nil {
			return err
		}
		e.Told = of
		return d.put(e)
	})
}

// become notes what became of a payment, if the step is one. The lock is held.
func (d dirLimits) become(run string, step int, state LedgerState) error {
	e, err := d.entry(run, step)
	if errors.Is(err, ErrNotFound) || err == nil && e.State == state {
		return nil
	}
	if err != nil {
		return err
	}
	e.State = state
	return d.put(e)
}

// BeginPayment reserves first and then notes that the step is sent, both under the lock of all writers. A
// crash between the two leaves an entry without a note, which does not count: nothing was sent.
func (d dirCommits) BeginPayment(ctx context.Context, run string, step int, p Payment) (left []Left, err error) {
	if err := d.Ready(ctx); err != nil {
		return nil, err
	}
	if err := checkCommit(run, step); err != nil {
		return nil, err
	}
	if p, err = p.normal(); err != nil {
		return nil, err
	}
	all := d.limits()
	err = d.note(ctx, run, step, func(name string) error {
		if _, err := d.Stat(name); !errors.Is(err, fs.ErrNotExist) {
			return errors.Join(ErrAlreadySent, err)
		}
		before, err := all.entry(run, step)
		switch {
		case err == nil && before.State == Paid: // its note was pruned
			return ErrAlreadySent
		case err != nil && !errors.Is(err, ErrNotFound):
			return err
		}
		limits, err := all.whole(ctx)
		if err != nil {
			return err
		}
		entries, err := all.entries(ctx)
		if err != nil {
			return err
		}
		now := dirNow()
		left, err = permit(limits, p, now, func(l Limit) (int64, error) {
			sum, err := all.spent(l, entries, now)
			if err != nil {
				err = &NotWithinLimitError{p, "what was paid before cannot be read: " + err.Error()}
			}
			return sum, err
		})
		if err != nil {
			return err
		}
		if err := all.put(LedgerEntry{Payment: p, Run: run, Step: step, Begun: now, State: Reserved}); err != nil {
			return err
		}
		return d.Create(name, storedCommit{Sent: now}.encode())
	})
	if err != nil {
		return nil, err
	}
	return left, nil
}

// whole returns all limits. One that cannot be read may be a limit for the payment.
func (d dirLimits) whole(ctx context.Context) ([]Limit, error) {
	ids, err := d.ids(ctx)
	if err != nil {
		return nil, err
	}
	var all []Limit
	for _, id := range ids {
		l, err := d.read(id)
		if err != nil {
			return nil, err
		}
		all = append(all, l)
	}
	return all, nil
}
