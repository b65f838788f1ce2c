package main

import (
	"context"
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/go-reprise/reprise/internal/browsertest"
)

// office is a page on which every kind of change applies to some element.
const office = `<!doctype html><html lang="en"><title>Office</title>
<style>.row{padding:4px}.nav .entry{display:inline-block;padding:2px}#save{color:red}.off{display:none}</style>
<body><nav class="nav" id="menu"><ul><li class="entry"><a class="link" href="/home">Home page</a><li class="entry"><a class="link" href="/orders/1">Orders 12</a><li class="entry"><a class="link" href="/people">All people</a></ul></nav>
<main><section><h2>Settings of the office</h2><p>Change what you like.</p>
<form><div class="row"><label for="name">Full name</label><input id="name" name="name" type="text" placeholder="Your name"></div>
<div class="row"><label for="mail">E-mail address</label><input id="mail" name="mail" type="email" placeholder="you at home"></div>
<div class="row"><label><input type="checkbox" name="news" value="yes"> Send me news</label></div>
<button id="save" class="btn primary" type="submit" title="Save it all">Save changes</button><button class="btn" type="button">Go back</button></form></section>
<section><h2>Other things</h2><div class="card"><span>Nothing yet</span></div><div class="off"><a href="/secret">Unseen</a></div></section></main></body></html>`

var probes = sync.OnceValues(func() (string, error) {
	return bundle(context.Background(), ".", "probes.ts", "")
})

// opened is a contest on the office page, with the probes as contestants.
func opened(t *testing.T) (*contest, context.Context) {
	t.Helper()
	script, err := probes()
	if err != nil {
		t.Fatal(err)
	}
	site := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "text/html; charset=utf-8")
		if _, err := w.Write([]byte(office)); err != nil {
			t.Log(err)
		}
	}))
	t.Cleanup(site.Close)
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	t.Cleanup(cancel)
	all := regexp.MustCompile("")
	c := &contest{
		stage: &stage{page: browsertest.Page(t, ""), script: script},
		o:     options{set: "test", targets: 20, kinds: all, pages: all},
		page:  "office", at: site.URL,
	}
	return c, ctx
}

// seen is how the page looked before or after a change.
func seen(t *testing.T, v verdict) string {
	t.Helper()
	var html string
	if err := json.Unmarshal(v.Says, &html); err != nil {
		t.Fatal(err)
	}
	return html
}

func TestEveryChangeAppliesAndIsTakenBack(t *testing.T) {
	t.Parallel()
	c, ctx := opened(t)
	if err := c.run(ctx); err != nil {
		t.Fatal(err)
	}
	if len(c.mishaps) > 0 {
		t.Errorf("not taken back:\n%s", strings.Join(c.mishaps, "\n"))
	}
	var kinds []kind
	if err := c.stage.eval(ctx, &kinds, "selbench.kinds()"); err != nil {
		t.Fatal(err)
	}
	for _, k := range append(kinds, kind{Name: kindReloaded}) {
		applied := slices.ContainsFunc(c.trials, func(tr trial) bool { return tr.Kind == k.Name && tr.Skipped == "" })
		if !applied {
			t.Errorf("%s applied to no element", k.Name)
		}
	}
}

func TestAPageThatWasNotPutBackIsNoticed(t *testing.T) {
	t.Parallel()
	c, ctx := opened(t)
	c.describes = map[string][]float64{}
	if err := c.open(ctx); err != nil {
		t.Fatal(err)
	}
	if err := c.stage.eval(ctx, nil, `document.body.append("left over")`); err != nil {
		t.Fatal(err)
	}
	if err := c.one(ctx, kind{Name: kindUnchanged}); err != nil {
		t.Fatal(err)
	}
	if len(c.mishaps) != 1 {
		t.Errorf("mishaps: %q, want one", c.mishaps)
	}
	if err := c.one(ctx, kind{Name: kindUnchanged}); err != nil || len(c.mishaps) != 1 {
		t.Errorf("after it was loaded again: %v, %q", err, c.mishaps)
	}
}

func TestVerdictsFollowTheElement(t *testing.T) {
	t.Parallel()
	c, ctx := opened(t)
	if err := c.run(ctx); err != nil {
		t.Fatal(err)
	}
	for _, tr := range c.trials {
		if tr.Skipped != "" {
			continue
		}
		want := map[string]string{"wrong": "wrong", "watcher": "nothing", "failing": "nothing", "holder": "right"}
		if tr.Gone {
			want["holder"] = "nothing"
		}
		if tr.Kind == "tag swapped" {
			want["holder"], want["reader"] = "nothing", "right" // the old one is out of the document
		}
		if tr.Kind == "big release" || tr.Kind == kindReloaded {
			delete(want, "holder") // another took its place, here and there
		}
		for name, found := range want {
			if got := tr.Verdicts[name]; got.Found != found {
				t.Errorf("%s, %s: %s found %s, want %s", tr.Kind, tr.HTML, name, got.Found, found)
			}
		}
		if tr.Verdicts["failing"].Error == "" {
			t.Errorf("%s: the error of a contestant is not told", tr.Kind)
		}
	}
}

func TestNothingInThePageTellsWhichElementIsMeant(t *testing.T) {
	t.Parallel()
	c, ctx := opened(t)
	if err := c.run(ctx); err != nil {
		t.Fatal(err)
	}
	for _, tr := range c.trials {
		if tr.Skipped == "" && tr.Kind == kindUnchanged && seen(t, tr.Verdicts["watcher"]) != before(t, c) {
			t.Fatal("the unchanged page is not as it was described")
		}
	}
}

// before is the page as it was described.
func before(t *testing.T, c *contest) string {
	t.Helper()
	var html string
	if err := json.Unmarshal(c.plain["watcher"][0], &html); err != nil {
		t.Fatal(err)
	}
	return html
}

func TestTheSameSeedGivesTheSameChanges(t *testing.T) {
	t.Parallel()
	pages := [2]map[string]string{}
	for i := range pages {
		c, ctx := opened(t)
		if err := c.run(ctx); err != nil {
			t.Fatal(err)
		}
		pages[i] = map[string]string{}
		for _, tr := range c.trials {
			if tr.Skipped == "" {
				pages[i][tr.Kind+tr.HTML] = seen(t, tr.Verdicts["watcher"])
			}
		}
	}
	if len(pages[0]) != len(pages[1]) {
		t.Errorf("%d changes the first time, %d the second", len(pages[0]), len(pages[1]))
	}
	for name, html := range pages[0] {
		if pages[1][name] != html {
			t.Errorf("%s was another change the second time", name)
		}
	}
}
