package browser

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/go-reprise/reprise/automation"
	"github.com/go-reprise/reprise/internal/cdp"
)

// StorageState returns what keeps someone signed in at these origins, as the page's browser
// context has it now. Cookies that would not be sent to one of them, and the storage of
// others, are left out. Nothing is asked of the site, and no page is touched; this one may
// have been closed, if others of its context are open.
//
// It cannot know whether someone is signed in: where there is nothing at all the error is
// a *LoginError that is ErrNotSignedIn.
func (p *Page) StorageState(ctx context.Context, origins ...string) (*StorageState, error) {
	normal, err := automation.NewSecret("", origins...)
	if err != nil {
		return nil, err
	}
	state := loginState{Format: loginFormat, Saved: time.Now().UTC().Truncate(time.Second), Origins: normal.Origins()}
	places, err := loginPlaces(state.Origins)
	if err != nil {
		return nil, err
	}
	b, in := p.browser, p.target.ContextID()
	if state.Cookies, err = b.cookiesOf(ctx, in, places); err != nil {
		return nil, fmt.Errorf("capturing a login: %w", err)
	}
	if state.Storage, err = b.storageOf(ctx, in, state.Origins); err != nil {
		return nil, fmt.Errorf("capturing a login: %w", err)
	}
	if len(state.Cookies)+len(state.Storage) == 0 {
		return nil, &LoginError{Origins: state.Origins, Err: ErrNotSignedIn}
	}
	return newLogin(state)
}

// NewPageWithState opens a tab in which someone is signed in, as NewIsolatedPage does one in which
// no one is: it shares cookies and storage with no other, and closing it forgets them. A
// login is good for any number of tabs. With nil it is NewIsolatedPage.
//
// Only what is in the login can be told to be no longer good: the error is then a
// *LoginError that is ErrLoginExpired, or ErrBadLogin where the browser does not take it.
// Whether the site still takes it is seen in the page.
func (b *Browser) NewPageWithState(ctx context.Context, l *StorageState, url string) (*Page, error) {
	if l == nil {
		return b.NewIsolatedPage(ctx, url)
	}
	state, err := readState(l.state.Reveal())
	if err != nil {
		return nil, err
	}
	now := time.Now()
	if expires := state.expires(); !expires.IsZero() && !expires.After(now) {
		return nil, &LoginError{Origins: state.Origins, Reason: "the last of it was good until " + expires.Local().Format(time.DateTime), Err: ErrLoginExpired}
	}
	state.Cookies = slices.DeleteFunc(state.Cookies, func(c loginCookie) bool { return c.gone(now) })
	p, err := b.NewIsolatedPage(ctx, "") // Chrome hides pages only where one is to be seen
	if err != nil {
		return nil, err
	}
	err = b.restore(ctx, p.target.ContextID(), state)
	if err == nil && url != "" {
		err = p.Navigate(ctx, url)
	}
	if err != nil {
		return nil, errors.Join(err, p.Close(context.WithoutCancel(ctx)))
	}
	return p, nil
}

// restore puts what a login has into a new browser context.
func (b *Browser) restore(ctx context.Context, contextID string, s *loginState) error {
	refused := func(err error, what string) error {
		if ctx.Err() != nil || errors.Is(err, ErrDisconnected) {
			return err
		}
		return &LoginError{Origins: s.Origins, Reason: what, Err: ErrBadLogin} // the browser's own words may quote it
	}
	if err := b.setCookies(ctx, contextID, s.Cookies); err != nil {
		return refused(err, "the browser does not take its cookies")
	}
	if err := b.store(ctx, contextID, s.Storage); err != nil {
		return refused(err, "the browser does not take its local storage")
	}
	return nil
}

// loginCookie is a cookie, with the browser's names: Storage.getCookies tells them, and
// Storage.setCookies takes them. What else a hostile login says of one is refused.
type loginCookie struct {
	Name    string  `json:"name"`
	Value   string  `json:"value"`
	Domain  string  `json:"domain"` // with a dot before it where subdomains get it, too
	Path    string  `json:"path"`
	Expires float64 `json:"expires,omitempty"` // seconds since 1970; 0 for the end of the browser's session

	HTTPOnly     bool          `json:"httpOnly,omitempty"`
	Secure       bool          `json:"secure,omitempty"`
	SameSite     string        `json:"sameSite,omitempty"`
	Priority     string        `json:"priority,omitempty"`
	SourceScheme string        `json:"sourceScheme,omitempty"`
	SourcePort   int           `json:"sourcePort,omitempty"`
	Partition    *partitionKey `json:"partitionKey,omitempty"`
}

// partitionKey is the site under which alone a cookie is sent.
type partitionKey struct {
	TopLevelSite         string `json:"topLevelSite"`
	HasCrossSiteAncestor bool   `json:"hasCrossSiteAncestor"`
}

// reaches reports whether a browser sends the cookie to one of these places. Cookies know
// no ports: one that another port of a host has set is sent, and so is one of theirs.
func (c *loginCookie) reaches(places []loginPlace) bool {
	domain, below := strings.CutPrefix(c.Domain, ".")
	return slices.ContainsFunc(places, func(p loginPlace) bool {
		if c.Secure && !p.secure {
			return false
		}
		return p.host == domain || below && domain != "" && strings.HasSuffix(p.host, "."+domain)
	})
}

// until is when it runs out, if it has a date.
func (c *loginCookie) until() time.Time {
	const last = 1 << 40 // seconds: no date is later
	return time.Unix(int64(min(c.Expires, last)), 0).UTC()
}

// gone reports whether it has run out.
func (c *loginCookie) gone(at time.Time) bool { return c.Expires > 0 && !c.until().After(at) }

// cookiesOf returns the cookies of a browser context that are sent to these places.
func (b *Browser) cookiesOf(ctx context.Context, contextID string, places []loginPlace) ([]loginCookie, error) {
	reply, err := b.client.Call(ctx, "", "Storage.getCookies", inContext(contextID, nil))
	if err != nil {
		return nil, err
	}
	var all struct {
		Cookies []loginCookie `json:"cookies"`
	}
	if err := json.Unmarshal(reply, &all); err != nil {
		return nil, fmt.Errorf("reading the browser's cookies: %w", err)
	}
	now := time.Now()
	var cookies []loginCookie
	for _, c := range all.Cookies {
		c.Expires = max(c.Expires, 0) // -1 for none
		if c.reaches(places) && !c.gone(now) {
			cookies = append(cookies, c)
		}
	}
	return cookies, nil
}

// setCookies sets cookies in a browser context.
func (b *Browser) setCookies(ctx context.Context, contextID string, cookies []loginCookie) error {
	if len(cookies) == 0 {
		return nil
	}
	_, err := b.client.Call(ctx, "", "Storage.setCookies", inContext(contextID, map[string]any{"cookies": cookies}))
	return err
}

// inContext adds a browser context to the parameters of a command; "" is the browser's own.
func inContext(contextID string, params map[string]any) map[string]any {
	if params == nil {
		params = map[string]any{}
	}
	if contextID != "" {
		params["browserContextId"] = contextID
	}
	return params
}

// Local storage is seen by documents of its origin alone. So one is made that is empty: a
// page that no one sees goes to the origin, and what it asks for is answered here, before
// it comes to the network or to a service worker. The site hears of nothing, and none of
// its scripts runs.
type storagePage struct {
	client          *cdp.Client
	target, session string
	arrived         chan string // the addresses of its documents
	remove          func()
}

// What is done in these documents. Values are written as they were read.
const (
	readItems  = `JSON.stringify(Array.from({length: localStorage.length}, (_, i) => [localStorage.key(i), localStorage.getItem(localStorage.key(i))]))`
	writeItems = `for (const [key, value] of JSON.parse(%s)) localStorage.setItem(key, value)`
)

// storageOf returns the local storage of origins, of those that have any.
func (b *Browser) storageOf(ctx context.Context, contextID string, origins []string) (all []localStorage, err error) {
	p, err := b.openStorage(ctx, contextID)
	if err != nil {
		return nil, err
	}
	defer p.close()
	for _, origin := range origins {
		var text string
		if err := p.evaluate(ctx, origin, readItems, &text); err != nil {
			return nil, err
		}
		of := localStorage{origin, json.RawMessage(text)}
		if of.size() > 0 {
			all = append(all, of)
		}
	}
	return all, nil
}

// store writes local storage into a browser context.
func (b *Browser) store(ctx context.Context, contextID string, all []localStorage) error {
	if len(all) == 0 {
		return nil
	}
	p, err := b.openStorage(ctx, contextID)
	if err != nil {
		return err
	}
	defer p.close()
	for _, of := range all {
		literal, err := json.Marshal(string(of.Items)) // JSON's texts are JavaScript's
		if err != nil {
			return err
		}
		if err := p.evaluate(ctx, of.Origin, fmt.Sprintf(writeItems, literal), nil); err != nil {
			return err
		}
	}
	return nil
}

func (b *Browser) openStorage(ctx context.Context, contextID string) (*storagePage, error) {
	p := &storagePage{client: b.client, arrived: make(chan string, 8)}
	reply, err := b.client.Call(ctx, "", "Target.createTarget", inContext(contextID, map[string]any{"url": "about:blank", "background": true, "hidden": true}))
	var made struct {
		TargetID string `json:"targetId"`
	}
	if err = errors.Join(err, decode(reply, &made)); err != nil {
		return nil, fmt.Errorf("opening a page for local storage: %w", err)
	}
	p.target = made.TargetID
	p.remove = func() {}
	if err := p.prepare(ctx); err != nil {
		p.close()
		return nil, fmt.Errorf("opening a page for local storage: %w", err)
	}
	return p, nil
}

// prepare has the page answer itself.
func (p *storagePage) prepare(ctx context.Context) error {
	reply, err := p.client.Call(ctx, "", "Target.attachToTarget", map[string]any{"targetId": p.target, "flatten": true})
	var attached struct {
		SessionID string `json:"sessionId"`
	}
	if err = errors.Join(err, decode(reply, &attached)); err != nil {
		return err
	}
	p.session = attached.SessionID
	p.remove = p.client.OnEvent(p.onEvent)
	for _, command := range []struct {
		method string
		params any
	}{
		{"Page.enable", nil}, {"Network.enable", nil}, {"Network.setBypassServiceWorker", map[string]any{"bypass": true}}, {"Fetch.enable", nil},
	} {
		if _, err := p.client.Call(ctx, p.session, command.method, command.params); err != nil {
			return err
		}
	}
	return nil
}

func (p *storagePage) onEvent(e cdp.Event) {
	if e.SessionID != p.session {
		return
	}
	var params struct {
		RequestID string `json:"requestId"`
		Frame     struct {
			URL string `json:"url"`
		} `json:"frame"`
	}
	if json.Unmarshal(e.Params, &params) != nil {
		return
	}
	switch e.Method {
	case "Fetch.requestPaused":
		p.client.Send(p.session, "Fetch.fulfillRequest", map[string]any{
			"requestId": params.RequestID, "responseCode": 200,
			"responseHeaders": []map[string]string{{"name": "Content-Type", "value": "text/html"}, {"name": "Cache-Control", "value": "no-store"}},
		})
	case "Page.frameNavigated":
		select {
		case p.arrived <- params.Frame.URL:
		default: // no one waits for that many
		}
	}
}

// evaluate runs an expression in an empty document of an origin.
func (p *storagePage) evaluate(ctx context.Context, origin, expression string, out any) error {
	if err := p.goTo(ctx, origin+"/"); err != nil {
		return fmt.Errorf("the local storage of %s: %w", origin, err)
	}
	reply, err := p.client.Call(ctx, p.session, "Runtime.evaluate", map[string]any{"expression": expression, "returnByValue": true, "silent": true})
	var answer struct {
		Result struct {
			Value json.RawMessage `json:"value"`
		} `json:"result"`
		Exception json.RawMessage `json:"exceptionDetails"`
	}
	if err = errors.Join(err, decode(reply, &answer)); err != nil {
		return err
	}
	if answer.Exception != nil { // what it says may quote a key
		return fmt.Errorf("the browser does not let the local storage of %s be used", origin)
	}
	if out == nil {
		return nil
	}
	return json.Unmarshal(answer.Result.Value, out)
}

// goTo returns when the document of an address is there.
func (p *storagePage) goTo(ctx context.Context, address string) error {
	reply, err := p.client.Call(ctx, p.session, "Page.navigate", map[string]any{"url": address})
	var went struct {
		Error string `json:"errorText"`
	}
	if err = errors.Join(err, decode(reply, &went)); err != nil {
		return err
	}
	if went.Error != "" {
		return errors.New(went.Error)
	}
	for {
		select {
		case url := <-p.arrived:
			if url == address {
				return nil
			}
			if !strings.HasPrefix(url, "about:") {
				return errors.New("the browser goes elsewhere")
			}
		case <-ctx.Done():
			return context.Cause(ctx)
		case <-p.client.Done():
			return p.client.Err()
		}
	}
}

// close does not wait: nothing depends on it.
func (p *storagePage) close() {
	p.client.Send("", "Target.closeTarget", map[string]any{"targetId": p.target})
	p.remove()
}

// decode reads a reply; there is none with an error.
func decode(reply []byte, out any) error {
	if len(reply) == 0 {
		return nil
	}
	return json.Unmarshal(reply, out)
}
