package replayer_test

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/go-reprise/reprise/automation"
	"github.com/go-reprise/reprise/internal/browsertest"
	"github.com/go-reprise/reprise/internal/demosite"
	"github.com/go-reprise/reprise/internal/simuser"
	"github.com/go-reprise/reprise/recorder"
	"github.com/go-reprise/reprise/replayer"
)

func TestMain(m *testing.M) {
	if isChild() {
		if err := payAsChild(); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
		return
	}
	browsertest.Main(m)
}

// act is something that a simulated user does.
type act func(context.Context, *simuser.User) error

func clickOn(path string) act {
	return func(ctx context.Context, p *simuser.User) error { return p.Click(ctx, path) }
}

func fill(path, text string) act {
	return func(ctx context.Context, p *simuser.User) error { return p.Fill(ctx, path, text) }
}

func press(key string) act {
	return func(ctx context.Context, p *simuser.User) error { return p.Press(ctx, key) }
}

func see(part string) act {
	return func(ctx context.Context, p *simuser.User) error { return p.See(ctx, part) }
}

func startSite(t *testing.T) *demosite.Server {
	t.Helper()
	site, err := demosite.Start(nil)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { site.Close() })
	return site
}

// record records what a simulated user does on a page.
func record(t *testing.T, url string, acts ...act) *automation.Automation {
	t.Helper()
	return recordWith(t, &recorder.Options{Name: "flow"}, url, acts...)
}

func recordWith(t *testing.T, o *recorder.Options, url string, acts ...act) *automation.Automation {
	t.Helper()
	ctx := browsertest.Context(t)
	page := browsertest.Page(t, url)
	r, err := recorder.Start(ctx, page, o)
	if err != nil {
		t.Fatal(err)
	}
	p := simuser.At(page.Target())
	for i, act := range acts {
		if err := act(ctx, p); err != nil {
			t.Fatalf("act %d: %v", i, err)
		}
	}
	a, _, err := r.Stop(ctx)
	if err != nil {
		t.Fatal(err)
	}
	return a
}

// play plays an automation on a page of its own and wants it to succeed.
func play(t *testing.T, a *automation.Automation, values replayer.Map) *replayer.Result {
	t.Helper()
	page := browsertest.Page(t, "")
	result, err := replayer.Play(t.Context(), page, a, &replayer.Options{Commit: replayer.AllowCommits, Values: values, Timeout: 10 * time.Second})
	if err != nil {
		data, _ := automation.Marshal(a)
		t.Fatalf("%v\n%s", err, data)
	}
	return result
}

// toolsOf lists the steps in short.
func toolsOf(a *automation.Automation) []string {
	var tools []string
	for _, s := range browsertest.Literal(a).Steps {
		what := s.Tool
		switch {
		case s.URL != "":
			what += " " + s.URL
		case s.Key != "":
			what += " " + s.Key
		case s.Value != nil && s.Value.Kind == automation.Variable:
			what += " ${" + s.Value.Name + "}"
		case s.Value != nil:
			what += " " + string(s.Value.Value)
		}
		if s.Page != "" {
			what += " @" + s.Page
		}
		for _, f := range s.Frame {
			what += " in " + f.String()
		}
		if s.Tool == "click" {
			what += " " + s.Selector.String()
		}
		tools = append(tools, what)
	}
	return tools
}

// patience is how long is waited for what must come: this machine may have other things to do.
const patience = 30 * time.Second

// steps are what an automation does, in short, without the site's address.
func steps(site *demosite.Server, a *automation.Automation) []string {
	host := strings.TrimPrefix(site.URL, "http://")
	all := toolsOf(a)
	for i := range all {
		all[i] = strings.ReplaceAll(strings.ReplaceAll(all[i], site.URL, ""), host, "")
	}
	return all
}

func typeText(text string) act {
	return func(ctx context.Context, p *simuser.User) error { return p.Type(ctx, text) }
}

func wantSteps(t *testing.T, site *demosite.Server, a *automation.Automation, want ...string) {
	t.Helper()
	if diff := cmp.Diff(want, steps(site, a)); diff != "" {
		t.Errorf("recorded steps (-want +got):\n%s", diff)
	}
}

// inCross presses an element of the frame of another origin, which looks like
// the one of the same origin.
func inCross(path string) act {
	return func(ctx context.Context, p *simuser.User) error {
		return p.ClickTwin(ctx, "#same >>> "+path, "#cross")
	}
}

// document makes an automation of steps for a site.
func document(t *testing.T, url, steps string) *automation.Automation {
	t.Helper()
	a, err := automation.Parse(fmt.Appendf(nil, `{"format":1,"name":"test","match":{"urls":[%q]},"steps":[%s]}`, url[len("http://"):]+"/*", steps))
	if err != nil {
		t.Fatal(err)
	}
	return a
}

// serve serves one page at every path.
func serve(t testing.TB, html string) *httptest.Server {
	t.Helper()
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "text/html; charset=utf-8")
		fmt.Fprint(w, "<!doctype html>", html)
	}))
	t.Cleanup(server.Close)
	return server
}

func wantCode(t *testing.T, err error, code replayer.Code, step int) *replayer.Error {
	t.Helper()
	var e *replayer.Error
	if !errors.As(err, &e) || e.Code != code || e.Step != step {
		t.Fatalf("Play gave %v, want code %s at step index %d", err, code, step)
	}
	return e
}
