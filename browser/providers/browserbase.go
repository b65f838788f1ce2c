package providers

import (
	"cmp"
	"context"
	"net/http"
	"net/url"
	"os"
	"slices"
	"time"

	"github.com/go-reprise/reprise/automation"
	"github.com/go-reprise/reprise/browser"
)

// browserbaseURL and browserbaseSocket are Browserbase's own addresses.
const (
	browserbaseURL    = "https://api.browserbase.com"
	browserbaseSocket = "wss://connect.browserbase.com"
)

// browserbase speaks the API of https://docs.browserbase.com/reference/api.
type browserbase struct {
	client   *client
	project  string
	liveView bool
}

func newBrowserbase(o *Options) (browser.Provider, error) {
	c, err := newClient("browserbase", "X-BB-API-Key", browserbaseURL, o)
	if err != nil {
		return nil, err
	}
	return &browserbase{c, cmp.Or(o.ProjectID, os.Getenv("BROWSERBASE_PROJECT_ID")), o.LiveView}, nil
}

func (p *browserbase) Name() string { return p.client.name }

func (p *browserbase) Capabilities() browser.Capabilities {
	return browser.Capabilities{
		LiveView: true, Contexts: true, KeepAlive: true, MaxSession: 6 * time.Hour,
		Regions: []string{"us-west-2", "us-east-1", "eu-central-1", "ap-southeast-1"},
	}
}

// browserbaseTag is the name in a session's metadata by which it is found again.
const browserbaseTag = "reprise"

type browserbaseCreate struct {
	ProjectID string              `json:"projectId,omitempty"`
	Settings  browserbaseSettings `json:"browserSettings"`
	KeepAlive bool                `json:"keepAlive"`
	Region    string              `json:"region,omitempty"`
	Timeout   int                 `json:"timeout,omitempty"` // in seconds
	Metadata  map[string]string   `json:"userMetadata"`
}

// browserbaseSettings turn off what Browserbase does unless it is told not to: it solves
// captchas, records the page and writes down what goes over the connection, which is what is typed.
type browserbaseSettings struct {
	SolveCaptchas bool                `json:"solveCaptchas"`
	RecordSession bool                `json:"recordSession"`
	LogSession    bool                `json:"logSession"`
	BlockAds      bool                `json:"blockAds"`
	Viewport      *viewport           `json:"viewport,omitempty"`
	Context       *browserbaseContext `json:"context,omitempty"`
}

type viewport struct {
	Width  int `json:"width"`
	Height int `json:"height"`
}

// viewportOf is the size that a caller asks for, nil where it is the provider's to say.
func viewportOf(o *browser.Options) *viewport {
	if o == nil || o.Width <= 0 || o.Height <= 0 {
		return nil
	}
	return &viewport{o.Width, o.Height}
}

type browserbaseContext struct {
	ID      string `json:"id"`
	Persist bool   `json:"persist"`
}

type browserbaseSession struct {
	ID         string         `json:"id"`
	Status     string         `json:"status"`
	CreatedAt  time.Time      `json:"createdAt"`
	ExpiresAt  time.Time      `json:"expiresAt"`
	Region     string         `json:"region"`
	ConnectURL string         `json:"connectUrl"`
	Metadata   map[string]any `json:"userMetadata"`
}

func (s *browserbaseSession) runs() bool { return s.Status == "RUNNING" || s.Status == "PENDING" }

func (s *browserbaseSession) info() browser.SessionInfo {
	return browser.SessionInfo{Provider: "browserbase", ID: s.ID, Created: s.CreatedAt, Expires: s.ExpiresAt, Region: s.Region}
}

func (p *browserbase) Open(ctx context.Context, o *browser.SessionOptions) (*browser.Session, error) {
	if o == nil {
		o = &browser.SessionOptions{}
	}
	if err := check(p, o); err != nil {
		return nil, err
	}
	const op = "opening a session"
	asked := browserbaseCreate{
		ProjectID: p.project, KeepAlive: o.KeepAlive, Region: o.Region, Timeout: int(o.Timeout / time.Second),
		Settings: browserbaseSettings{BlockAds: o.BlockAds, Viewport: viewportOf(o.Browser)},
	}
	if o.Context != "" {
		asked.Settings.Context = &browserbaseContext{o.Context, o.SaveContext}
	}
	return p.client.open(ctx, func(tag string) (*browser.Session, error) {
		asked.Metadata = map[string]string{browserbaseTag: tag}
		var made browserbaseSession
		err := p.client.do(ctx, request{op: op, method: http.MethodPost, path: "v1/sessions", body: asked, once: true}, &made)
		if err != nil {
			return nil, err
		}
		return p.session(ctx, op, &made)
	}, p.discard)
}

// session checks an answer, and makes a session of it.
func (p *browserbase) session(ctx context.Context, op string, s *browserbaseSession) (*browser.Session, error) {
	if !sessionID.MatchString(s.ID) {
		return nil, p.client.badReply(op, "it names no session")
	}
	if s.ConnectURL == "" && p.client.base.String() == browserbaseURL { // older answers to Attach have none
		key, err := p.client.ownKey(ctx)
		if err != nil {
			return nil, err
		}
		s.ConnectURL = browserbaseSocket + "?" + url.Values{"apiKey": {key}, "sessionId": {s.ID}}.Encode()
	}
	endpoint, err := p.client.socket(op, s.ConnectURL)
	if err != nil {
		return nil, err
	}
	made := &browser.Session{SessionInfo: s.info(), Endpoint: endpoint}
	if p.liveView {
		p.client.warnOfView(ctx, s.ID)
		made.Viewer = func(ctx context.Context) (automation.Secret, error) { return p.viewer(ctx, s.ID) }
	}
	return made, nil
}

func (p *browserbase) viewer(ctx context.Context, id string) (automation.Secret, error) {
	const op = "asking for the live view"
	var views struct {
		Fullscreen string `json:"debuggerFullscreenUrl"`
	}
	err := p.client.do(ctx, request{op: op, method: http.MethodGet, path: "v1/sessions/" + id + "/debug"}, &views)
	if err != nil {
		return automation.Secret{}, err
	}
	return p.client.viewer(op, views.Fullscreen)
}

// discard ends the sessions with a tag. The tag is looked at here again: a query that the
// service does not understand could find the sessions of others.
func (p *browserbase) discard(ctx context.Context, tag string) error {
	all, err := p.list(ctx, url.Values{"q": {"user_metadata['" + browserbaseTag + "']:'" + tag + "'"}})
	if err != nil {
		return err
	}
	for _, s := range all {
		if s.Metadata[browserbaseTag] == tag && s.runs() {
			if err := p.Close(ctx, s.ID); err != nil {
				return err
			}
		}
	}
	return nil
}

func (p *browserbase) get(ctx context.Context, op, id string) (*browserbaseSession, error) {
	if err := p.client.checkID(op, id); err != nil {
		return nil, err
	}
	var s browserbaseSession
	err := p.client.do(ctx, request{op: op, method: http.MethodGet, path: "v1/sessions/" + id}, &s)
	if err == nil && s.ID != id {
		err = p.client.badReply(op, "it is of another session")
	}
	return &s, err
}

func (p *browserbase) Attach(ctx context.Context, id string) (*browser.Session, error) {
	const op = "attaching to a session"
	s, err := p.get(ctx, op, id)
	if err != nil {
		return nil, err
	}
	if !s.runs() {
		return nil, &browser.ProviderError{Provider: p.Name(), Op: op, Code: browser.ProviderNotFound}
	}
	return p.session(ctx, op, s)
}

func (p *browserbase) list(ctx context.Context, query url.Values) ([]browserbaseSession, error) {
	const op = "listing sessions"
	var all []browserbaseSession
	err := p.client.do(ctx, request{op: op, method: http.MethodGet, path: "v1/sessions", query: query}, &all)
	if err == nil && slices.ContainsFunc(all, func(s browserbaseSession) bool { return !sessionID.MatchString(s.ID) }) {
		err = p.client.badReply(op, "it names no session")
	}
	return all, err
}

func (p *browserbase) List(ctx context.Context) ([]browser.SessionInfo, error) {
	all, err := p.list(ctx, url.Values{"status": {"RUNNING"}})
	if err != nil {
		return nil, err
	}
	running := []browser.SessionInfo{}
	for _, s := range all {
		if s.runs() {
			running = append(running, s.info())
		}
	}
	slices.SortFunc(running, older)
	return running, nil
}

func (p *browserbase) Close(ctx context.Context, id string) error {
	const op = "ending a session"
	release := map[string]string{"status": "REQUEST_RELEASE"}
	if p.project != "" {
		release["projectId"] = p.project
	}
	return p.client.end(ctx, id, request{op: op, method: http.MethodPost, path: "v1/sessions/" + id, body: release},
		func(ctx context.Context, id string) (bool, error) {
			s, err := p.get(ctx, op, id)
			return err == nil && s.runs(), err
		})
}
