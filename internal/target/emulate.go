package target

import (
	"context"
	"errors"
	"fmt"
	"net/url"
	"strings"

	"github.com/go-reprise/reprise/internal/cdp"
	"github.com/go-reprise/reprise/internal/gate"
	"github.com/go-reprise/reprise/internal/weburl"
)

// Emulation is what the pages of a browser context take themselves to be, and how they reach
// the network. It holds for every document in the context from before its first script: for
// frames in other processes, for popups and for workers. The zero value changes nothing.
type Emulation struct {
	// UserAgent replaces the browser's own, with the metadata for client hints, a protocol's
	// UserAgentMetadata, nil for none.
	UserAgent string
	Metadata  any
	// Languages are those of navigator.languages and Accept-Language, separated by commas.
	Languages string
	// Locale is that of Intl.
	Locale   string
	TimeZone string
	// Metrics and Touch are parameters of Emulation.setDeviceMetricsOverride and
	// Emulation.setTouchEmulationEnabled, nil for none.
	Metrics, Touch any
	ColorScheme    string
	Geolocation    *Geolocation
	Offline        bool
	// Permissions are granted to every origin; the others stay as they are.
	Permissions []string
	// Headers are added to requests.
	Headers []Header
	// Downloads is where files are saved that pages download, under the names that sites
	// suggest, while no SaveDownloads is under way.
	Downloads string
	// Proxy is the next hop of the gate of the context. It may hold a user and a password, which
	// the browser is not told.
	Proxy *url.URL
}

// Geolocation is a place on Earth.
type Geolocation struct {
	Latitude  float64 `json:"latitude"`  // degrees
	Longitude float64 `json:"longitude"` // degrees
	Accuracy  float64 `json:"accuracy"`  // metres
}

// Header is one that is added to the requests to one origin, and to no other, also where a
// request is redirected.
type Header struct{ Origin, Name, Value string }

// EmulationError is something that the browser refuses to emulate.
type EmulationError struct {
	What string // the protocol's method, as in "Emulation.setTimezoneOverride"
	Err  error
}

func (e *EmulationError) Error() string { return e.Err.Error() }

func (e *EmulationError) Unwrap() error { return e.Err }

// ErrNoProxy is the error of a proxy where the browser does not reach the gate in front of it.
var ErrNoProxy = errors.New("a proxy needs a gate, and the browser is on another machine, from which it does not reach gates on this one")

// command is one of the protocol.
type command struct {
	method string
	params any
}

// everywhere are the commands for a session of any kind, workers too.
func (e *Emulation) everywhere() []command {
	var all []command
	if e.UserAgent != "" || e.Languages != "" {
		params := map[string]any{"userAgent": e.UserAgent} // "" leaves the browser's own
		if e.Languages != "" {
			params["acceptLanguage"] = e.Languages
		}
		if e.Metadata != nil {
			params["userAgentMetadata"] = e.Metadata
		}
		all = append(all, command{"Emulation.setUserAgentOverride", params})
	}
	all = append(all, e.ofProcess()...)
	if e.Offline {
		all = append(all, command{"Network.emulateNetworkConditions", map[string]any{"offline": true, "latency": 0, "downloadThroughput": -1, "uploadThroughput": -1}})
	}
	return all
}

// ofProcess are the commands whose effect is on a whole process.
func (e *Emulation) ofProcess() []command {
	var all []command
	if e.Locale != "" {
		all = append(all, command{"Emulation.setLocaleOverride", map[string]any{"locale": e.Locale}})
	}
	if e.TimeZone != "" {
		all = append(all, command{"Emulation.setTimezoneOverride", map[string]any{"timezoneId": e.TimeZone}})
	}
	return all
}

// inPages are the commands for a session of a page: its main one, or that of a frame.
func (e *Emulation) inPages(main bool) []command {
	all := e.everywhere()
	if main && e.Metrics != nil {
		all = append(all, command{"Emulation.setDeviceMetricsOverride", e.Metrics})
	}
	if e.Touch != nil {
		all = append(all, command{"Emulation.setTouchEmulationEnabled", e.Touch})
	}
	if e.ColorScheme != "" {
		features := []map[string]any{{"name": "prefers-color-scheme", "value": e.ColorScheme}}
		all = append(all, command{"Emulation.setEmulatedMedia", map[string]any{"features": features}})
	}
	if e.Geolocation != nil {
		all = append(all, command{"Emulation.setGeolocationOverride", e.Geolocation})
	}
	return all
}

// emulations are those of the browser's contexts. They are guarded by the tree.
type emulations struct {
	own *Emulation            // of contexts that were not made here; may be nil
	of  map[string]*Emulation // by browser context; nil for none
	// workers are the browser contexts of those that emulate, by session.
	workers map[string]string
}

// emulation returns that of a browser context, nil for none. The tree is locked.
func (t *Tree) emulation(contextID string) *Emulation {
	if e, made := t.emulations.of[contextID]; made {
		return e
	}
	return t.emulations.own
}

// emulate has a session of the page emulate, as it attaches: also of a page that no one uses
// here, such as a tab that a person has opened. The tree is locked.
func (p *Page) emulate(sessionID string) {
	e := p.tree.emulation(p.context)
	if e == nil {
		return
	}
	main := sessionID == p.session
	for _, c := range e.inPages(main) {
		sent := p.tree.client.Send(sessionID, c.method, c.params)
		if main {
			p.emulating = append(p.emulating, emulating{c.method, sent})
		}
	}
	if len(e.Headers) > 0 {
		p.tree.client.Send(sessionID, "Fetch.enable", p.paused())
	}
}

// emulateIn has a worker that has not begun emulate, and those that it starts. The tree is
// locked.
func (t *Tree) emulateIn(workerSession, contextID string) {
	e := t.emulation(contextID)
	if e == nil {
		return
	}
	for _, c := range e.everywhere() {
		t.client.Send(workerSession, c.method, c.params)
	}
	t.emulations.workers[workerSession] = contextID
	if t.dedicated[workerSession] == nil {
		t.client.Send(workerSession, "Target.setAutoAttach", autoAttach())
	}
}

// emulateAgain is for the pages of a browser context of which one was closed: pages that
// share a process share its locale and time zone, which end with the page that has set them.
// The tree is locked.
func (t *Tree) emulateAgain(contextID string) {
	e := t.emulation(contextID)
	if e == nil {
		return
	}
	for _, s := range t.sessions {
		if s.page.context == contextID && s.page.active {
			for _, c := range e.ofProcess() {
				t.client.Send(s.id, c.method, c.params)
			}
		}
	}
}

// emulating is a command that was sent, and its method.
type emulating struct {
	method string
	call   *cdp.Call
}

// emulated waits until a page that was opened emulates.
func (p *Page) emulated(ctx context.Context) error {
	p.tree.mu.Lock()
	sent := p.emulating
	p.emulating = nil
	p.tree.mu.Unlock()
	for _, c := range sent {
		_, err := c.call.Wait(ctx)
		var refused *cdp.Error
		switch {
		case errors.As(err, &refused) && strings.Contains(refused.Message, "already in effect"): // by a page of this context in the same process
		case errors.As(err, &refused):
			return &EmulationError{What: c.method, Err: err}
		case err != nil:
			return err
		}
	}
	return nil
}

// emulateContext does what is done once for a browser context, "" for the browser's own.
func (t *Tree) emulateContext(ctx context.Context, contextID string, e *Emulation) error {
	in := func(params map[string]any) map[string]any {
		if contextID != "" {
			params["browserContextId"] = contextID
		}
		return params
	}
	for _, name := range e.Permissions {
		params := in(map[string]any{"permission": map[string]any{"name": name}, "setting": "granted"})
		err := t.ask(ctx, "", "Browser.setPermission", params, nil)
		var refused *cdp.Error
		if errors.As(err, &refused) {
			return &EmulationError{What: "Browser.setPermission", Err: fmt.Errorf("%s: %w", name, err)}
		}
		if err != nil {
			return err
		}
	}
	if e.Downloads == "" {
		return nil
	}
	return t.ask(ctx, "", "Browser.setDownloadBehavior", t.unsaved(contextID, e), nil)
}

// unsaved are the parameters that have a browser context download as it does where nothing
// saves its downloads.
func (t *Tree) unsaved(contextID string, e *Emulation) map[string]any {
	params := map[string]any{"behavior": "default", "eventsEnabled": true}
	if e != nil && e.Downloads != "" {
		params["behavior"], params["downloadPath"] = "allow", e.Downloads
	}
	return downloadBehavior(contextID, params)
}

// Added headers.

// headersFor returns the headers to add to a request of a browser context. The tree is
// locked.
func (t *Tree) headersFor(contextID, address string) []Header {
	e := t.emulation(contextID)
	if e == nil || len(e.Headers) == 0 {
		return nil
	}
	u, err := url.Parse(address)
	if err != nil {
		return nil
	}
	var all []Header
	for _, h := range e.Headers {
		if h.Origin == weburl.Origin(u) {
			all = append(all, h)
		}
	}
	return all
}

// headerPatterns are those of the requests that headers are added to. The tree is locked.
func (t *Tree) headerPatterns(contextID string) []map[string]any {
	e := t.emulation(contextID)
	if e == nil {
		return nil
	}
	var patterns []map[string]any
	for _, h := range e.Headers {
		patterns = append(patterns, map[string]any{"urlPattern": h.Origin + "/*"})
	}
	return patterns
}

// withHeaders adds the headers of a browser context to the patterns of what is paused in it, nil
// for none.
func (t *Tree) withHeaders(contextID string, paused map[string]any) map[string]any {
	added := t.headerPatterns(contextID)
	if len(added) == 0 {
		return paused
	}
	if paused != nil {
		added = append(added, paused["patterns"].([]map[string]any)...)
	}
	return map[string]any{"patterns": added}
}

// going are the parameters that have a paused request go on. Without headers to add it goes
// on as it is. The browser does not repeat what is added here where a reply redirects the
// request: that is paused again.
func (e *pausedEvent) going(added []Header) map[string]any {
	params := map[string]any{"requestId": e.RequestID}
	if len(added) == 0 {
		return params
	}
	type entry struct {
		Name  string `json:"name"`
		Value string `json:"value"`
	}
	var headers []entry
	for name, value := range e.Request.Headers {
		replaced := false
		for _, h := range added {
			replaced = replaced || strings.EqualFold(h.Name, name)
		}
		if !replaced {
			headers = append(headers, entry{name, value})
		}
	}
	for _, h := range added {
		headers = append(headers, entry{h.Name, h.Value})
	}
	params["headers"] = headers
	return params
}

// openGateFor is openGate for a context that emulates, nil for nothing.
func (t *Tree) openGateFor(ctx context.Context, e *Emulation) (*gate.Gate, error) {
	g, err := t.openGate(ctx)
	if err != nil || e == nil {
		return g, err
	}
	if g == nil && e.Proxy != nil {
		if t.gates.away {
			return nil, ErrNoProxy
		}
		// Pages may go anywhere; only a gate knows the way to the proxy.
		if g, err = gate.NewRules(gate.Options{AllowPrivate: true, Env: []string{}}).Open(); err != nil {
			return nil, err
		}
	}
	e.Configure(g)
	return g, nil
}

// Configure has a gate, or nil, do its part.
func (e *Emulation) Configure(g *gate.Gate) {
	if g == nil {
		return
	}
	if e.Offline {
		g.Cut()
	}
	if e.Proxy != nil {
		g.SetProxy(e.Proxy)
	}
}
