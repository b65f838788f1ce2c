package cli

import (
	"context"
	"net"
	"net/http"

	"github.com/spf13/pflag"

	"github.com/go-reprise/reprise/browser"
	"github.com/go-reprise/reprise/handoff"
	"github.com/go-reprise/reprise/internal/cli/failure"
	"github.com/go-reprise/reprise/internal/httpserver"
	"github.com/go-reprise/reprise/internal/weburl"
	"github.com/go-reprise/reprise/store"
)

// takeoverFlags say whether, and where, people take pages over.
type takeoverFlags struct {
	on        bool
	publicURL string
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

// desk returns the desk, nil where no one takes over. Address is where it is served.
func (a *app) desk(st store.Store, t *takeoverFlags, address net.Addr) (*handoff.Desk, error) {
	if !t.on {
		return nil, nil
	}
	public := t.publicURL
	if public == "" {
		public = "http://" + address.String()
		if host, port, err := net.SplitHostPort(address.String()); err == nil && !weburl.IsLoopback(host) {
			public = "http://" + net.JoinHostPort("127.0.0.1", port)
		}
	}
	return handoff.New(&handoff.Options{
		Store: st, PublicURL: public, Timeout: a.config.Handoff.Timeout, Logger: a.logger(),
		Notify: func(n handoff.Notice) { a.printNotice(n, t.publicURL != "") },
	})
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
func (a *app) serveDesk(ctx context.Context, st store.Store, t *takeoverFlags, listen string) (d *handoff.Desk, stop func(), err error) {
	if !t.on {
		return nil, func() {}, nil
	}
	listener, err := (&net.ListenConfig{}).Listen(ctx, "tcp", listen)
	if err != nil {
		return nil, nil, failure.Usagef("--takeover-listen %s: %v", listen, err)
	}
	if d, err = a.desk(st, t, listener.Addr()); err != nil {
		_ = listener.Close()
		return nil, nil, err
	}
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
		_ = s.Close()
		<-done
	}, nil
}
