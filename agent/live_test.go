package agent_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/go-reprise/reprise/agent"
	"github.com/go-reprise/reprise/browser"
	"github.com/go-reprise/reprise/replayer"
	"github.com/go-reprise/reprise/store"
)

// eventually waits until something holds, for as long as a busy machine may need.
func eventually(t *testing.T, what string, holds func() bool) {
	t.Helper()
	again := time.NewTicker(20 * time.Millisecond)
	defer again.Stop()
	for deadline := time.Now().Add(30 * time.Second); time.Now().Before(deadline); <-again.C {
		if holds() {
			return
		}
	}
	t.Fatalf("not within 30 s: %s", what)
}

func TestAutomationsThatComeAndGoAreSeen(t *testing.T) {
	t.Parallel()
	p := at(t, func(o *agent.Options) { o.Refresh = 50 * time.Millisecond })
	changed := make(chan struct{}, 1000)
	s := p.client(&mcp.ClientOptions{ToolListChangedHandler: func(context.Context, *mcp.ToolListChangedRequest) { changed <- struct{}{} }})
	before := len(names(t, s))
	const many = 100
	for i := range many {
		p.keep(strings.Replace(signIn, "demo-login", fmt.Sprintf("flow-%d", i), 1))
	}
	<-changed
	eventually(t, "all are tools", func() bool { return len(names(t, s)) == before+many })
	if tool := names(t, s)["run_flow_42"]; tool == nil || !strings.Contains(tool.Description, "Sign in to the demo") {
		t.Errorf("%v", tool)
	}
	for len(changed) > 0 {
		<-changed
	}
	for i := range many {
		if err := p.st.Automations().Delete(t.Context(), fmt.Sprintf("flow-%d", i), "", store.AnyRevision); err != nil {
			t.Fatal(err)
		}
	}
	<-changed
	eventually(t, "all are gone", func() bool { return len(names(t, s)) == before })
	r, err := s.CallTool(t.Context(), &mcp.CallToolParams{Name: "run_flow_42"})
	if err == nil {
		t.Errorf("a tool that has gone gives %v", r)
	}
}

func TestAChangedAutomationChangesItsTool(t *testing.T) {
	t.Parallel()
	p := at(t, nil)
	p.keep(signIn)
	s := p.client(nil)
	if names(t, s)["run_demo_login"].Title != "Sign in to the demo" {
		t.Error("another title")
	}
	a, err := p.st.Automations().Get(t.Context(), "demo-login", "")
	if err != nil {
		t.Fatal(err)
	}
	a.Description = "Come in"
	if _, err := p.st.Automations().Save(t.Context(), a); err != nil {
		t.Fatal(err)
	}
	if title := names(t, s)["run_demo_login"].Title; title != "Come in" {
		t.Errorf("the title is still %q", title)
	}
}

// watchedBrowser returns a server's browser, to look at its pages.
func watchedBrowser(o *agent.Options) func() *browser.Browser {
	var mu sync.Mutex
	var b *browser.Browser
	o.Browser = func(ctx context.Context) (*browser.Browser, error) {
		launched, err := browser.Launch(ctx, nil)
		mu.Lock()
		defer mu.Unlock()
		b = launched
		return launched, err
	}
	return func() *browser.Browser {
		mu.Lock()
		defer mu.Unlock()
		return b
	}
}

func pagesOf(t *testing.T, b *browser.Browser, site string) int {
	t.Helper()
	if b == nil {
		return 0
	}
	pages, err := b.Pages(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	n := 0
	for _, page := range pages {
		if strings.HasPrefix(page.URL(), site) {
			n++
		}
	}
	return n
}

func TestFiftySessionsCallAtOnce(t *testing.T) {
	t.Parallel()
	var b func() *browser.Browser
	p := at(t, func(o *agent.Options) {
		b = watchedBrowser(o)
		o.Timeout = 2 * time.Minute
	})
	const many = 50
	var all sync.WaitGroup
	clients := make([]*mcp.ClientSession, many)
	for i := range many {
		clients[i] = p.client(nil)
	}
	for i := range many {
		all.Go(func() {
			r, err := clients[i].CallTool(t.Context(), &mcp.CallToolParams{Name: "navigate", Arguments: map[string]any{"url": p.site.URL + "/form", "timeout": "120s"}})
			if err != nil || r.IsError {
				t.Errorf("client %d: %v, %+v", i, err, r)
			}
		})
	}
	all.Wait()
	if n := pagesOf(t, b(), p.site.URL); n != many {
		t.Errorf("%d pages, want one for each client", n)
	}
	for _, c := range clients {
		_ = c.Close()
	}
	eventually(t, "all pages are closed", func() bool { return pagesOf(t, b(), p.site.URL) == 0 })
	sessions, err := p.st.Journal().Sessions(t.Context())
	if err != nil || len(sessions) != many {
		t.Errorf("%d traces, %v", len(sessions), err)
	}
	for _, session := range sessions {
		if check, err := p.st.Journal().Verify(t.Context(), session); err != nil || check.Calls != 1 {
			t.Errorf("%s: %+v, %v", session, check, err)
		}
	}
}

func TestAClientThatVanishesFreesItsPage(t *testing.T) {
	t.Parallel()
	var b func() *browser.Browser
	p := at(t, func(o *agent.Options) { b = watchedBrowser(o); o.Owner = "the client" })
	p.keep(`{"format": 1, "name": "waits", "match": {"urls": ["HOST/*"]}, "steps": [
		{"tool": "navigate", "url": "http://HOST/form"}, {"tool": "click", "selector": "#never", "timeout": "100s"}]}`)
	s, line := p.onLine()
	must(t, s, "navigate", map[string]any{"url": p.site.URL + "/form"})
	called := make(chan error, 1)
	go func() {
		_, err := s.CallTool(context.Background(), &mcp.CallToolParams{Name: "run_waits"})
		called <- err
	}()
	var run store.Run
	eventually(t, "it runs", func() bool {
		for r := range p.st.Runs().List(t.Context()) {
			run = r.Run
		}
		return run.State == store.Running && len(run.Steps) == 1
	})
	_ = line.Close() // as the end of a program does, in the middle of a call
	<-called
	eventually(t, "its page is closed", func() bool { return pagesOf(t, b(), p.site.URL) == 0 })
	eventually(t, "its run is cancelled", func() bool {
		r, err := p.st.Runs().Get(t.Context(), run.ID)
		return err == nil && r.State == store.Cancelled
	})
	other := p.client(nil)
	r := must(t, other, "run_status", map[string]any{"run": run.ID})
	if told, _ := r.Value["run"].(map[string]any); told["state"] != "cancelled" || told["steps_done"] != 1.0 {
		t.Errorf("%s", r.Text)
	}
}

func TestACallIsCancelled(t *testing.T) {
	t.Parallel()
	p := at(t, nil)
	s := p.client(nil)
	must(t, s, "navigate", map[string]any{"url": p.site.URL + "/form"})
	ctx, cancel := context.WithCancel(t.Context())
	called := make(chan error, 1)
	go func() {
		_, err := s.CallTool(ctx, &mcp.CallToolParams{Name: "click", Arguments: map[string]any{"target": "#never", "timeout": "300s"}})
		called <- err
	}()
	// What takes no turn is answered meanwhile.
	must(t, s, "run_status", nil)
	cancel()
	if err := <-called; !errors.Is(err, context.Canceled) {
		t.Errorf("%v", err)
	}
	eventually(t, "it is written down", func() bool {
		calls := p.trace()
		return len(calls) == 3 && calls[1].Outcome == store.CallCancelled || len(calls) == 3 && calls[2].Outcome == store.CallCancelled
	})
	must(t, s, "click", map[string]any{"target": "#gift"}) // the page is there as before
}

func TestProgressIsTold(t *testing.T) {
	t.Parallel()
	p := at(t, nil)
	p.keep(signIn)
	var mu sync.Mutex
	var told []mcp.ProgressNotificationParams
	s := p.client(&mcp.ClientOptions{ProgressNotificationHandler: func(_ context.Context, r *mcp.ProgressNotificationClientRequest) {
		mu.Lock()
		defer mu.Unlock()
		told = append(told, *r.Params)
	}})
	params := &mcp.CallToolParams{Name: "run_demo_login", Arguments: map[string]any{"account": p.site.Accounts()[0].Email}}
	params.SetProgressToken("mine")
	if r, err := s.CallTool(t.Context(), params); err != nil || r.IsError {
		t.Fatal(err, r)
	}
	eventually(t, "each step is told", func() bool {
		mu.Lock()
		defer mu.Unlock()
		return len(told) == 8
	})
	if told[2].Message != "say who it is" || told[2].Total != 8 || told[2].Progress != 2 || told[2].ProgressToken != "mine" {
		t.Errorf("%+v", told[2])
	}
}

func TestABrowserThatWasLostIsStartedAgain(t *testing.T) {
	t.Parallel()
	var b func() *browser.Browser
	p := at(t, func(o *agent.Options) { b = watchedBrowser(o) })
	s := p.client(nil)
	must(t, s, "navigate", map[string]any{"url": p.site.URL + "/form"})
	if err := b().Close(); err != nil {
		t.Fatal(err)
	}
	fails(t, s, string(replayer.OutOfScope), "click", map[string]any{"target": "#gift"}) // the new page is nowhere yet
	must(t, s, "navigate", map[string]any{"url": p.site.URL + "/form"})
	must(t, s, "click", map[string]any{"target": "#gift"})
}
