package cli

import (
	"context"
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/rogpeppe/go-internal/testscript"

	"github.com/go-reprise/reprise/browser"
	"github.com/go-reprise/reprise/internal/simuser"
)

// crash kills the script's browser, or has it end by itself: crash quit
func crash(ts *testscript.TestScript, _ bool, args []string) {
	method := "Browser.crash"
	if len(args) > 0 {
		method = "Browser.close"
	}
	b := worldOf(ts).browser
	pages, err := b.Pages(context.Background())
	ts.Check(err)
	pages[0].Target().Tree().Client().Send("", method, nil)
	<-b.Done()
}

// patience is how long a script waits for a page.
const patience = 40 * time.Second

// gestures has a person act in the page of $SITE at a path, once a new one is
// there:
// person /form 'fill #name Ada' 'click #gift' 'see /form/done' close
func gestures(ts *testscript.TestScript, _ bool, args []string) {
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	defer cancel()
	page, err := worldOf(ts).pageAt(ctx, args[0])
	ts.Check(err)
	page.Target().Use()
	p := simuser.At(page.Target())
	for _, gesture := range args[1:] {
		ts.Check(act(ctx, page, p, strings.SplitN(gesture, " ", 3)))
	}
}

// pages counts those of the browser: pages 2
func pages(ts *testscript.TestScript, _ bool, args []string) {
	open, err := worldOf(ts).browser.Pages(context.Background())
	ts.Check(err)
	if strconv.Itoa(len(open)) != args[0] {
		ts.Fatalf("the browser has %d pages, want %s", len(open), args[0])
	}
}

// seen keeps a person from the pages that are there already.
func seen(ts *testscript.TestScript, _ bool, _ []string) {
	pages, err := worldOf(ts).browser.Pages(context.Background())
	ts.Check(err)
	for _, p := range pages {
		worldOf(ts).used[p.ID()] = true
	}
}

func act(ctx context.Context, page *browser.Page, p *simuser.User, words []string) error {
	switch words[0] {
	case "fill":
		return p.Fill(ctx, words[1], words[2])
	case "click":
		return p.Click(ctx, words[1])
	case "press":
		return p.Press(ctx, words[1])
	case "see":
		return p.See(ctx, words[1])
	case "close":
		return page.Close(ctx)
	}
	return fmt.Errorf("no gesture: %q", words)
}

// pageAt waits until a page that nobody has used is at a path of the site.
func (w *world) pageAt(ctx context.Context, path string) (*browser.Page, error) {
	again := time.NewTicker(10 * time.Millisecond)
	defer again.Stop()
	for {
		pages, err := w.browser.Pages(ctx)
		if err != nil {
			return nil, err
		}
		for _, p := range pages {
			if p.URL() == w.site.URL+path && !w.used[p.ID()] {
				w.used[p.ID()] = true
				return p, nil
			}
		}
		select {
		case <-again.C:
		case <-ctx.Done():
			return nil, fmt.Errorf("no page came to %s: %w", path, ctx.Err())
		}
	}
}
