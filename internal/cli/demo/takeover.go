package demo

import (
	"context"
	"errors"
	"fmt"
	"net"
	"os"
	"path/filepath"
	"time"

	"github.com/go-reprise/reprise/agent"
	"github.com/go-reprise/reprise/automation"
	"github.com/go-reprise/reprise/browser"
	"github.com/go-reprise/reprise/handoff"
	"github.com/go-reprise/reprise/internal/demosite"
	"github.com/go-reprise/reprise/internal/httpserver"
	"github.com/go-reprise/reprise/internal/simuser"
	"github.com/go-reprise/reprise/replayer"
	"github.com/go-reprise/reprise/store/sealed"
)

// Takeover shows an agent that meets a sign-in, a person who signs in for it through the live view and has what they do
// kept, and the agent that meets the sign-in again.
func Takeover(ctx context.Context, o *Options) (result *Result, err error) {
	site, err := demosite.Start(nil)
	if err != nil {
		return nil, fmt.Errorf("serving the built-in site: %w", err)
	}
	defer func() { err = errors.Join(err, site.Close()) }()
	listener, err := (&net.ListenConfig{}).Listen(ctx, "tcp", "127.0.0.1:0")
	if err != nil {
		return nil, err
	}
	keys, err := os.MkdirTemp("", "reprise-demo-key-")
	if err != nil {
		return nil, errors.Join(err, listener.Close())
	}
	defer func() { err = errors.Join(err, os.RemoveAll(keys)) }()
	place, err := sealed.File(filepath.Join(keys, "key"), o.Dir)
	if err != nil {
		return nil, errors.Join(err, listener.Close())
	}
	safe := sealed.New(o.Store, place)
	notices := make(chan handoff.Notice, 2)
	desk, err := handoff.New(&handoff.Options{
		Store: o.Store, PublicURL: "http://" + listener.Addr().String(), Notify: func(n handoff.Notice) { notices <- n },
		Secrets: func() (*sealed.SecretStore, error) { return safe, nil },
	})
	if err != nil {
		return nil, errors.Join(err, listener.Close())
	}
	defer desk.Close()
	s := httpserver.New(desk, nil)
	go func() { _ = s.Serve(listener) }() // until it is closed
	defer func() { _ = s.Close() }()
	served, err := agent.New(ctx, &agent.Options{
		Store: o.Store, Handoffs: desk, Browser: func(context.Context) (*browser.Browser, error) { return o.Browser, nil },
		Values: func(ctx context.Context, w agent.ValuesRequest) (replayer.Values, error) {
			return safe.Values(ctx, w.Automation, sealed.Scope{Account: w.Account})
		},
	})
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, served.Close()) }()
	d := &demo{Options: *o, site: site}
	shown, err := d.takeover(ctx, served, notices)
	result = &Result{Site: site.URL, Flows: []Flow{*shown}}
	if err != nil {
		return result, err
	}
	again, err := d.again(ctx, served, notices)
	result.Flows = append(result.Flows, *again)
	return result, err
}

func (d *demo) takeover(ctx context.Context, served *agent.Server, notices <-chan handoff.Notice) (*Flow, error) {
	shown := &Flow{Name: "takeover"}
	client, err := served.Client("demo")
	if err != nil {
		return shown, err
	}
	defer client.Close()
	who := d.site.Accounts()[0]
	d.title("An agent is blocked, and a person helps")
	d.line("The agent goes to %s/dashboard, and meets a sign-in.", d.site.URL)
	if _, err := client.Call(ctx, "navigate", map[string]any{"url": d.site.URL + "/dashboard"}, nil); err != nil {
		return shown, err
	}
	helped := make(chan error, 1)
	go func() { helped <- d.help(ctx, <-notices, who) }()
	began := time.Now()
	done, err := client.Call(ctx, "request_human", map[string]any{
		"reason": automation.ReasonLogin, "instruction": "Sign in as " + who.Email + ".", "until": d.site.URL + "/dashboard", "intent": "see the dashboard",
	}, nil)
	if err != nil {
		return shown, err
	}
	if err := <-helped; err != nil {
		return shown, err
	}
	d.line("The agent is told: %v. %v.", done.Value["delta_summary"], done.Value["resume_hint"])
	snapshot, err := client.Call(ctx, "snapshot", nil, nil)
	if err != nil {
		return shown, err
	}
	shown.Checks = []Check{
		{"the person has returned the page", done.Value["status"] == string(handoff.Finished)},
		{fmt.Sprintf("the server has signed %s in, once", who.Email), d.site.SignIns(who.Email) == 1},
		{"the agent goes on in the same page, signed in", snapshot.Value["url"] == d.site.URL+"/dashboard"},
	}
	shown.Steps = 1
	d.line("It took %s.", time.Since(began).Round(100*time.Millisecond))
	return shown, d.report(shown)
}

// again has another agent meet the sign-in, in a window that has never seen the site.
func (d *demo) again(ctx context.Context, served *agent.Server, notices <-chan handoff.Notice) (*Flow, error) {
	shown := &Flow{Name: "takeover-again", Steps: 1}
	client, err := served.Client("demo-again")
	if err != nil {
		return shown, err
	}
	defer client.Close()
	who := d.site.Accounts()[0]
	d.title("The same blocker again")
	d.line("Another agent goes there, in a window that has never seen the site, and asks for a person.")
	if _, err := client.Call(ctx, "navigate", map[string]any{"url": d.site.URL + "/dashboard"}, nil); err != nil {
		return shown, err
	}
	began := time.Now()
	done, err := client.Call(ctx, "request_human", map[string]any{"reason": automation.ReasonLogin, "instruction": "Sign in as " + who.Email + ".", "until": d.site.URL + "/dashboard"}, nil)
	if err != nil {
		return shown, err
	}
	shown.Duration = replayer.Duration(time.Since(began))
	d.line("The agent is told: %v.", done.Value["resume_hint"])
	clean, err := d.holdsNoPassword()
	if err != nil {
		return shown, err
	}
	shown.Checks = []Check{
		{"no one was called: " + fmt.Sprint(done.Value["automation"]) + ", which was learned from the person, has signed in", done.Value["by"] == "automation" && len(notices) == 0},
		{fmt.Sprintf("the server has signed %s in, twice", who.Email), d.site.SignIns(who.Email) == 2},
		clean,
	}
	d.line("It took %s.", time.Since(began).Round(100*time.Millisecond))
	return shown, d.report(shown)
}

// help is the person: what they see of the page is where they press in the live view.
func (d *demo) help(ctx context.Context, n handoff.Notice, who demosite.Account) error {
	d.line("A person is told: %s", n.Instruction)
	d.line("They open the link in their own browser, switch on \"Keep what I do\", and sign in through the live view.")
	h, err := d.Store.Handoffs().Get(ctx, n.Handoff)
	if err != nil {
		return err
	}
	blocked, err := d.Browser.Page(ctx, h.Page)
	if err != nil {
		return err
	}
	phone, err := d.Browser.NewIsolatedPage(ctx, n.Link)
	if err != nil {
		return err
	}
	defer func() { _ = closing(ctx, phone) }()
	p := simuser.Help(phone.Target(), blocked.Target())
	saved := func() error {
		d.line("The page is returned. What they did is offered to them, and they save it, with the password for the vault.")
		return p.Save(ctx, map[string]string{"email": who.Email, "password": who.Password})
	}
	for _, act := range []func() error{
		func() error { return p.Learn(ctx) },
		func() error { return p.Click(ctx, "#accept-all") },
		func() error { return p.Fill(ctx, "#identifierId", who.Email) },
		func() error { return p.Click(ctx, "#identifierNext") },
		func() error { return p.Fill(ctx, "#password", who.Password) },
		func() error { return p.Click(ctx, "#passwordNext") },
		func() error { return simuser.At(blocked.Target()).See(ctx, "/dashboard") },
		func() error { return p.Return(ctx) },
		saved,
	} {
		if err := act(); err != nil {
			return err
		}
	}
	return nil
}
