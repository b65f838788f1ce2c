package runner_test

import (
	"context"
	"net/http/httptest"
	"testing"

	"github.com/go-reprise/reprise/browser"
	"github.com/go-reprise/reprise/internal/runner"
	"github.com/go-reprise/reprise/replayer"
	"github.com/go-reprise/reprise/store"
)

// BenchmarkKeep plays a flow in a browser on a pipe, and in one that a keeper owns, in turn.
func BenchmarkKeep(b *testing.B) {
	site := httptest.NewServer(&shop{drafts: map[string]int{}, paid: map[string]int{}})
	defer site.Close()
	st, err := store.Open(b.Context(), b.TempDir())
	if err != nil {
		b.Fatal(err)
	}
	defer func() { _ = st.Close() }()
	r := &runner.Runner{Store: st}
	doc := order(b, site.URL+"/", true)
	for name, open := range map[string]func() (*browser.Browser, error){
		"pipe":   func() (*browser.Browser, error) { return browser.Launch(b.Context(), nil) },
		"keeper": func() (*browser.Browser, error) { return browser.Keep(b.Context(), nil) },
	} {
		b.Run(name, func(b *testing.B) {
			on, err := open()
			if err != nil {
				b.Fatal(err)
			}
			defer func() { _ = on.Close() }()
			page, err := on.NewIsolatedPage(context.WithoutCancel(b.Context()), "")
			if err != nil {
				b.Fatal(err)
			}
			for b.Loop() {
				_, err := r.Run(b.Context(), runner.Request{
					Document: doc, Pages: runner.OpenPage{Page: page}, Values: replayer.Map{"name": "Ada"}, Options: replayer.Options{Commit: replayer.AllowCommits},
				}, runner.Events{})
				if err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
