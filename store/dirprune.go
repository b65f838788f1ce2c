package store

import (
	"cmp"
	"context"
	"errors"
	"io/fs"
	"iter"
	"os"
	"slices"
	"strings"
)

// prunedPrefix begins the name of a folder that is being removed: it is renamed first, so that
// after a crash a record is there whole or not at all, and the rest is removed the next time.
const prunedPrefix = ".pruned-"

// Prune removes what has ended.
func (d *dir) Prune(ctx context.Context, o PruneOptions) iter.Seq2[Pruned, error] {
	return func(yield func(Pruned, error) bool) {
		err := d.Ready(ctx)
		if err == nil && !o.DryRun {
			err = d.finishPruning(ctx, yield)
		}
		if errors.Is(err, errLeft) {
			return
		}
		if err != nil {
			yield(Pruned{}, err)
			return
		}
		prune(ctx, d, o, func(ctx context.Context, p Pruned) (Pruned, bool, error) {
			return d.pruneOne(ctx, o, p)
		})(yield)
	}
}

// finishPruning removes what a prune that was killed has renamed, and not removed, and reports
// what still cannot be.
func (d *dir) finishPruning(ctx context.Context, yield func(Pruned, error) bool) error {
	for _, folder := range []string{runsDir, handoffsDir, tracesDir} {
		names, err := d.Names(folder)
		if err != nil {
			return err
		}
		for _, name := range names {
			rest, is := strings.CutPrefix(name, prunedPrefix)
			session := strings.TrimSuffix(rest, headExt)
			if !is || !sessionPattern.MatchString(session) {
				continue
			}
			p := Pruned{Kind: PrunedHandoff, ID: session}
			switch folder {
			case tracesDir:
				if err = d.Write(ctx, func() error { return d.endTrace(session) }); err != nil {
					return err
				}
				continue
			case runsDir:
				p.Kind = PrunedRun
			}
			if err := d.Ready(ctx); err != nil {
				return err
			}
			if d.removeRest(&p, folder+"/"+name); p.Left != "" && !yield(p, nil) {
				return errLeft
			}
		}
	}
	return nil
}

func (d *dir) pruneOne(ctx context.Context, o PruneOptions, p Pruned) (Pruned, bool, error) {
	var gone bool
	var rest string // a folder that is no longer a record: it may be large, and others can write meanwhile
	look := func() (err error) {
		switch p.Kind {
		case PrunedRun:
			rest, err = d.pruneRun(ctx, o, &p)
		case PrunedHandoff:
			rest, err = d.pruneHandoff(o, &p)
		case PrunedApproval:
			err = d.pruneApproval(o, &p)
		case PrunedPayment:
			err = d.prunePayment(o, &p)
		case PrunedTrace:
			err = d.pruneTrace(ctx, o, &p)
		}
		gone = err == nil
		if errors.Is(err, errStays) || errors.Is(err, ErrNotFound) {
			return nil
		}
		return err
	}
	var err error
	if o.DryRun {
		if err = d.Ready(ctx); err == nil {
			err = look()
		}
	} else {
		err = d.Write(ctx, look)
	}
	if err == nil && rest != "" {
		d.removeRest(&p, rest)
	}
	return p, gone, err
}

// removeRest removes a record that was renamed, with what is left in a run's folder, and notes
// what could not be removed. Notes of commits stay there.
func (d *dir) removeRest(p *Pruned, renamed string) {
	folder := runsDir + "/" + p.ID
	_, err := d.Stat(folder + runExt)
	if p.Kind == PrunedRun && errors.Is(err, fs.ErrNotExist) {
		names, err := d.Names(folder)
		failed := []error{err}
		for _, name := range slices.DeleteFunc(names, func(name string) bool { return name == "commits" }) {
			failed = append(failed, d.RemoveAll(folder+"/"+name))
		}
		p.leave(errors.Join(failed...))
	}
	if p.Left == "" || p.Kind != PrunedRun { // otherwise it shows the next prune that there is a rest
		p.leave(d.RemoveAll(renamed))
	}
}

// leave notes that files of a record could not be removed.
func (p *Pruned) leave(err error) {
	if err != nil {
		p.Left = err.Error()
	}
}

// errStays is the error of a record that has changed since it was found, and stays.
var errStays = errors.New("it stays")

// pruneRun removes a run's report and then its folder. The notes of commits stay where it
// can be resumed: then its record alone is renamed, and the rest is removed after it.
func (d *dir) pruneRun(ctx context.Context, o PruneOptions, p *Pruned) (rest string, err error) {
	folder := runsDir + "/" + p.ID
	r, err := d.Runs().Get(ctx, p.ID)
	if err != nil {
		return "", err
	}
	unresolved, err := d.Commits().Unresolved(ctx, p.ID)
	if err != nil {
		return "", err
	}
	if _, is := runEnded(r, o); unresolved || !is {
		return "", errStays
	}
	names, err := d.Names(folder + "/commits")
	if err != nil {
		return "", err
	}
	p.Commits = r.State != Done && len(names) > 0
	report, size := reportOf(r)
	p.Size = size + sizeOf(d.Path(folder))
	if p.Commits {
		p.Size -= sizeOf(d.Path(folder + "/commits"))
	}
	if o.DryRun {
		return "", nil
	}
	if report != "" {
		if err := os.Remove(report); err != nil && !errors.Is(err, fs.ErrNotExist) {
			p.Left = pathError("delete", report, err).Error()
		}
	}
	if p.Commits {
		rest = runsDir + "/" + prunedPrefix + p.ID
		return rest, d.Rename(folder+runExt, rest)
	}
	return d.renamePruned(runsDir, p.ID)
}

func (d *dir) pruneHandoff(o PruneOptions, p *Pruned) (rest string, err error) {
	h, err := d.Handoffs().(dirHandoffs).read(p.ID)
	if err != nil {
		return "", err
	}
	if !handoffEnded(h, o.Before) {
		return "", errStays
	}
	p.Size = sizeOf(d.Path(handoffsDir + "/" + p.ID))
	if o.DryRun {
		return "", nil
	}
	return d.renamePruned(handoffsDir, p.ID)
}

func (d *dir) renamePruned(folder, id string) (string, error) {
	rest := folder + "/" + prunedPrefix + id
	return rest, d.Rename(folder+"/"+id, rest)
}

func (d *dir) pruneApproval(o PruneOptions, p *Pruned) error {
	all := d.Approvals().(dirApprovals)
	s, err := all.read(p.ID)
	if err != nil {
		return err
	}
	now := dirNow()
	if _, is := approvalEnded(s.at(now), now, o.Before); !is {
		return errStays
	}
	p.Size = sizeOf(d.Path(all.name(p.ID))) + sizeOf(d.Path(pictureName(p.ID)))
	if o.DryRun {
		return nil
	}
	if err := d.RemoveAll(pictureName(p.ID)); err != nil { // first: the record finds it again after a crash
		return err
	}
	return d.Remove(all.name(p.ID))
}

// prunePayment removes an entry of the ledger. One that was reserved and has no note was never sent.
func (d *dir) prunePayment(o PruneOptions, p *Pruned) error {
	run, step, is := entryOf(p.ID + entryExt)
	if !is {
		return errStays
	}
	e, err := d.limits().entry(run, step)
	if err != nil {
		return err
	}
	noted, err := d.limits().noted(e)
	if err != nil {
		return err
	}
	if e.State == Reserved && !noted {
		e.State = Released
	}
	if !paymentEnded(e, dirNow(), o.Before) {
		return errStays
	}
	p.Size = sizeOf(d.Path(entryName(run, step)))
	if o.DryRun {
		return nil
	}
	return d.Remove(entryName(run, step))
}

// pruneTrace renames the record of where the trace ends, which marks the trace as going, and
// then removes both. A session that is heard of again begins a trace from its first line.
func (d *dir) pruneTrace(ctx context.Context, o PruneOptions, p *Pruned) error {
	if !o.DryRun { // a call may have been added since it was read
		again := &pruning{st: d, PruneOptions: o, needed: map[string]bool{}}
		if _, ended, err := again.traceEnded(ctx, p.ID); err != nil || !ended {
			return cmp.Or(err, errStays)
		}
	}
	head := tracesDir + "/" + p.ID + headExt
	p.Size = sizeOf(d.Path(traceName(p.ID))) + sizeOf(d.Path(head))
	if o.DryRun {
		return nil
	}
	err := d.Rename(head, tracesDir+"/"+prunedPrefix+p.ID+headExt)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	return d.endTrace(p.ID)
}

// endTrace removes a trace whose head was renamed, and then that. Where the session was heard
// of since, there is a head again, and the trace is that of the new calls.
func (d *dir) endTrace(session string) error {
	_, err := d.Stat(tracesDir + "/" + session + headExt)
	if errors.Is(err, fs.ErrNotExist) {
		if err := d.RemoveAll(traceName(session)); err != nil {
			return err
		}
	}
	return d.RemoveAll(tracesDir + "/" + prunedPrefix + session + headExt)
}
