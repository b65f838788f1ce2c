package storetest

import (
	"errors"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/go-reprise/reprise/store"
)

// Browser returns one that has something in each of its fields.
func Browser() store.Browser {
	at := time.Date(2026, 3, 4, 5, 6, 7, 0, time.UTC)
	return store.Browser{
		ID: store.NewRunID(), Kind: store.KindEndpoint, Session: "wss://chrome.example:9222", Context: "C0FFEE", Page: "PAGE",
		Process: store.Process{PID: 42, Host: "host.example", Started: at.Add(-time.Hour)}, Started: at, Seen: at.Add(time.Minute),
	}
}

// browsers reads the list.
func browsers(t *testing.T, s store.Store) []store.Browser {
	t.Helper()
	var all []store.Browser
	for b, err := range s.Browsers().List(t.Context()) {
		if err != nil || b.Err != nil {
			t.Fatal(err, b.Err)
		}
		all = append(all, b.Browser)
	}
	return all
}

func browsersStored(t *testing.T, s store.Store) {
	first := Browser()
	second := Browser()
	second.Kind, second.Session, second.Context = store.KindLocal, "x7f3", ""
	for _, b := range []store.Browser{first, second} {
		if err := s.Browsers().Save(t.Context(), b); err != nil {
			t.Fatal(err)
		}
	}
	first.Page, first.Seen = "ANOTHER", first.Seen.Add(time.Minute)
	if err := s.Browsers().Save(t.Context(), first); err != nil {
		t.Fatal(err)
	}
	want := []store.Browser{first, second}
	slices.SortFunc(want, func(a, b store.Browser) int { return strings.Compare(b.ID, a.ID) }) // two of one millisecond come in any order
	if diff := cmp.Diff(want, browsers(t, s)); diff != "" {
		t.Errorf("the list (-want +got):\n%s", diff)
	}
	for range 2 {
		if err := s.Browsers().Delete(t.Context(), second.ID); err != nil {
			t.Errorf("Delete: %v", err)
		}
	}
	for _, none := range []string{"", "../runs", "a\x00b", strings.Repeat("x", 26)} {
		if err := s.Browsers().Delete(t.Context(), none); err != nil {
			t.Errorf("deleting %q: %v", none, err)
		}
	}
	if diff := cmp.Diff([]store.Browser{first}, browsers(t, s)); diff != "" {
		t.Errorf("after Delete (-want +got):\n%s", diff)
	}
}

func invalidBrowsers(t *testing.T, s store.Store) {
	for name, spoil := range map[string]func(*store.Browser){
		"no ID":                        func(b *store.Browser) { b.ID = "" },
		"an ID that is a path":         func(b *store.Browser) { b.ID = "../../etc" },
		"no kind":                      func(b *store.Browser) { b.Kind = "" },
		"no session":                   func(b *store.Browser) { b.Session = "" },
		"an endpoint with its key":     func(b *store.Browser) { b.Session = "wss://chrome.example/?token=k" },
		"an endpoint with a password":  func(b *store.Browser) { b.Session = "wss://me:pw@chrome.example" },
		"a page with a null character": func(b *store.Browser) { b.Page = "a\x00" },
		"a page of a kilobyte":         func(b *store.Browser) { b.Page = strings.Repeat("p", 1000) },
	} {
		b := Browser()
		spoil(&b)
		var invalid *store.InvalidBrowserError
		if err := s.Browsers().Save(t.Context(), b); !errors.As(err, &invalid) {
			t.Errorf("%s: %v, want an InvalidBrowserError", name, err)
		}
	}
	if all := browsers(t, s); len(all) > 0 {
		t.Errorf("there are %+v", all)
	}
}
