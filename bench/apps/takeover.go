package main

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"maps"
	"net"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/go-reprise/reprise/browser"
	"github.com/go-reprise/reprise/handoff"
	"github.com/go-reprise/reprise/internal/httpserver"
	"github.com/go-reprise/reprise/internal/runner"
	"github.com/go-reprise/reprise/internal/simuser"
	"github.com/go-reprise/reprise/replayer"
	"github.com/go-reprise/reprise/store"
	"github.com/go-reprise/reprise/store/sealed"
)

// takeoverMode is the mode in which what was recorded by one who was signed in is played by no one: the sign-in is
// learned from a person who is called, and played from then on.
const takeoverMode = "takeover"

// lesson is an application whose sign-in is learned, and the desk by which a person is called.
type lesson struct {
	*trial
	runner  *runner.Runner
	safe    *sealed.SecretStore
	desk    *handoff.Desk
	notices chan handoff.Notice
	viewers *browser.Browser // the person's own
	asked   map[string]string
}

// playTakeover records a flow without its sign-in, and has it meet the sign-in three times: a person is called for the
// first account, and no one the next time, nor for the second account.
func (s *selection) playTakeover(ctx context.Context, a *app, b *browser.Browser) (o outcome, err error) {
	h, err := newHost()
	if err != nil {
		return outcome{}, err
	}
	defer func() { err = errors.Join(err, h.close()) }()
	t := &trial{app: a, b: b, dump: s.dump, signedIn: true}
	if t.site, err = a.start(ctx, h); err != nil {
		return outcome{}, err
	}
	if o, err = t.record(ctx); err != nil || o.verdict != right {
		return o, err
	}
	viewers, err := browser.Launch(ctx, &browser.Options{Headed: s.headed, Width: width, Height: height})
	if err != nil {
		return outcome{}, err
	}
	defer func() { err = errors.Join(err, viewers.Close()) }()
	l := &lesson{trial: t, viewers: viewers, notices: make(chan handoff.Notice, 10)}
	done, err := l.open(ctx, h)
	if err != nil {
		return outcome{}, err
	}
	defer func() { err = errors.Join(err, done()) }()
	o = outcome{verdict: right}
	for _, round := range []struct {
		name string
		who  account
		help bool
	}{{"taught", t.site.accounts[0], true}, {"again", t.site.accounts[0], false}, {"second account", t.site.accounts[1], false}} {
		if round.who != t.site.accounts[0] {
			if err := l.store(ctx, round.who); err != nil {
				return o, err
			}
		}
		one, err := l.round(ctx, round.who, round.help)
		if err != nil {
			return o, fmt.Errorf("%s: %w", round.name, err)
		}
		o.took += one.took
		o.why += fmt.Sprintf("%s: %s %v %s; ", round.name, one.verdict, one.took.Round(time.Millisecond), one.why)
		if one.verdict != right {
			o.verdict = one.verdict
			break
		}
	}
	return o, s.writeLearned(ctx, l)
}

// open opens a store, a vault and a desk, which done closes.
func (l *lesson) open(ctx context.Context, h *host) (done func() error, err error) {
	st, err := store.Open(ctx, h.path("reprise"))
	if err != nil {
		return nil, err
	}
	keys, err := sealed.File(h.path("key"), h.path("reprise"))
	if err != nil {
		return nil, errors.Join(err, st.Close())
	}
	l.safe = sealed.New(st, keys)
	listener, err := (&net.ListenConfig{}).Listen(ctx, "tcp", "127.0.0.1:0")
	if err != nil {
		return nil, errors.Join(err, st.Close())
	}
	secrets := func() (*sealed.SecretStore, error) { return l.safe, nil }
	log := slog.New(slog.NewTextHandler(os.Stderr, &slog.HandlerOptions{Level: slog.LevelWarn}))
	if l.dump != "" {
		log = slog.New(slog.NewTextHandler(os.Stderr, &slog.HandlerOptions{Level: slog.LevelDebug}))
	}
	l.desk, err = handoff.New(&handoff.Options{
		Store: st, PublicURL: "http://" + listener.Addr().String(), Secrets: secrets, Logger: log,
		Notify: func(n handoff.Notice) { l.notices <- n },
	})
	if err != nil {
		return nil, errors.Join(err, listener.Close(), st.Close())
	}
	l.runner = &runner.Runner{Store: st, Secrets: secrets, Logger: log}
	server := httpserver.New(l.desk, nil)
	served := make(chan struct{})
	go func() { _ = server.Serve(listener); close(served) }() // it ends as it is closed
	return func() error {
		l.desk.Close()
		err := server.Close()
		<-served
		return errors.Join(err, st.Close())
	}, nil
}

// round is a run in a page that has never seen the application. Where help is false, calling anyone is a failure.
func (l *lesson) round(ctx context.Context, who account, help bool) (outcome, error) {
	ctx, cancel := context.WithTimeout(ctx, playTime)
	defer cancel()
	typed := l.app.values(l.runs)
	l.runs++
	given, fixed, err := l.fit(who, typed)
	if err != nil {
		return outcome{verdict: failed, why: err.Error()}, nil
	}
	before, err := l.site.state(ctx)
	if err != nil {
		return outcome{}, err
	}
	page, err := l.b.NewIsolatedPage(ctx, "")
	if err != nil {
		return outcome{}, err
	}
	defer page.Close(context.WithoutCancel(ctx))
	began := time.Now()
	called, said := l.answer(ctx, page, who, help)
	account := l.accountOf(who)
	_, played := l.runner.Run(ctx, runner.Request{
		Document: l.doc, Account: account, Values: given, Pages: runner.OpenPage{Page: page},
		Options: replayer.Options{
			Commit: replayer.AllowCommits,
			Person: l.desk.Person(nil, func(_ context.Context, _ replayer.Handoff, r *handoff.Request) { r.Account = account }),
		},
	}, runner.Events{})
	took := time.Since(began)
	calls, err := called()
	l.scene(mode{name: takeoverMode}, page, played)
	if err := page.Close(context.WithoutCancel(ctx)); err != nil {
		return outcome{}, err
	}
	unchanged := maps.Clone(before)
	l.app.want(before, who, fixed)
	diff := l.decided(ctx, before)
	switch {
	case err != nil:
		return outcome{failed, fmt.Sprintf("the person who was called: %v", err), took}, nil
	case played != nil:
		return outcome{failed, describe(played) + "; " + l.left(ctx, unchanged, diff), took}, nil
	case help && calls != 1, !help && calls != 0:
		return outcome{failed, fmt.Sprintf("people were called %d times: %s", calls, said()), took}, nil
	case diff != "":
		return outcome{wrong, diff, took}, nil
	}
	return outcome{right, "", took}, nil
}

// accountOf is the account of the vault: one that an application does not ask for the name of has one as well.
func (l *lesson) accountOf(who account) string {
	if who.user == "" {
		return "owner"
	}
	return who.user
}

// answer has a person answer who is called: who helps as often as asked for, or returns the page undone. called ends
// that, and returns how often there was a call and how the help failed; why is what was said to them.
func (l *lesson) answer(ctx context.Context, page *browser.Page, who account, help bool) (called func() (int, error), why func() string) {
	ctx, cancel := context.WithCancel(ctx)
	ended := make(chan struct{})
	var calls int
	var failed error
	var said []string
	go func() {
		defer close(ended)
		for {
			select {
			case n := <-l.notices:
				if n.Link == "" {
					continue
				}
				calls++
				said = append(said, n.Text)
				if help && calls == 1 {
					failed = l.help(ctx, n, page, who)
				}
				if !help || calls > 1 || failed != nil {
					if h := l.desk.Get(n.Handoff); h != nil {
						h.Cancel()
					}
				}
			case <-ctx.Done():
				return
			}
		}
	}()
	return func() (int, error) { cancel(); <-ended; return calls, failed }, func() string { return strings.Join(said, "; ") }
}

// help is the person: they sign in through the live view, in a browser of their own, and save what they did.
func (l *lesson) help(ctx context.Context, n handoff.Notice, page *browser.Page, who account) (err error) {
	view, err := l.viewers.NewIsolatedPage(ctx, n.Link)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, view.Close(context.WithoutCancel(ctx))) }()
	helper := simuser.Help(view.Target(), page.Target())
	if err := helper.Learn(ctx); err != nil {
		return err
	}
	p := newPerson(ctx, page)
	p.hands = helper
	l.app.signIn(p, who)
	if p.err != nil {
		l.picture(ctx, page)
		return fmt.Errorf("at %s: %w", page.URL(), p.err)
	}
	if err := helper.Return(ctx); err != nil {
		return err
	}
	names, err := helper.Offered(ctx)
	if err != nil {
		return err
	}
	l.asked = l.known(names)
	if len(l.asked) != len(names) {
		return fmt.Errorf("the offer asks for %q, of which only %q are known", names, l.asked)
	}
	return helper.Save(ctx, l.credential(who))
}

// credential is what the vault holds of an account, by the names that the offer asked for.
func (l *lesson) credential(who account) map[string]string {
	fields := map[string]string{}
	for name, key := range l.asked {
		fields[name] = map[string]string{"user": who.user, "password": who.password}[key]
	}
	return fields
}

// store puts an account into the vault, as reprise credential set does.
func (l *lesson) store(ctx context.Context, who account) error {
	origin := l.site.url[:len("http://")+strings.IndexByte(l.site.url[len("http://"):]+"/", '/')]
	return l.safe.SetCredential(ctx, sealed.Credential{Site: l.app.name, Account: l.accountOf(who), Origins: []string{origin}, Fields: l.credential(who)})
}

// writeLearned writes what was learned next to what was recorded.
func (s *selection) writeLearned(ctx context.Context, l *lesson) error {
	if s.dump == "" {
		return nil
	}
	for sum, err := range l.runner.Store.Automations().List(ctx) {
		if err != nil {
			return err
		}
		if l.doc, err = l.runner.Store.Automations().Get(ctx, sum.Name, sum.Account); err != nil {
			return err
		}
		if err := s.writeDocument(l.doc, filepath.Join(s.dump, l.app.name+"-learned.json")); err != nil {
			return err
		}
	}
	return nil
}
