package store

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"iter"
	"net/url"
	"time"
)

// Browsers stores what outlives its process, so that another one can close it or go on with
// it: a browser that browser.Keep started, a session at a provider, a browser context in a
// browser that was connected to. One that is closed is deleted.
//
// Every method returns context.Cause(ctx) once ctx is done.
type Browsers interface {
	// Save writes one, new or not. What is wrong with it is an *InvalidBrowserError.
	Save(ctx context.Context, b Browser) error
	// Delete removes one. That it is not there is no error.
	Delete(ctx context.Context, id string) error
	// List returns them, the newest first. One that cannot be read is listed with its
	// reason. An error of the iteration itself is its last pair.
	List(ctx context.Context) iter.Seq2[BrowserSummary, error]
}

// Browser is one that a process holds.
type Browser struct {
	ID string // made by NewRunID
	// Kind is how it is reached: KindLocal, KindEndpoint, or the name of a provider.
	Kind string
	// Session is its name there: the browser.Instance.ID of a local one, the scheme and host
	// of an endpoint, the identifier of a provider's session. It is no key.
	Session string
	// Context is the browser context that is held, "" for all of the browser.
	Context string
	// Page is the browser's name of the page that is held, as Run.Page has it; "" for none.
	Page string
	// Process holds it. Seen is its last sign of life, Started its first.
	Process       Process
	Started, Seen time.Time
}

// The kinds of browsers that are of no provider.
const (
	KindLocal    = "local"
	KindEndpoint = "endpoint"
)

// BrowserSummary is a browser in a list.
type BrowserSummary struct {
	Browser
	Err error // why it cannot be read; then only ID is set
}

// InvalidBrowserError is a browser that cannot be saved.
type InvalidBrowserError struct{ ID, Reason string }

func (e *InvalidBrowserError) Error() string {
	return fmt.Sprintf("store: the browser %.40q is not saved: %s", e.ID, e.Reason)
}

// maxBrowserSize is far more than a record has, maxBrowserName than a name.
const (
	maxBrowserSize = 16 << 10
	maxBrowserName = 512
)

// Validate returns what is wrong with it, as an *InvalidBrowserError.
func (b Browser) Validate() error {
	wrong := func(reason string) error { return &InvalidBrowserError{b.ID, reason} }
	if !idPattern.MatchString(b.ID) {
		return wrong("its ID is not one that NewRunID makes")
	}
	if b.Kind == "" || b.Session == "" {
		return wrong("it must have a kind and a session")
	}
	for _, name := range []string{b.Kind, b.Session, b.Context, b.Page, b.Process.Host} {
		if !isText(name, maxBrowserName) {
			return wrong(fmt.Sprintf("its names must be texts of at most %d bytes", maxBrowserName))
		}
	}
	if b.Kind != KindEndpoint {
		return nil
	}
	u, err := url.Parse(b.Session)
	if err != nil || u.Host == "" || *u != (url.URL{Scheme: u.Scheme, Host: u.Host}) {
		return wrong("its endpoint must be a scheme and a host: the rest can be a key")
	}
	return nil
}

// storedBrowser is Browser as it is in a file.
type storedBrowser struct {
	Format  int       `json:"format"`
	ID      string    `json:"id"`
	Kind    string    `json:"kind"`
	Session string    `json:"session"`
	Context string    `json:"context,omitempty"`
	Page    string    `json:"page,omitempty"`
	Process Process   `json:"process"`
	Started time.Time `json:"started"`
	Seen    time.Time `json:"seen"`
}

const browserFormat = 1

// encodeBrowser returns the JSON in which a browser is stored. It refuses what Validate does.
func encodeBrowser(b Browser) ([]byte, error) {
	if err := b.Validate(); err != nil {
		return nil, err
	}
	return encodeIndented(storedBrowser{
		browserFormat, b.ID, b.Kind, b.Session, b.Context, b.Page, b.Process, b.Started.UTC().Round(0), b.Seen.UTC().Round(0),
	})
}

// decodeBrowser reads what encodeBrowser returns.
func decodeBrowser(data []byte) (Browser, error) {
	var s storedBrowser
	if err := json.Unmarshal(data, &s); err != nil {
		return Browser{}, err
	}
	if s.Format != browserFormat {
		return Browser{}, fmt.Errorf("format %d is not one that this version reads", s.Format)
	}
	b := Browser{s.ID, s.Kind, s.Session, s.Context, s.Page, s.Process, s.Started, s.Seen}
	return b, b.Validate()
}

// dirBrowsers has a browser in browsers/ID.json.
type dirBrowsers struct{ records[Browser] }

// Browsers returns what outlives its process.
func (d *dir) Browsers() Browsers {
	return dirBrowsers{records[Browser]{d, "browser", browsersDir, ".json", maxBrowserSize, decodeBrowser, func(b Browser) string { return b.ID }}}
}

func (d dirBrowsers) Save(ctx context.Context, b Browser) error {
	if err := d.Ready(ctx); err != nil {
		return err
	}
	data, err := encodeBrowser(b)
	if err != nil {
		return err
	}
	return d.Write(ctx, func() error { return d.Replace(d.name(b.ID), data) })
}

func (d dirBrowsers) Delete(ctx context.Context, id string) error {
	if err := d.Ready(ctx); err != nil {
		return err
	}
	if !idPattern.MatchString(id) {
		return nil
	}
	return d.Write(ctx, func() error {
		err := d.Remove(d.name(id))
		if errors.Is(err, fs.ErrNotExist) {
			return nil
		}
		return err
	})
}

func (d dirBrowsers) List(ctx context.Context) iter.Seq2[BrowserSummary, error] {
	return newest(ctx, d.records, func(id string, b Browser, unread error) BrowserSummary {
		if unread != nil {
			b = Browser{ID: id}
		}
		return BrowserSummary{b, unread}
	})
}
