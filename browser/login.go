package browser

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net/url"
	"slices"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	"github.com/go-reprise/reprise/automation"
	"github.com/go-reprise/reprise/internal/cdp"
	"github.com/go-reprise/reprise/internal/weburl"
)

// StorageState is the state of a browser in which someone is signed in at a site: cookies, and
// the local storage of the site's origins. Page.StorageState takes it, and
// Browser.NewPageWithState opens a tab with it, in this browser or another one. Anyone who has it
// is signed in: it is a secret, and every printed form of it is "[login]".
//
// It has what a browser sends to its origins or shows to their scripts. It does not have
// session storage, which belongs to a tab, nor IndexedDB, caches, service workers,
// passkeys, client certificates, or the local storage that a frame of another site sees:
// where a site keeps a sign-in there alone, it is not in a login.
type StorageState struct {
	state   automation.Secret // loginState as JSON, for the login's origins
	cookies int
	stored  int
	saved   time.Time
	expires time.Time
}

const (
	// loginFormat is the number of the format of logins.
	loginFormat = 1

	// maxLogin bounds one, somewhat below the megabyte that store/sealed keeps. Chrome
	// allows an origin 10 MB of local storage, which then holds copies of what the site has.
	maxLogin = 1000 << 10
	// maxLoginOrigins is far above what signing in at one place takes.
	maxLoginOrigins = 50
)

// loginState is what a login has.
type loginState struct {
	Format  int            `json:"format"`
	Saved   time.Time      `json:"saved"`
	Origins []string       `json:"origins"`
	Cookies []loginCookie  `json:"cookies,omitempty"`
	Storage []localStorage `json:"storage,omitempty"`
}

// localStorage is that of an origin: pairs of a key and a value. They stay the text that
// the browser has written: JavaScript's strings may hold what Go's cannot, half of a
// surrogate pair.
type localStorage struct {
	Origin string          `json:"origin"`
	Items  json.RawMessage `json:"items"`
}

// newLogin makes a login of a state that is one.
func newLogin(s loginState) (*StorageState, error) {
	var text strings.Builder
	encoder := json.NewEncoder(&text)
	encoder.SetEscapeHTML(false) // or markup takes six times its room
	if err := encoder.Encode(s); err != nil {
		return nil, err
	}
	if text.Len() > maxLogin {
		return nil, &LoginError{Origins: s.Origins, Err: ErrLoginTooLarge, Reason: s.largest()}
	}
	secret, err := automation.NewSecret(text.String(), s.Origins...)
	if err != nil {
		return nil, err
	}
	l := &StorageState{state: secret, cookies: len(s.Cookies), saved: s.Saved, expires: s.expires()}
	for _, of := range s.Storage {
		l.stored += of.size()
	}
	return l, nil
}

// ReadLogin reads what Secret returned. It may have come from anywhere: what is
// no login, or has anything of another origin in it, is a *LoginError that is ErrBadLogin
// and quotes nothing.
func ReadLogin(secret automation.Secret) (*StorageState, error) {
	s, err := readState(secret.Reveal())
	if err != nil {
		return nil, err
	}
	if !slices.Equal(s.Origins, secret.Origins()) {
		return nil, badLogin("it is for other origins than it says")
	}
	return newLogin(*s)
}

// readState reads a state strictly.
func readState(text string) (*loginState, error) {
	if len(text) > maxLogin {
		return nil, badLogin("it is too large")
	}
	var of struct {
		Format int `json:"format"`
	}
	if json.Unmarshal([]byte(text), &of) != nil {
		return nil, badLogin("it is no JSON object")
	}
	if of.Format != loginFormat {
		return nil, badLogin(fmt.Sprintf("it has format %d, and this version reads %d", of.Format, loginFormat))
	}
	var s loginState
	d := json.NewDecoder(strings.NewReader(text))
	d.DisallowUnknownFields()
	if d.Decode(&s) != nil || d.More() {
		return nil, badLogin("it has not the fields of a login")
	}
	return &s, s.check()
}

// check holds a state to its own origins.
func (s *loginState) check() error {
	places, err := loginPlaces(s.Origins)
	if err != nil {
		return badLogin("its origins are none")
	}
	for i, c := range s.Cookies {
		if !c.reaches(places) {
			return badLogin(fmt.Sprintf("cookie %d is not of its origins", i+1))
		}
	}
	var seen []string
	for i, of := range s.Storage {
		if !slices.Contains(s.Origins, of.Origin) || slices.Contains(seen, of.Origin) {
			return badLogin(fmt.Sprintf("local storage %d is not of its origins", i+1))
		}
		if of.size() < 0 {
			return badLogin(fmt.Sprintf("local storage %d has not pairs of texts", i+1))
		}
		seen = append(seen, of.Origin)
	}
	return nil
}

// size is the number of items, -1 for what are no pairs of texts.
func (of localStorage) size() int {
	var pairs [][]*string
	if json.Unmarshal(of.Items, &pairs) != nil {
		return -1
	}
	for _, pair := range pairs {
		if len(pair) != 2 || pair[0] == nil || pair[1] == nil {
			return -1
		}
	}
	return len(pairs)
}

// largest returns what takes the most room.
func (s *loginState) largest() string {
	var most localStorage
	for _, of := range s.Storage {
		if len(of.Items) > len(most.Items) {
			most = of
		}
	}
	return fmt.Sprintf("the local storage of %s has %d kB", most.Origin, len(most.Items)>>10)
}

// expires is when the last of it has run out; the zero time where that is not known: a
// cookie without a date lives as long as the site lets it, and storage has none.
func (s *loginState) expires() time.Time {
	last := time.Time{}
	for _, c := range s.Cookies {
		if c.Expires <= 0 {
			return time.Time{}
		}
		if at := c.until(); at.After(last) {
			last = at
		}
	}
	if len(s.Storage) > 0 {
		return time.Time{}
	}
	return last
}

// Secret returns the login as a text that is a secret of its origins, for a place that keeps
// secrets, such as store/sealed. ReadLogin reads it back.
func (l *StorageState) Secret() automation.Secret { return l.state }

// Origins are those that it is for, sorted.
func (l *StorageState) Origins() []string { return l.state.Origins() }

// Cookies is how many it has.
func (l *StorageState) Cookies() int { return l.cookies }

// Stored is how many items of local storage it has.
func (l *StorageState) Stored() int { return l.stored }

// Saved is when it was captured.
func (l *StorageState) Saved() time.Time { return l.saved }

// Expires is when the last of it has run out. It is the zero time where no one but the
// site knows: mostly, as one cookie without a date is enough for that.
func (l *StorageState) Expires() time.Time { return l.expires }

const printedLogin = "[login]"

// Format is what fmt calls, for every verb.
func (l *StorageState) Format(f fmt.State, _ rune) { _, _ = io.WriteString(f, printedLogin) }

// MarshalText returns "[login]", also for JSON.
func (l *StorageState) MarshalText() ([]byte, error) { return []byte(printedLogin), nil }

// LogValue returns "[login]".
func (l *StorageState) LogValue() slog.Value { return slog.StringValue(printedLogin) }

// loginPlace is an origin as cookies see it.
type loginPlace struct {
	host   string
	secure bool // cookies that are for secure connections are sent there
}

// loginPlaces reads origins that are in their normal form.
func loginPlaces(origins []string) ([]loginPlace, error) {
	if len(origins) == 0 || len(origins) > maxLoginOrigins {
		return nil, fmt.Errorf("a login is for 1 to %d origins, and not for %d", maxLoginOrigins, len(origins))
	}
	normal, err := automation.NewSecret("", origins...)
	if err != nil {
		return nil, err
	}
	if !slices.Equal(normal.Origins(), origins) {
		return nil, fmt.Errorf("the origins are not in their normal form")
	}
	var places []loginPlace
	for _, origin := range origins {
		u, err := url.Parse(origin)
		if err != nil {
			return nil, err
		}
		host := u.Hostname()
		local := weburl.IsThisMachine(host)
		if strings.Contains(host, ":") {
			host = "[" + host + "]"
		}
		places = append(places, loginPlace{host, u.Scheme == "https" || local})
	}
	return places, nil
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

// Why a login cannot be captured or used.
var (
	ErrNotSignedIn   = errors.New("there is nothing to save")
	ErrLoginTooLarge = errors.New("there is too much to save")
	ErrLoginExpired  = errors.New("it has run out")
	ErrBadLogin      = errors.New("it is no login")
)

// loginAdvice is what to do about it.
var loginAdvice = map[error]string{
	ErrNotSignedIn:   "sign in there first, or name the origins that keep the sign-in",
	ErrLoginTooLarge: "name only the origins that it needs",
	ErrLoginExpired:  "sign in and save it again",
	ErrBadLogin:      "sign in and save it again",
}

// LoginError reports why a login cannot be captured or used: ErrNotSignedIn,
// ErrLoginTooLarge, ErrLoginExpired or ErrBadLogin. It quotes nothing of what is in one.
type LoginError struct {
	Origins []string // of the login, where they are known
	Reason  string   // "" where there is nothing to add
	Err     error
}

func (e *LoginError) Error() string {
	msg := "the login"
	if len(e.Origins) > 0 {
		msg += " for " + strings.Join(e.Origins, " ")
	}
	msg += fmt.Sprintf(": %v", e.Err)
	if e.Reason != "" {
		msg += ": " + e.Reason
	}
	return msg + ": " + loginAdvice[e.Err]
}

func (e *LoginError) Unwrap() error { return e.Err }

func badLogin(reason string) error { return &LoginError{Reason: reason, Err: ErrBadLogin} }

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

const (
	// shortestHidden is the length from which on a cookie that no script may read counts as
	// a secret, and shortestKey that of everything else: shorter ones are settings, and
	// words that pages show.
	shortestHidden, shortestKey = 8, 12
	// longestKey is more than any token has: what is longer is the site's data.
	longestKey = 8 << 10
	// mostKeys are more than any site signs one in with.
	mostKeys = 500
)

// Secrets are the values in the login that look like keys, one by one, each a secret of its
// origins: for anyone who keeps a page from repeating them. They are the cookies that no
// script may read, and what of other cookies and of local storage has letters and digits,
// and no white space; of JSON each text of its own. Settings, names and addresses, which
// sites keep there as well and show, are none.
func (l *StorageState) Secrets() []automation.Secret {
	s, err := readState(l.state.Reveal())
	if err != nil {
		return nil // which newLogin would not have let pass
	}
	keys := &loginKeys{origins: s.Origins, seen: map[string]bool{}}
	for _, c := range s.Cookies {
		if n := utf8.RuneCountInString(c.Value); c.HTTPOnly && n >= shortestHidden && n <= longestKey {
			keys.add(c.Value)
		}
		keys.look(c.Value)
	}
	for _, of := range s.Storage {
		var pairs [][]string
		_ = json.Unmarshal(of.Items, &pairs) // they were checked
		for _, pair := range pairs {
			keys.look(pair[1])
		}
	}
	return keys.found
}

// loginKeys collects what looks like a key.
type loginKeys struct {
	origins []string
	seen    map[string]bool
	found   []automation.Secret
}

// look looks at a text, and within it where it is JSON.
func (k *loginKeys) look(text string) {
	var v any
	if strings.ContainsAny(text, `{["`) && json.Unmarshal([]byte(text), &v) == nil {
		k.within(v)
		return
	}
	if looksLikeKey(text) {
		k.add(text)
	}
}

func (k *loginKeys) within(v any) {
	switch v := v.(type) {
	case string:
		k.look(v) // which may hold JSON again: each time it is shorter
	case []any:
		for _, item := range v {
			k.within(item)
		}
	case map[string]any:
		for _, item := range v {
			k.within(item)
		}
	}
}

func (k *loginKeys) add(text string) {
	if k.seen[text] || len(k.found) == mostKeys {
		return
	}
	k.seen[text] = true
	if secret, err := automation.NewSecret(text, k.origins...); err == nil {
		k.found = append(k.found, secret)
	}
}

// looksLikeKey reports whether a text may let someone in.
func looksLikeKey(text string) bool {
	if n := utf8.RuneCountInString(text); n < shortestKey || n > longestKey || strings.ContainsFunc(text, unicode.IsSpace) {
		return false
	}
	if strings.Contains(text, "://") || strings.Count(text, "@") == 1 {
		return automation.DetectSecret(text) != ""
	}
	return strings.ContainsFunc(text, unicode.IsLetter) && strings.ContainsFunc(text, unicode.IsDigit)
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

// decode reads a reply; there is none beside an error.
func decode(reply []byte, out any) error {
	if len(reply) == 0 {
		return nil
	}
	return json.Unmarshal(reply, out)
}
