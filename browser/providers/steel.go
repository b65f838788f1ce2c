package providers

import (
	"context"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"time"

	"github.com/go-reprise/reprise/automation"
	"github.com/go-reprise/reprise/browser"
)

// steelURL is Steel's own address. Its server can also be run by oneself.
const steelURL = "https://api.steel.dev"

// steel speaks the API of https://docs.steel.dev/api-reference.
type steel struct {
	client   *client
	liveView bool
}

func newSteel(o *Options) (browser.Provider, error) {
	c, err := newClient("steel", "steel-api-key", steelURL, o)
	if err != nil {
		return nil, err
	}
	return &steel{c, o.LiveView}, nil
}

func (p *steel) Name() string { return p.client.name }

// Capabilities: sessions go on without a connection whether that is asked for or not.
func (p *steel) Capabilities() browser.Capabilities {
	return browser.Capabilities{
		LiveView: true, Contexts: true, KeepAlive: true, MaxSession: 24 * time.Hour,
		Regions: []string{"lax", "ord", "iad", "scl", "fra", "nrt"},
	}
}

// steelCreate turns off what solves captchas. The live view cannot be turned off, and asks no
// one who they are: without Options.LiveView it shows the page and takes no input.
type steelCreate struct {
	SessionID      string       `json:"sessionId"` // ours to choose: so it is found again
	Timeout        int64        `json:"timeout,omitempty"`
	Region         string       `json:"region,omitempty"`
	BlockAds       bool         `json:"blockAds"`
	SolveCaptcha   bool         `json:"solveCaptcha"`
	Stealth        steelStealth `json:"stealthConfig"`
	Debug          steelDebug   `json:"debugConfig"`
	Dimensions     *viewport    `json:"dimensions,omitempty"`
	ProfileID      string       `json:"profileId,omitempty"`
	PersistProfile bool         `json:"persistProfile,omitempty"`
}

type steelStealth struct {
	AutoCaptchaSolving bool `json:"autoCaptchaSolving"`
}

type steelDebug struct {
	Interactive bool `json:"interactive"`
}

type steelSession struct {
	ID        string    `json:"id"`
	Status    string    `json:"status"`
	CreatedAt time.Time `json:"createdAt"`
	Timeout   float64   `json:"timeout"` // in milliseconds, from CreatedAt on
	Region    string    `json:"region"`
	Socket    string    `json:"websocketUrl"`
	DebugURL  string    `json:"debugUrl"`
}

// steelForever is longer than any session lasts: a time-out beyond it says nothing.
const steelForever = 365 * 24 * time.Hour

func (s *steelSession) runs() bool { return s.Status == "live" || s.Status == "idle" }

func (s *steelSession) info() browser.SessionInfo {
	info := browser.SessionInfo{Provider: "steel", ID: s.ID, Created: s.CreatedAt, Region: s.Region}
	if s.Timeout > 0 && s.Timeout < float64(steelForever.Milliseconds()) && !s.CreatedAt.IsZero() {
		info.Expires = s.CreatedAt.Add(time.Duration(s.Timeout) * time.Millisecond)
	}
	return info
}

func (p *steel) Open(ctx context.Context, o *browser.SessionOptions) (*browser.Session, error) {
	if o == nil {
		o = &browser.SessionOptions{}
	}
	if err := check(p, o); err != nil {
		return nil, err
	}
	const op = "opening a session"
	p.client.log.WarnContext(ctx, "steel records what its browsers show, and offers no way to turn that off", "provider", p.Name())
	asked := steelCreate{
		Timeout: o.Timeout.Milliseconds(), Region: o.Region, BlockAds: o.BlockAds, Debug: steelDebug{p.liveView},
		Dimensions: viewportOf(o.Browser), ProfileID: o.Context, PersistProfile: o.SaveContext,
	}
	return p.client.open(ctx, func(tag string) (*browser.Session, error) {
		asked.SessionID = tag
		var made steelSession
		err := p.client.do(ctx, request{op: op, method: http.MethodPost, path: "v1/sessions", body: asked, once: true}, &made)
		if err != nil {
			return nil, err
		}
		if made.ID != tag {
			return nil, p.client.badReply(op, "it is not the session that was asked for")
		}
		return p.session(ctx, op, &made)
	}, p.Close)
}

// session checks an answer, and makes a session of it. The key is a part of its endpoint.
func (p *steel) session(ctx context.Context, op string, s *steelSession) (*browser.Session, error) {
	u, err := url.Parse(s.Socket)
	if err != nil {
		return nil, p.client.badReply(op, "an address in it cannot be read")
	}
	if _, err := p.client.socket(op, s.Socket); err != nil { // before the key is put into it
		return nil, err
	}
	key, err := p.client.ownKey(ctx)
	if err != nil {
		return nil, err
	}
	query := u.Query()
	query.Set("apiKey", key)
	query.Set("sessionId", s.ID)
	u.RawQuery = query.Encode()
	endpoint, err := p.client.socket(op, u.String())
	if err != nil {
		return nil, err
	}
	made := &browser.Session{SessionInfo: s.info(), Endpoint: endpoint}
	if p.liveView {
		p.client.warnOfView(ctx, s.ID)
		made.Viewer = func(context.Context) (automation.Secret, error) {
			return p.client.viewer("asking for the live view", s.DebugURL)
		}
	}
	return made, nil
}

func (p *steel) get(ctx context.Context, op, id string) (*steelSession, error) {
	if err := p.client.checkID(op, id); err != nil {
		return nil, err
	}
	var s steelSession
	err := p.client.do(ctx, request{op: op, method: http.MethodGet, path: "v1/sessions/" + id}, &s)
	if err == nil && s.ID != id {
		err = p.client.badReply(op, "it is of another session")
	}
	return &s, err
}

func (p *steel) Attach(ctx context.Context, id string) (*browser.Session, error) {
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

// steelPage is how many sessions are asked for at once, and steelPages how often: more run
// under no plan.
const steelPage, steelPages = 100, 50

func (p *steel) List(ctx context.Context) ([]browser.SessionInfo, error) {
	const op = "listing sessions"
	running := []browser.SessionInfo{}
	query := url.Values{"status": {"live"}, "limit": {strconv.Itoa(steelPage)}}
	for range steelPages {
		var page struct {
			Sessions []steelSession `json:"sessions"`
			Next     *string        `json:"nextCursor"`
		}
		if err := p.client.do(ctx, request{op: op, method: http.MethodGet, path: "v1/sessions", query: query}, &page); err != nil {
			return nil, err
		}
		for _, s := range page.Sessions {
			if !sessionID.MatchString(s.ID) {
				return nil, p.client.badReply(op, "it names no session")
			}
			if s.runs() {
				running = append(running, s.info())
			}
		}
		if page.Next == nil || *page.Next == "" {
			slices.SortFunc(running, older)
			return running, nil
		}
		query.Set("cursorId", *page.Next)
	}
	return nil, p.client.badReply(op, "its pages have no end")
}

func (p *steel) Close(ctx context.Context, id string) error {
	const op = "ending a session"
	return p.client.end(ctx, id, request{op: op, method: http.MethodPost, path: "v1/sessions/" + id + "/release", body: struct{}{}},
		func(ctx context.Context, id string) (bool, error) {
			s, err := p.get(ctx, op, id)
			return err == nil && s.runs(), err
		})
}
