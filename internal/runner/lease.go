package runner

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/netip"
	"net/url"
	"strings"
	"time"

	"golang.org/x/net/publicsuffix"

	"github.com/go-reprise/reprise/automation"
	"github.com/go-reprise/reprise/store"
)

const (
	// DefaultLease is how long a lease lasts that is not renewed. What was played by a
	// process that died can be taken up after that and a few seconds: well within a minute.
	// Shorter, and a server that is restarted would cost runs.
	DefaultLease = 15 * time.Second

	// renewals is how often in the time of a lease it is renewed; heldFor is the part of that
	// time, in thirds, after which a run ends that could not renew it, so that it has ended
	// before another may begin.
	renewals, heldFor = 5, 2

	// waitPause is how often a run that waits for an account asks whether it is free.
	waitPause = 200 * time.Millisecond

	// deepest is how deep automations play one another, at most, for the sites that they act
	// on to be known.
	deepest = 8
)

// Hold calls do with the store of a run that has the lease of what a document acts on for
// an account, which is renewed meanwhile. Where that cannot be done in time, or another
// run has it, the context of do ends before another may act, with store.ErrLeaseLost. A
// *store.HeldError is of a lease that another run has.
func Hold(ctx context.Context, st store.Store, run string, places []store.Place, lasting time.Duration, do func(context.Context, store.Store) error) error {
	lease, err := st.Lease(ctx, run, ThisProcess(), places, lasting)
	if err != nil {
		return err
	}
	err = renewed(ctx, lease, lasting, func(ctx context.Context) error { return do(ctx, lease.Store()) })
	return errors.Join(err, lease.Release(context.WithoutCancel(ctx)))
}

func renewed(ctx context.Context, lease store.Lease, lasting time.Duration, do func(context.Context) error) error {
	ctx, lose := context.WithCancelCause(ctx)
	stopped := make(chan struct{})
	renewing, stop := context.WithCancel(context.WithoutCancel(ctx))
	go func() {
		defer close(stopped)
		if err := renew(renewing, lease, lasting); err != nil {
			lose(err)
		}
	}()
	defer lose(nil)
	defer func() { stop(); <-stopped }()
	return do(ctx)
}

// renew renews a lease until ctx is done. The time that passes on this machine decides when
// to give up, no clock: it counts from before the request was sent.
func renew(ctx context.Context, lease store.Lease, lasting time.Duration) error {
	tick := time.NewTicker(lasting / renewals)
	defer tick.Stop()
	good := time.Now()
	for {
		select {
		case <-ctx.Done():
			return nil
		case <-tick.C:
		}
		asked := time.Now()
		until, cancel := context.WithDeadline(ctx, good.Add(lasting*heldFor/3))
		err := lease.Renew(until, lasting)
		cancel()
		switch {
		case err == nil:
			good = asked
		case ctx.Err() != nil:
			return nil
		case errors.Is(err, store.ErrLeaseLost):
			return err
		default:
			return fmt.Errorf("%w: it could not be renewed: %w", store.ErrLeaseLost, err)
		}
	}
}

// places are those of the run: a run for no account that saves its login again shares that
// alone with others.
func (p *Plan) places(ctx context.Context) (places []store.Place, err error) {
	if p.account() != "" {
		if places, err = Places(ctx, p.runner.Store.Automations(), p.Document, p.request.Account); err != nil {
			return nil, err
		}
	}
	if !p.request.SaveLogin && !p.request.SignIn {
		return places, nil
	}
	of, err := LoginPlaces(ctx, p.runner.Store, p.request.Login, p.account())
	return append(places, of...), err
}

// LoginPlaces are the sites that a saved login is for, with its account: what a run has to
// itself that saves the login again. One that is not stored has none.
func LoginPlaces(ctx context.Context, st store.Store, name, account string) (places []store.Place, err error) {
	e, err := st.Logins().Get(ctx, name, account)
	if errors.Is(err, store.ErrNotFound) {
		return nil, nil
	}
	for _, f := range e.Fields {
		for _, origin := range f.Origins {
			u, err := url.Parse(origin)
			if err != nil {
				return nil, err
			}
			host := u.Hostname()
			if strings.Contains(host, ":") {
				host = "[" + host + "]"
			}
			places = append(places, store.Place{Site: siteOf(host), Account: account})
		}
	}
	return places, err
}

// Hold calls do with a plan whose runs have the lease of what it acts on for its account.
// A run for no account shares nothing with others, and takes none.
func (p *Plan) Hold(ctx context.Context, ev Events, do func(context.Context, *Plan) error) error {
	held := *p
	held.leased = true
	if p.leased || p.account() == "" && !p.request.SaveLogin && !p.request.SignIn {
		return do(ctx, &held)
	}
	places, err := p.places(ctx)
	if err != nil {
		return err
	}
	if len(places) == 0 { // a document from a file may name no site
		return do(ctx, &held)
	}
	if held.id = p.runner.newID(); p.resumption != nil {
		held.id = p.resumption.run.ID
	}
	told := false
	for {
		err := Hold(ctx, p.runner.Store, held.id, places, DefaultLease, func(ctx context.Context, st store.Store) error {
			fenced := *p.runner
			fenced.Store, held.runner = st, &fenced
			if p.Login != nil { // the run before may have saved it again
				var err error
				if held.Login, err = held.login(ctx); err != nil {
					return err
				}
			}
			return do(ctx, &held)
		})
		var busy *store.HeldError
		if !p.request.Wait || !errors.As(err, &busy) {
			return err
		}
		if !told && ev.Busy != nil {
			told = true
			ev.Busy(busy)
		}
		select {
		case <-ctx.Done():
			return context.Cause(ctx)
		case <-time.After(waitPause):
		}
	}
}

// Places are what a run of a document acts on: the sites in its scope, and those of the
// automations that it plays, each with the account.
func Places(ctx context.Context, all store.Automations, doc *automation.Automation, account string) ([]store.Place, error) {
	found := map[store.Place]bool{}
	err := collect(ctx, all, doc, cmp.Or(account, doc.Match.Account), deepest, found)
	var list []store.Place
	for p := range found {
		list = append(list, p)
	}
	return list, err
}

func collect(ctx context.Context, all store.Automations, doc *automation.Automation, account string, depth int, found map[store.Place]bool) error {
	scope := doc.Match
	scope.Blocker = "" // an automation for a blocker acts on its sites as any other
	kept, err := scope.IndexKeys()
	if err != nil {
		return err
	}
	for _, place := range kept {
		found[store.Place{Site: siteOf(place), Account: account}] = true
	}
	for _, step := range doc.Steps {
		var args struct{ Name, Account string }
		if step.Tool != "run" || depth == 0 || json.Unmarshal(step.Args, &args) != nil {
			continue
		}
		inner, err := all.Get(ctx, args.Name, cmp.Or(args.Account, account))
		if err != nil {
			inner, err = all.Get(ctx, args.Name, "")
		}
		if err != nil {
			continue // the run will say so
		}
		if err := collect(ctx, all, inner, cmp.Or(args.Account, account), depth-1, found); err != nil {
			return err
		}
	}
	return nil
}

// siteOf is the site of a place of a scope (automation.Scope.Places): the part of the
// host that someone has registered, which shares its cookies and its accounts. A port
// tells no site from another, as with cookies.
func siteOf(place string) string {
	host, _, _ := strings.Cut(strings.TrimPrefix(place, "*."), "/")
	if _, err := netip.ParseAddr(strings.Trim(host, "[]")); err == nil {
		return host
	}
	site, err := publicsuffix.EffectiveTLDPlusOne(host)
	if err != nil { // as localhost, or where everybody registers
		return host
	}
	return site
}
