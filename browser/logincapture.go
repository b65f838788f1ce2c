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
// have been closed, if others of its context are open. Session storage belongs to a tab: it
// is that of the documents that are open in this one.
//
// It cannot know whether someone is signed in: where there is nothing at all the error is
// a *LoginError that is ErrNotSignedIn.
func (p *Page) StorageState(ctx context.Context, origins ...string) (*StorageState, error) {
	return p.storageState(ctx, nil, origins)
}

// RenewStorageState is StorageState for the origins of the state that the page was opened
// with. The session storage of those that have no document in the tab now is what it was.
func (p *Page) RenewStorageState(ctx context.Context, opened *StorageState) (*StorageState, error) {
	was, err := readState(opened.state.Reveal())
	if err != nil {
		return nil, err
	}
	return p.storageState(ctx, was.Session, was.Origins)
}

func (p *Page) storageState(ctx context.Context, session []webStorage, origins []string) (*StorageState, error) {
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
	if state.Session, err = p.sessionStorage(ctx, state.Origins); err != nil {
		return nil, fmt.Errorf("capturing a login: %w", err)
	}
	for _, of := range session {
		if !slices.ContainsFunc(state.Session, func(open webStorage) bool { return open.Origin == of.Origin }) {
			state.Session = append(state.Session, of)
		}
	}
	if err = b.storageOf(ctx, in, &state); err != nil {
		return nil, fmt.Errorf("capturing a login: %w", err)
	}
	l, err := newLogin(state)
	if err == nil && l.cookies+l.stored+l.records == 0 {
		err = &LoginError{Origins: state.Origins, Err: ErrNotSignedIn}
	}
	if err != nil {
		return nil, err
	}
	return l, nil
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
	err = b.restore(ctx, p, state)
	if err == nil && url != "" {
		err = p.Navigate(ctx, url)
	}
	if err != nil {
		return nil, errors.Join(err, p.Close(context.WithoutCancel(ctx)))
	}
	return p, nil
}

// restore puts what a login has into a new browser context.
func (b *Browser) restore(ctx context.Context, page *Page, s *loginState) error {
	contextID := page.target.ContextID()
	refused := func(err error, what string) error {
		if ctx.Err() != nil || errors.Is(err, ErrDisconnected) {
			return err
		}
		return &LoginError{Origins: s.Origins, Reason: what, Err: ErrBadLogin} // the browser's own words may quote it
	}
	if err := b.setCookies(ctx, contextID, s.Cookies); err != nil {
		return refused(err, "the browser does not take its cookies")
	}
	if err := b.store(ctx, contextID, s); err != nil {
		return refused(err, "the browser does not take its "+s.partOf(err))
	}
	if err := page.storeSession(ctx, s.Session); err != nil {
		return refused(err, "the browser does not take its session storage")
	}
	return nil
}

// errDatabases marks what the databases of a login are at fault for.
var errDatabases = errors.New("IndexedDB")

func (s *loginState) partOf(err error) string {
	if errors.Is(err, errDatabases) {
		return "databases"
	}
	return "local storage"
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

// Storage is seen by documents of its origin alone. So one is made that is empty: a page
// that no one sees goes to the origin, and what it asks for is answered here, before it
// comes to the network or to a service worker. The site hears of nothing, and none of its
// scripts runs. Session storage is of one tab: there it is that tab which goes.
type storagePage struct {
	client          *cdp.Client
	target, session string
	arrived         chan string // the addresses of its documents
	remove          func()
	tab             bool // it is someone's, and is not closed
}

// What is done in these documents. Values are written as they were read.
const (
	readItems  = `JSON.stringify(Array.from({length: %[1]s.length}, (_, i) => [%[1]s.key(i), %[1]s.getItem(%[1]s.key(i))]))`
	writeItems = `for (const [key, value] of JSON.parse(%[2]s)) %[1]s.setItem(key, value)`

	local, session = "localStorage", "sessionStorage"
)

// storageOf adds the local storage and the databases of the state's origins to it, of those
// that have any.
func (b *Browser) storageOf(ctx context.Context, contextID string, s *loginState) error {
	p, err := b.openStorage(ctx, contextID)
	if err != nil {
		return err
	}
	defer p.close()
	left := maxLogin
	for _, origin := range s.Origins {
		if err := p.goTo(ctx, origin+"/"); err != nil {
			return fmt.Errorf("the storage of %s: %w", origin, err)
		}
		var text string
		if err := p.evaluate(ctx, origin, fmt.Sprintf(readItems, local), &text); err != nil {
			return err
		}
		of := webStorage{origin, json.RawMessage(text)}
		if of.size() > 0 {
			s.Storage = append(s.Storage, of)
			left -= len(text)
		}
		if left < 0 {
			return &LoginError{Origins: s.Origins, Err: ErrLoginTooLarge, Reason: s.largest()}
		}
		databases, unread, err := p.readDatabases(ctx, origin, left)
		if err != nil {
			return err
		}
		s.Unread = append(s.Unread, unread...)
		if all, err := databases.decode(); err != nil || len(all) > 0 {
			s.Databases = append(s.Databases, databases)
			left -= len(databases.Databases)
		}
	}
	return nil
}

// store writes local storage and databases into a browser context.
func (b *Browser) store(ctx context.Context, contextID string, s *loginState) error {
	if len(s.Storage)+len(s.Databases) == 0 {
		return nil
	}
	p, err := b.openStorage(ctx, contextID)
	if err != nil {
		return err
	}
	defer p.close()
	for _, of := range s.Storage {
		if err := p.write(ctx, local, of); err != nil {
			return err
		}
	}
	for _, of := range s.Databases {
		err := p.goTo(ctx, of.Origin+"/")
		if err == nil {
			err = p.writeDatabases(ctx, of)
		}
		if err != nil {
			return fmt.Errorf("%w: %w", errDatabases, err)
		}
	}
	return nil
}

// write writes the storage of this name of one origin.
func (p *storagePage) write(ctx context.Context, name string, of webStorage) error {
	literal, err := json.Marshal(string(of.Items)) // JSON's texts are JavaScript's
	if err != nil {
		return err
	}
	if err := p.goTo(ctx, of.Origin+"/"); err != nil {
		return fmt.Errorf("the storage of %s: %w", of.Origin, err)
	}
	return p.evaluate(ctx, of.Origin, fmt.Sprintf(writeItems, name, literal), nil)
}

// sessionStorage returns the session storage of the documents in the tab that are of these
// origins, also where it is empty. It is read in a world of its own, where the site's scripts have changed nothing.
// A document of another process than the tab's is of another site: the storage that it sees
// there is not the origin's own.
func (p *Page) sessionStorage(ctx context.Context, origins []string) ([]webStorage, error) {
	if p.Err() != nil {
		return nil, nil // closed or crashed: there is none
	}
	p.target.Use()
	client, in := p.browser.client, p.target.Session()
	reply, err := client.Call(ctx, in, "Page.getFrameTree", nil)
	var read struct {
		Tree frameTree `json:"frameTree"`
	}
	if err = errors.Join(err, decode(reply, &read)); err != nil {
		return nil, err
	}
	var all []webStorage
	for _, id := range read.Tree.frames(nil) {
		of, err := readSession(ctx, client, in, id)
		switch {
		case ctx.Err() != nil || client.Err() != nil:
			return nil, err
		case err != nil: // the frame went away, or its document may use no storage
			continue
		case of.size() < 0 || !slices.Contains(origins, of.Origin):
			continue
		case slices.ContainsFunc(all, func(other webStorage) bool { return other.Origin == of.Origin }):
			continue
		}
		all = append(all, of)
	}
	return all, nil
}

// frameTree is what Page.getFrameTree returns.
type frameTree struct {
	Frame struct {
		ID string `json:"id"`
	} `json:"frame"`
	Children []frameTree `json:"childFrames"`
}

func (t frameTree) frames(ids []string) []string {
	ids = append(ids, t.Frame.ID)
	for _, child := range t.Children {
		ids = child.frames(ids)
	}
	return ids
}

// readSession reads the session storage that the document in a frame sees.
func readSession(ctx context.Context, client *cdp.Client, in, frame string) (of webStorage, err error) {
	reply, err := client.Call(ctx, in, "Page.createIsolatedWorld", map[string]any{"frameId": frame, "worldName": "reprise storage"})
	var world struct {
		ID int `json:"executionContextId"`
	}
	if err = errors.Join(err, decode(reply, &world)); err != nil {
		return of, err
	}
	var pair []string
	expression := "[location.origin, " + fmt.Sprintf(readItems, session) + "]"
	if err := evaluate(ctx, client, in, map[string]any{"expression": expression, "contextId": world.ID}, &pair); err != nil || len(pair) != 2 {
		return of, errors.Join(errNoStorage, err)
	}
	return webStorage{pair[0], json.RawMessage(pair[1])}, nil
}

var errNoStorage = errors.New("there is no storage")

// storeSession writes session storage into a tab that no site has been in yet.
func (p *Page) storeSession(ctx context.Context, all []webStorage) error {
	all = slices.DeleteFunc(slices.Clone(all), func(of webStorage) bool { return of.size() == 0 })
	if len(all) == 0 {
		return nil
	}
	in := &storagePage{client: p.browser.client, target: p.target.ID(), arrived: make(chan string, 8), tab: true, remove: func() {}}
	defer in.close()
	if err := in.prepare(ctx); err != nil {
		return err
	}
	for _, of := range all {
		if err := in.write(ctx, session, of); err != nil {
			return err
		}
	}
	if err := in.goTo(ctx, blank); err != nil {
		return err
	}
	return in.dropHistory(ctx)
}

// dropHistory leaves no way back to the empty documents. The browser refuses it while it is
// still putting the last document in its place, which the page is told of before.
func (p *storagePage) dropHistory(ctx context.Context) error {
	for range 50 {
		if _, err := p.client.Call(ctx, p.session, "Page.resetNavigationHistory", nil); err == nil {
			return nil
		}
		if err := evaluate(ctx, p.client, p.session, map[string]any{"expression": "0"}, nil); err != nil {
			return err
		}
	}
	return nil // a way back does no harm
}

// blank is the address of a tab that has been nowhere.
const blank = "about:blank"

func (b *Browser) openStorage(ctx context.Context, contextID string) (*storagePage, error) {
	p := &storagePage{client: b.client, arrived: make(chan string, 8)}
	reply, err := b.client.Call(ctx, "", "Target.createTarget", inContext(contextID, map[string]any{"url": blank, "background": true, "hidden": true}))
	var made struct {
		TargetID string `json:"targetId"`
	}
	if err = errors.Join(err, decode(reply, &made)); err != nil {
		return nil, fmt.Errorf("opening a page for storage: %w", err)
	}
	p.target = made.TargetID
	p.remove = func() {}
	if err := p.prepare(ctx); err != nil {
		p.close()
		return nil, fmt.Errorf("opening a page for storage: %w", err)
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

// evaluate runs an expression in the document that the page is at, which is of this origin.
func (p *storagePage) evaluate(ctx context.Context, origin, expression string, out any) error {
	err := evaluate(ctx, p.client, p.session, map[string]any{"expression": expression}, out)
	if errors.Is(err, errThrown) {
		return fmt.Errorf("the browser does not let the storage of %s be used", origin)
	}
	return err
}

// errThrown is that an expression has failed. What it said may quote a key.
var errThrown = errors.New("the expression has failed")

// evaluate runs an expression.
func evaluate(ctx context.Context, client *cdp.Client, in string, params map[string]any, out any) error {
	params["returnByValue"], params["awaitPromise"], params["silent"] = true, true, true
	reply, err := client.Call(ctx, in, "Runtime.evaluate", params)
	var answer struct {
		Result struct {
			Value json.RawMessage `json:"value"`
		} `json:"result"`
		Exception json.RawMessage `json:"exceptionDetails"`
	}
	if err = errors.Join(err, decode(reply, &answer)); err != nil {
		return err
	}
	if answer.Exception != nil {
		return errThrown
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
			if url != blank {
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
	if p.tab {
		p.client.Send("", "Target.detachFromTarget", map[string]any{"sessionId": p.session})
	} else {
		p.client.Send("", "Target.closeTarget", map[string]any{"targetId": p.target})
	}
	p.remove()
}

// decode reads a reply; there is none with an error.
func decode(reply []byte, out any) error {
	if len(reply) == 0 {
		return nil
	}
	return json.Unmarshal(reply, out)
}
