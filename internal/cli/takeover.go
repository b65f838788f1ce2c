package cli

import (
	"context"
	"net"
	"net/http"

	"github.com/spf13/pflag"

	"github.com/go-reprise/reprise/browser"
	"github.com/go-reprise/reprise/handoff"
	"github.com/go-reprise/reprise/handoff/messenger"
	"github.com/go-reprise/reprise/internal/cli/failure"
	"github.com/go-reprise/reprise/internal/httpserver"
	"github.com/go-reprise/reprise/internal/runner"
	"github.com/go-reprise/reprise/internal/weburl"
	"github.com/go-reprise/reprise/store"
)

// takeoverFlags say whether, and where, people take pages over.
type takeoverFlags struct {
	on        bool
	publicURL string
	listen    string // of a command that has no other server
}

// withServer are the flags of a command that serves the live view alone.
func (t *takeoverFlags) withServer(f *pflag.FlagSet) {
	t.flags(f)
	f.StringVar(&t.listen, "takeover-listen", "127.0.0.1:0", "`ADDRESS` on which the live view of --takeover is served")
}

func (t *takeoverFlags) flags(f *pflag.FlagSet) {
	f.BoolVar(&t.on, "takeover", false, "let a person take over the page in a live view (default: no one takes over)")
	f.StringVar(&t.publicURL, "public-url", "", "`URL` of your proxy, https, under which people reach the live view (default: this machine)")
}

func (t *takeoverFlags) check() error {
	if t.publicURL == "" {
		return nil
	}
	if !t.on {
		return failure.Usagef("--public-url is where people take over: give --takeover, too")
	}
	if _, err := handoff.CheckPublicURL(t.publicURL); err != nil {
		return failure.Usagef("--public-url: %v", err)
	}
	return nil
}

// desk returns the desk, nil where no one takes over, and who tells people of what the store has for them, nil for no
// one. Address is where the desk is served.
func (a *app) desk(ctx context.Context, st store.Store, t *takeoverFlags, address net.Addr) (*handoff.Desk, *messenger.Messenger, error) {
	if !t.on {
		m, err := a.messenger(ctx, st, nil)
		return nil, m, err
	}
	public := t.publicURL
	if public == "" {
		public = "http://" + address.String()
		if host, port, err := net.SplitHostPort(address.String()); err == nil && !weburl.IsLoopback(host) {
			public = "http://" + net.JoinHostPort("127.0.0.1", port)
		}
	}
	var m *messenger.Messenger // set before anyone uses the desk
	d, err := handoff.New(&handoff.Options{
		Store: st, PublicURL: public, Process: runner.ThisProcess(), Timeout: a.config.Handoff.Timeout, Logger: a.logger(),
		Secrets: a.secrets(st), KeyMade: a.printKeyPlace,
		Notify: func(n handoff.Notice) {
			a.printNotice(n, t.publicURL != "")
			if m != nil {
				m.Notice(n)
			}
		},
	})
	if err == nil {
		m, err = a.messenger(ctx, st, d)
	}
	return d, m, err
}

// restore goes on with the handoffs of a server that was killed.
func (a *app) restore(ctx context.Context, d *handoff.Desk, private bool) {
	all, err := d.Restore(ctx, func(ctx context.Context, session string) (*browser.Browser, error) {
		page, err := a.pageOptions(ctx)
		if err != nil {
			return nil, err
		}
		return browser.Attach(ctx, session, &browser.KeepOptions{Options: browser.Options{Page: page, AllowPrivateNetwork: private, Logger: a.logger()}})
	})
	a.warn(err)
	for _, h := range all {
		a.say("Handoff %s goes on: its link is the same, until %s.", h.ID(), h.Deadline().Local().Format("15:04"))
	}
}

// printNotice tells who reads the terminal that a person is needed.
func (a *app) printNotice(n handoff.Notice, public bool) {
	if n.Unmet != "" {
		a.say("Handoff %s: not yet, %s.", n.Handoff, n.Unmet)
		return
	}
	a.say("A person is needed (%s) until %s: %s", n.Reason, n.Deadline.Local().Format("15:04"), orText(n.Instruction, n.Text))
	if public {
		a.say("  Full access, do not forward: %s", n.Link)
	} else {
		a.say("  Come to the computer: %s", n.Link)
	}
}

func orText(texts ...string) string {
	for _, text := range texts {
		if text != "" {
			return text
		}
	}
	return "look at the page"
}

// serveDesk serves a desk alone, for a command that has no other server, until stop is called.
func (a *app) serveDesk(ctx context.Context, st store.Store, t *takeoverFlags) (d *handoff.Desk, stop func(), err error) {
	if !t.on {
		_, m, err := a.desk(ctx, st, t, nil)
		return nil, a.tells(ctx, m), err
	}
	listener, err := (&net.ListenConfig{}).Listen(ctx, "tcp", t.listen)
	if err != nil {
		return nil, nil, failure.Usagef("--takeover-listen %s: %v", t.listen, err)
	}
	d, m, err := a.desk(ctx, st, t, listener.Addr())
	if err != nil {
		_ = listener.Close()
		return nil, nil, err
	}
	quiet := a.tells(ctx, m)
	mux := http.NewServeMux()
	mux.Handle(handoff.Path, d)
	s := httpserver.New(mux, nil)
	done := make(chan struct{})
	go func() {
		defer close(done)
		if err := s.Serve(listener); ctx.Err() == nil && err != http.ErrServerClosed {
			a.warn(err)
		}
	}()
	return d, func() {
		d.Close()
		quiet()
		_ = s.Close()
		<-done
	}, nil
}
