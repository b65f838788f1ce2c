package target

import (
	"context"
	"errors"
	"fmt"
	"net/url"
	"strings"
	"time"

	"github.com/go-reprise/reprise/internal/cdp"
	"github.com/go-reprise/reprise/internal/gate"
	"github.com/go-reprise/reprise/internal/weburl"
)

// NavigationError is an address that could not be loaded.
type NavigationError struct {
	URL, Reason string
	// Err is why the gate made no connection for it, nil where it was something else.
	Err error
}

func (e *NavigationError) Error() string {
	return fmt.Sprintf("loading %s: %s", shown(e.URL), e.Reason)
}

func (e *NavigationError) Unwrap() error { return e.Err }

// shown is an address for people and logs: without what can be secret in it.
func shown(address string) string {
	u, err := url.Parse(address)
	if err != nil {
		return "an address that cannot be read"
	}
	if u.Opaque != "" {
		return u.Scheme + ":…"
	}
	return weburl.WithoutSecrets(u)
}

// Navigate goes to an address and returns when its document has begun. One that
// is there already (only the fragment differs), or that turns out to be a
// download, is no error.
func (p *Page) Navigate(ctx context.Context, address string) error {
	p.Allow(address)
	return p.navigate(ctx, address)
}

// Reload loads the address of the page again. A form that led to it is not sent again.
func (p *Page) Reload(ctx context.Context) error {
	address := p.URL()
	if unloaded := p.main.Unloaded(); unloaded != nil {
		address = unloaded.URL
	}
	bare, fragment, _ := strings.Cut(address, "#")
	if err := p.navigate(ctx, bare); err != nil || fragment == "" {
		return err
	}
	return p.navigate(ctx, address) // alone it would stay within the document
}

// ErrNoHistory is the error of GoBy where there is no page that far.
var ErrNoHistory = errors.New("the tab has no page that far in its history")

// GoBy goes n entries forward in the history of the tab, or back where n is negative.
func (p *Page) GoBy(ctx context.Context, n int) error {
	p.Use()
	var history struct {
		At      int `json:"currentIndex"`
		Entries []struct {
			ID  int    `json:"id"`
			URL string `json:"url"`
		} `json:"entries"`
	}
	if err := p.tree.ask(ctx, p.session, "Page.getNavigationHistory", nil, &history); err != nil {
		return err
	}
	to := history.At + n
	if to < 0 || to >= len(history.Entries) {
		return ErrNoHistory
	}
	mark := p.main.Mark()
	p.heads(history.Entries[to].URL)
	if err := p.tree.ask(ctx, p.session, "Page.navigateToHistoryEntry", map[string]any{"entryId": history.Entries[to].ID}, nil); err != nil {
		return err
	}
	if _, err := p.main.WaitURL(ctx, mark, func(string) bool { return true }); err != nil {
		return err
	}
	if unloaded := p.main.Unloaded(); unloaded != nil {
		return unloaded
	}
	return nil
}

func (p *Page) navigate(ctx context.Context, address string) error {
	p.Use()
	var reply struct {
		LoaderID string `json:"loaderId"`
		Error    string `json:"errorText"`
		Download bool   `json:"isDownload"`
	}
	mark := p.main.Mark()
	p.setGoing(address)
	defer p.setGoing("")
	err := p.tree.ask(ctx, p.session, "Page.navigate", map[string]any{"url": address}, &reply)
	if err != nil {
		return p.unable(address, err)
	}
	if reply.Download {
		return nil
	}
	if reply.Error == aborted && p.wentElsewhere(ctx, mark) {
		mark, reply.Error = p.main.Mark(), ""
		if err := p.tree.ask(ctx, p.session, "Page.navigate", map[string]any{"url": address}, &reply); err != nil {
			return p.unable(address, err)
		}
	}
	if reply.Error != "" {
		return p.failedTo(ctx, address, reply.Error, reply.LoaderID, mark)
	}
	p.again()
	return p.tree.Wait(ctx, func() (bool, error) {
		_, there := p.main.history.after(mark, func(_, at place) bool { return at.loader == reply.LoaderID }) // "" is within the document
		there = there || reply.LoaderID != "" && p.main.loader == reply.LoaderID
		if p.closed {
			return there, ErrClosed
		}
		return there, nil // a page that crashed before gets over it
	})
}

// aborted is Chrome's reason where a navigation came to nothing, or another took its place.
const aborted = "net::ERR_ABORTED"

// wentElsewhere reports whether the page shows another document since the mark, or does soon.
func (p *Page) wentElsewhere(ctx context.Context, mark Mark) bool {
	soon, cancel := context.WithTimeout(ctx, 500*time.Millisecond)
	defer cancel()
	_, err := p.main.wait(soon, mark, func(before, at place) bool { return at.loader != before.loader })
	return err == nil
}

// setGoing notes where the caller has the page go, "" when it is there or has not come.
func (p *Page) setGoing(address string) {
	if address != "" {
		p.heads(address)
	}
	p.tree.Do(func() { p.going = address })
}

// failedTo is the error of an address that could not be loaded. Chrome has one reason for
// all that a proxy does not connect to: the gate knows the others, of the address to which
// redirects have led. The document that stands for it names that.
func (p *Page) failedTo(ctx context.Context, address, reason, loader string, mark Mark) error {
	failed := &NavigationError{URL: address, Reason: reason}
	if reason != notConnected || p.gated() == nil {
		return failed
	}
	last := ""
	err := p.tree.Wait(ctx, func() (bool, error) {
		_, there := p.main.history.after(mark, func(_, at place) bool { return at.loader == loader })
		last = p.main.failed
		return there, p.err()
	})
	if err != nil {
		return err
	}
	if why := p.Refusal(last); why != nil {
		failed.Reason, failed.Err = gate.Reason(why), why
	}
	return failed
}

// Unloaded returns why the frame shows the browser's own error page in the place of an
// address, nil where it shows a document.
func (f *Frame) Unloaded() *NavigationError {
	f.page.tree.mu.Lock()
	address := f.failed
	f.page.tree.mu.Unlock()
	if address == "" {
		return nil
	}
	unloaded := &NavigationError{URL: address, Reason: "it could not be loaded"}
	if why := f.page.Refusal(address); why != nil {
		unloaded.Reason, unloaded.Err = gate.Reason(why), why
	}
	return unloaded
}

// notConnected is Chrome's reason where a gate has made no connection.
const notConnected = "net::ERR_SOCKS_CONNECTION_FAILED"

// unable returns why an address was not even asked for.
func (p *Page) unable(address string, err error) error {
	if gone := p.Err(); gone != nil {
		err = gone
	}
	var refused *cdp.Error
	if errors.As(err, &refused) {
		return &NavigationError{URL: address, Reason: refused.Message}
	}
	return fmt.Errorf("loading %s: %w", shown(address), err)
}

// again prepares a page once more that had crashed before it was taken into use:
// what was sent to it then is lost, and no one tells.
func (p *Page) again() {
	p.tree.mu.Lock()
	defer p.tree.mu.Unlock()
	if !p.surveyed && !p.closed {
		p.prepare(p.session)
		p.survey(p.session)
	}
}
