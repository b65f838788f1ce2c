package replayer_test

import (
	"context"
	"testing"
	"time"

	"github.com/go-reprise/reprise/automation"
	"github.com/go-reprise/reprise/internal/browsertest"
	"github.com/go-reprise/reprise/internal/demosite"
	"github.com/go-reprise/reprise/internal/simuser"
	"github.com/go-reprise/reprise/recorder"
	"github.com/go-reprise/reprise/replayer"
)

// act is something that a person does.
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

// record records what a person does on a page.
func record(t *testing.T, url string, acts ...act) *automation.Automation {
	t.Helper()
	return recordWith(t, &recorder.Options{Name: "flow"}, url, acts...)
}

func recordWith(t *testing.T, o *recorder.Options, url string, acts ...act) *automation.Automation {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), 30*time.Second)
	defer cancel()
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
	for _, s := range a.Steps {
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

// eventually waits for what a server hears in its own time.
func eventually(t *testing.T, what string, ok func() bool) {
	t.Helper()
	tick := time.NewTicker(5 * time.Millisecond)
	defer tick.Stop()
	for deadline := time.Now().Add(patience); !ok(); <-tick.C {
		if time.Now().After(deadline) {
			t.Fatalf("waiting for %s: they did not come", what)
		}
	}
}
