package providertest

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/go-reprise/reprise/automation"
	"github.com/go-reprise/reprise/browser"
	"github.com/go-reprise/reprise/internal/browsertest"
	"github.com/go-reprise/reprise/internal/canary"
)

// Service is what Run needs to know of a service.
type Service struct {
	// New returns the provider for the API at an address.
	New func(o *Options) (browser.Provider, error)
	// Handler speaks the API.
	Handler func(c *Cloud) http.Handler
	// CheckAsked checks what was asked for a session, with and without the live view: captcha
	// solving and recordings off, and what the options say.
	CheckAsked func(t *testing.T, asked map[string]any, liveView bool)
	// Options are those that CheckAsked expects.
	Options browser.SessionOptions
	// Open, List, Get and Close are the requests, with ID for a session's.
	Open, List, Get, Close string
	// Opened is what the service answers when it has opened a session, for a socket and an ID.
	Opened func(id, socket string) any
}

// Options are what New makes a provider of.
type Options struct {
	BaseURL  string
	Key      func(context.Context) (automation.Secret, error)
	LiveView bool
	Logger   *slog.Logger
}

// Lifecycle checks a provider of any kind: open, use, list, attach, close. ends reports whether
// Close ends the browser: not of one that was there before.
func Lifecycle(t *testing.T, p browser.Provider, ends bool) {
	t.Helper()
	ctx := browsertest.Context(t)
	s, err := p.Open(ctx, nil)
	if err != nil {
		t.Fatal(err)
	}
	b, err := s.Connect(ctx, nil)
	if err != nil {
		t.Fatal(err)
	}
	page, err := b.NewPage(ctx, "data:text/html,<title>here</title>")
	if err != nil {
		t.Fatal(err)
	}
	if s.ID == "" || s.Provider != p.Name() {
		t.Errorf("the session is %+v", s.SessionInfo)
	}
	if !listed(ctx, t, p, s.ID) {
		t.Errorf("session %s is not listed", s.ID)
	}
	again, err := p.Attach(ctx, s.ID)
	if err != nil {
		t.Fatal(err)
	}
	second, err := again.Connect(ctx, nil)
	if err != nil {
		t.Fatal(err)
	}
	pages, err := second.Pages(ctx)
	if err != nil || !slices.ContainsFunc(pages, func(p *browser.Page) bool { return p.ID() == page.ID() }) {
		t.Errorf("the session that was attached to has other pages: %v", err)
	}
	if again.SessionInfo != s.SessionInfo {
		t.Errorf("attached to %+v, opened %+v", again.SessionInfo, s.SessionInfo)
	}
	_ = page.Close(ctx)
	for range 2 { // it may be called again
		if err := p.Close(ctx, s.ID); err != nil {
			t.Errorf("Close: %v", err)
		}
	}
	for _, b := range []*browser.Browser{b, second} {
		if err := b.Close(); err != nil {
			t.Error(err)
		}
	}
	if err := p.Close(ctx, "no-such-session"); err != nil {
		t.Errorf("closing what is not there: %v", err)
	}
	if _, err := p.Attach(ctx, "no-such-session"); !is(err, browser.ProviderNotFound) {
		t.Errorf("attaching to what is not there: %v", err)
	}
	if !ends {
		return
	}
	if _, err := p.Attach(ctx, s.ID); !is(err, browser.ProviderNotFound) {
		t.Errorf("attaching to what has ended: %v", err)
	}
	if listed(ctx, t, p, s.ID) {
		t.Error("the session is listed after its end")
	}
}

func listed(ctx context.Context, t *testing.T, p browser.Provider, id string) bool {
	t.Helper()
	all, err := p.List(ctx)
	if err != nil {
		t.Fatal(err)
	}
	return slices.ContainsFunc(all, func(i browser.SessionInfo) bool { return i.ID == id && i.Provider == p.Name() })
}

func is(err error, code browser.ProviderErrorCode) bool {
	var failed *browser.ProviderError
	return errors.As(err, &failed) && failed.Code == code
}

// Run checks a provider that speaks to a service.
func Run(t *testing.T, s *Service) {
	browsertest.Slot(t)
	host, err := browser.Launch(t.Context(), &browser.Options{DebugPort: true})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = host.Close() })
	for name, check := range map[string]func(*suite){
		"a session is opened, used, attached to and ended":            (*suite).lifecycle,
		"what is asked for has no captcha solving and no recording":   (*suite).asked,
		"close of the browser ends its session":                       (*suite).closes,
		"a session whose browser cannot be reached is ended":          (*suite).unreachable,
		"errors are told apart":                                       (*suite).codes,
		"limits are waited out":                                       (*suite).limits,
		"limits that take longer than the caller has are told":        (*suite).longLimits,
		"failures are tried again":                                    (*suite).failures,
		"a session whose answer was lost is ended":                    (*suite).lostAnswers,
		"a session that may go on unseen is told of":                  (*suite).unseen,
		"a service that hangs is left when the caller's time is over": (*suite).hangs,
		"an answer that is none opens no session":                     (*suite).badReplies,
		"a redirect is not followed":                                  (*suite).redirects,
		"the live view is off unless it is asked for":                 (*suite).views,
		"without a key nothing is asked":                              (*suite).keys,
		"a browser is ready in less than ten seconds":                 (*suite).speed,
		"all sessions that run are listed":                            (*suite).lists,
		"what it lacks is refused":                                    (*suite).lacks,
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			c := NewCloud(t, host.Endpoint(), s.Handler)
			st := &suite{T: t, Service: s, cloud: c}
			st.log = slog.New(slog.NewJSONHandler(&st.written, &slog.HandlerOptions{Level: slog.LevelDebug}))
			st.provider = st.with(false)
			check(st)
			st.scan("the log", st.written.Bytes())
			if n := c.Running(); n != 0 {
				t.Errorf("%d sessions are left", n)
			}
		})
	}
}

// suite is one check.
type suite struct {
	*testing.T
	*Service
	cloud    *Cloud
	provider browser.Provider
	log      *slog.Logger
	written  lockedBuffer
}

type lockedBuffer struct {
	mu sync.Mutex
	b  bytes.Buffer
}

func (l *lockedBuffer) Write(data []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.b.Write(data)
}

func (l *lockedBuffer) Bytes() []byte {
	l.mu.Lock()
	defer l.mu.Unlock()
	return bytes.Clone(l.b.Bytes())
}

// with returns the provider, with or without its live view.
func (s *suite) with(liveView bool) browser.Provider {
	s.Helper()
	p, err := s.New(&Options{BaseURL: s.cloud.URL, LiveView: liveView, Logger: s.log, Key: func(context.Context) (automation.Secret, error) {
		return automation.NewSecret(s.cloud.Key)
	}})
	if err != nil {
		s.Fatal(err)
	}
	return p
}

func (s *suite) ctx() context.Context { return browsertest.Context(s.T) }

// scan fails where something has a secret in it.
func (s *suite) scan(what string, data []byte) {
	s.Helper()
	for name, secret := range s.cloud.Secrets() {
		if form, around := canary.Find(data, secret); form != "" {
			s.Errorf("%s has the %s (%s): %s", what, name, form, around)
		}
	}
}

// scanError looks at all that is printed of an error, which says what to do.
func (s *suite) scanError(err error) {
	s.Helper()
	data, _ := json.Marshal(err)
	s.scan("an error", fmt.Appendf(data, "%v %+v %#v", err, err, err))
	if !strings.Contains(err.Error(), s.provider.Name()) || !strings.Contains(err.Error(), "; ") {
		s.Errorf("the error does not say what to do: %v", err)
	}
}

func (s *suite) open(o *browser.SessionOptions) (*browser.Browser, *browser.Session) {
	s.Helper()
	b, session, err := browser.OpenSession(s.ctx(), s.provider, o)
	if err != nil {
		s.Fatal(err)
	}
	return b, session
}

func (s *suite) lifecycle() {
	Lifecycle(s.T, s.provider, true)
	var ended int
	for _, session := range s.cloud.Sessions() {
		if session.Ended {
			ended++
		}
	}
	if ended != 1 {
		s.Errorf("%d sessions were opened and ended", ended)
	}
}

func (s *suite) asked() {
	o := s.Options
	b, session := s.open(&o)
	defer func() { _ = b.Close() }()
	made := s.cloud.Find(session.ID)
	s.CheckAsked(s.T, made.Asked, false)
	if !session.Expires.Equal(made.Expires) || !session.Created.Equal(made.Created) || session.Region != o.Region {
		s.Errorf("the session is %+v, want %+v", session.SessionInfo, made)
	}
	if b.Session() != session.SessionInfo {
		s.Errorf("the browser's session is %+v", b.Session())
	}
	if session.EndsBefore(made.Expires) || !session.EndsBefore(made.Expires.Add(time.Second)) {
		s.Error("whether it ends before a deadline is wrong")
	}
	text, err := json.Marshal(session)
	if err != nil {
		s.Fatal(err)
	}
	s.scan("a session", fmt.Appendf(text, "%v %+v %#v %v", session, session, session, session.Endpoint))
}

func (s *suite) closes() {
	b, session := s.open(nil)
	if s.cloud.Running() != 1 {
		s.Error("no session runs")
	}
	for range 2 {
		if err := b.Close(); err != nil {
			s.Error(err)
		}
	}
	if !s.cloud.Find(session.ID).Ended {
		s.Error("the session goes on")
	}
}

func (s *suite) unreachable() {
	chromium := *s.cloud.chromium
	chromium.Path = "/devtools/browser/none" // Chromium refuses it
	s.cloud.chromium = &chromium
	_, _, err := browser.OpenSession(s.ctx(), s.provider, nil)
	if !is(err, browser.ProviderUnavailable) {
		s.Fatalf("it is %v", err)
	}
	s.scanError(err)
	if len(s.cloud.Sessions()) != 1 {
		s.Error("no session was opened")
	}
}

// calls are the four that ask a service.
func (s *suite) calls(ctx context.Context, id string) map[string]func() error {
	return map[string]func() error{
		s.Open:  func() error { _, err := s.provider.Open(ctx, nil); return err },
		s.List:  func() error { _, err := s.provider.List(ctx); return err },
		s.Get:   func() error { _, err := s.provider.Attach(ctx, id); return err },
		s.Close: func() error { return s.provider.Close(ctx, id) },
	}
}

// line is a request for a session.
func line(request, id string) string { return strings.ReplaceAll(request, "ID", id) }

func (s *suite) codes() {
	session := s.cloud.Open("a-session", "", "", time.Hour, nil)
	leak := fmt.Sprintf(`{"message": "see %s, your key is %s", "error": "wss://x/?%s"}`, s.cloud.Viewer("x"), s.cloud.Key, s.cloud.token)
	for status, code := range map[int]browser.ProviderErrorCode{
		400: browser.ProviderInvalidRequest, 401: browser.ProviderUnauthorized, 402: browser.ProviderPaymentRequired,
		403: browser.ProviderUnauthorized, 404: browser.ProviderNotFound, 409: browser.ProviderConflict, 422: browser.ProviderInvalidRequest,
	} {
		for request, call := range s.calls(s.ctx(), session.ID) {
			for _, body := range []string{leak, `{"error": {"message": "the plan is too small"}}`, "<html>" + s.cloud.Key, ""} {
				s.cloud.Meet(&Fault{Request: line(request, session.ID), Times: 1, Status: status, Body: body})
				err := call()
				if request == s.Close && status == 404 {
					if err != nil {
						s.Errorf("%s, %d: %v", request, status, err)
					}
					continue
				}
				if !is(err, code) {
					s.Errorf("%s, %d: %v, want %s", request, status, err, code)
					continue
				}
				s.scanError(err)
				if strings.Contains(body, "too small") && !strings.Contains(err.Error(), "the plan is too small") {
					s.Errorf("what the service says is not told: %v", err)
				}
			}
		}
	}
	s.cloud.End(session.ID)
	s.cloud.Meet(&Fault{Request: line(s.Close, session.ID), Times: 1, Status: 409, Body: "{}"})
	if err := s.provider.Close(s.ctx(), session.ID); err != nil {
		s.Errorf("closing what has ended: %v", err)
	}
}

func (s *suite) limits() {
	session := s.cloud.Open("a-session", "", "", time.Hour, nil)
	for _, request := range []string{s.Open, s.List, s.Get, s.Close} { // Close comes last
		s.cloud.Meet(&Fault{Request: line(request, session.ID), Times: 1, Status: 429, Header: http.Header{"Retry-After": {"1"}}})
		began := time.Now()
		if err := s.calls(s.ctx(), session.ID)[request](); err != nil {
			s.Errorf("%s: %v", request, err)
		}
		if took := time.Since(began); took < time.Second {
			s.Errorf("%s: it was tried again after %v", request, took)
		}
	}
	s.endAll()
}

// endAll ends what a check has opened.
func (s *suite) endAll() {
	for _, session := range s.cloud.Sessions() {
		s.cloud.End(session.ID)
	}
}

func (s *suite) longLimits() {
	ctx, cancel := context.WithTimeout(s.ctx(), time.Minute)
	defer cancel()
	at := time.Now().Add(time.Hour).UTC().Format(http.TimeFormat)
	for _, after := range []string{"3600", at} {
		s.cloud.Meet(&Fault{Request: s.Open, Times: 1, Status: 429, Header: http.Header{"Retry-After": {after}}})
		_, err := s.provider.Open(ctx, nil)
		var failed *browser.ProviderError
		if !errors.As(err, &failed) || failed.Code != browser.ProviderRateLimited || failed.After < 59*time.Minute {
			s.Fatalf("it is %v", err)
		}
		s.scanError(err)
	}
	s.cloud.Meet(&Fault{Request: s.Open, Status: 429, Header: http.Header{"Retry-After": {"30"}}})
	ctx, stop := context.WithCancel(s.ctx())
	ended := make(chan error)
	go func() {
		_, err := s.provider.Open(ctx, nil)
		ended <- err
	}()
	browsertest.Until(s.T, "the wait begins", func() bool { return strings.Contains(string(s.written.Bytes()), "waiting") })
	stop()
	if err := <-ended; !errors.Is(err, context.Canceled) {
		s.Errorf("a wait that the caller ends is %v", err)
	}
}

func (s *suite) failures() {
	session := s.cloud.Open("a-session", "", "", time.Hour, nil)
	for _, request := range []string{s.List, s.Get, s.Close} {
		s.cloud.Meet(&Fault{Request: line(request, session.ID), Times: 2, Status: 503})
		if err := s.calls(s.ctx(), session.ID)[request](); err != nil {
			s.Errorf("%s: %v", request, err)
		}
	}
	if s.cloud.Running() != 0 {
		s.Error("the session was not ended")
	}
	s.cloud.Meet(&Fault{Status: 500, Body: `{"message": "` + s.cloud.Key + `"}`})
	for request, call := range s.calls(s.ctx(), session.ID) {
		err := call()
		if !is(err, browser.ProviderUnavailable) {
			s.Errorf("%s: %v", request, err)
			continue
		}
		s.scanError(err)
	}
}

func (s *suite) lostAnswers() {
	s.cloud.IgnoreQueries = true
	s.cloud.Open("of-another-program", "of-another-program", "", time.Hour, nil)
	defer func() {
		if !s.cloud.End("of-another-program") {
			s.Error("the session of another program was ended")
		}
	}()
	for name, f := range map[string]*Fault{
		"502":     {Request: s.Open, Times: 2, Done: true, Status: 502},
		"garbage": {Request: s.Open, Times: 1, Done: true, Status: 200, Body: "{" + s.cloud.Key},
	} {
		s.cloud.Meet(f)
		session, err := s.provider.Open(s.ctx(), nil)
		switch {
		case name == "502" && err != nil:
			s.Errorf("%s: %v", name, err)
		case name == "502":
			if s.cloud.Running() != 2 || s.cloud.Find(session.ID).Ended {
				s.Errorf("%s: %d sessions run", name, s.cloud.Running())
			}
			s.cloud.End(session.ID)
		case !is(err, browser.ProviderBadReply):
			s.Errorf("%s: %v", name, err)
		default:
			s.scanError(err)
		}
		if n := s.cloud.Running(); n != 1 {
			s.Errorf("%s: %d sessions go on", name, n)
		}
	}
	if n := len(s.cloud.Sessions()); n != 5 {
		s.Errorf("%d sessions were opened, want 5", n)
	}
}

// unseen: neither the answer nor the session comes back.
func (s *suite) unseen() {
	s.cloud.Meet(&Fault{Request: s.Open, Times: 1, Done: true, Status: 500})
	s.cloud.Meet(&Fault{Status: 401})
	_, err := s.provider.Open(s.ctx(), nil)
	if !is(err, browser.ProviderUnavailable) || !strings.Contains(err.Error(), "may have begun") {
		s.Errorf("it is %v", err)
	}
	if n := s.cloud.Asked(s.Open); n != 1 {
		s.Errorf("it was asked %d times for a session", n)
	}
	s.endAll()
}

func (s *suite) hangs() {
	session := s.cloud.Open("a-session", "", "", time.Hour, nil)
	late := errors.New("the caller has no more time")
	for _, request := range []string{s.Open, s.List, s.Get, s.Close} {
		s.cloud.Meet(&Fault{Request: line(request, session.ID), Times: 1, Done: request == s.Open, Hang: true})
		ctx, cancel := context.WithTimeoutCause(s.ctx(), time.Second, late)
		err := s.calls(ctx, session.ID)[request]()
		cancel()
		if !is(err, browser.ProviderUnavailable) || !errors.Is(err, late) {
			s.Errorf("%s: %v", request, err)
			continue
		}
		s.scanError(err)
	}
	if n := s.cloud.Running(); n != 1 {
		s.Errorf("%d sessions run, want the one that was there", n)
	}
	s.endAll()
}

func (s *suite) badReplies() {
	opened := func(id, socket string) string {
		data, err := json.Marshal(s.Opened(id, socket))
		if err != nil {
			s.Fatal(err)
		}
		return string(data)
	}
	good := s.cloud.Socket(nil)
	for name, body := range map[string]string{
		"nothing":               "",
		"null":                  "null",
		"a list":                "[]",
		"text":                  "<html>" + s.cloud.Key,
		"two answers":           "{}{}",
		"wrong kinds":           `{"id": 7, "createdAt": "yesterday"}`,
		"no session":            "{}",
		"too much":              `{"id": "` + strings.Repeat("x", 5<<20) + `"}`,
		"a path for an ID":      opened("../projects", good),
		"no address":            opened(LastSession, "::"),
		"a plain connection":    opened(LastSession, "ws://browsers.example/"+s.cloud.token),
		"a page for a socket":   opened(LastSession, "https://browsers.example/"+s.cloud.token),
		"a file for a socket":   opened(LastSession, "file:///etc/passwd"),
		"an address with a gap": opened(LastSession, "wss://"+s.cloud.token+" /"),
	} {
		s.cloud.Meet(&Fault{Request: s.Open, Times: 1, Done: true, Status: 200, Body: body})
		_, err := s.provider.Open(s.ctx(), nil)
		if !is(err, browser.ProviderBadReply) {
			s.Errorf("%s: %v", name, err)
			continue
		}
		s.scanError(err)
		if s.cloud.Running() != 0 {
			s.Errorf("%s: the session goes on", name)
			s.endAll()
		}
	}
	for _, id := range []string{"../../projects", "a/b", "", "a?b", strings.Repeat("x", 200), "%2e%2e"} {
		before := s.cloud.requests()
		if _, err := s.provider.Attach(s.ctx(), id); !is(err, browser.ProviderNotFound) {
			s.Errorf("attaching to %.20q: %v", id, err)
		}
		if err := s.provider.Close(s.ctx(), id); err != nil {
			s.Errorf("closing %.20q: %v", id, err)
		}
		if s.cloud.requests() != before {
			s.Errorf("%.20q was asked for", id)
		}
	}
}

func (s *suite) redirects() {
	elsewhere := NewCloud(s.T, "ws://127.0.0.1:1/", s.Handler)
	for _, status := range []int{301, 307, 308} {
		s.cloud.Meet(&Fault{Request: s.List, Times: 1, Status: status, Header: http.Header{"Location": {elsewhere.URL + "/v1/sessions"}}})
		if _, err := s.provider.List(s.ctx()); !is(err, browser.ProviderBadReply) {
			s.Errorf("%d: %v", status, err)
		}
	}
	if elsewhere.requests() > 0 {
		s.Error("it was followed")
	}
}

func (s *suite) views() {
	_, session := s.open(nil)
	if session.Viewer != nil {
		s.Error("there is a viewer")
	}
	if strings.Contains(string(s.written.Bytes()), "live view is on") {
		s.Error("there is a warning of it")
	}
	s.provider = s.with(true)
	b, session := s.open(&s.Options)
	s.CheckAsked(s.T, s.cloud.Find(session.ID).Asked, true)
	if session.Viewer == nil {
		s.Fatal("there is no viewer")
	}
	view, err := session.Viewer(s.ctx())
	if err != nil || view.Reveal() != s.cloud.Viewer(session.ID) {
		s.Errorf("it is at %v, %v", view, err)
	}
	if !strings.Contains(string(s.written.Bytes()), "anyone who has its link has the browser") {
		s.Error("there is no warning")
	}
	attached, err := s.provider.Attach(s.ctx(), session.ID)
	if err != nil || attached.Viewer == nil {
		s.Errorf("attached to, it has no viewer: %v", err)
	}
	_ = b.Close()
	s.endAll()
}

func (s *suite) keys() {
	failed := errors.New("the vault is locked")
	bound, err := automation.NewSecret(s.cloud.Key, "https://elsewhere.example")
	if err != nil {
		s.Fatal(err)
	}
	var given automation.Secret
	var problem error
	s.provider, err = s.New(&Options{BaseURL: s.cloud.URL, Logger: s.log, Key: func(context.Context) (automation.Secret, error) { return given, problem }})
	if err != nil {
		s.Fatal(err)
	}
	broken, err := automation.NewSecret(s.cloud.Key + "\r\nX-Other: 1")
	if err != nil {
		s.Fatal(err)
	}
	for name, key := range map[string]automation.Secret{"none": {}, "of another service": bound, "of two lines": broken} {
		given = key
		for request, call := range s.calls(s.ctx(), "a-session") {
			err := call()
			if !is(err, browser.ProviderUnauthorized) {
				s.Errorf("a key, %s, %s: %v", name, request, err)
				continue
			}
			s.scanError(err)
		}
	}
	problem = failed
	if _, err := s.provider.List(s.ctx()); !errors.Is(err, failed) {
		s.Errorf("it is %v", err)
	}
	if s.cloud.requests() > 0 {
		s.Error("it was asked")
	}
	for _, address := range []string{"http://api.example", "ftp://127.0.0.1", "https://key@api.example", "https://api.example/?key=" + s.cloud.Key, "api.example", "://"} {
		if _, err := s.New(&Options{BaseURL: address}); err == nil {
			s.Errorf("%s is taken for an API", address)
		} else {
			s.scan("an error", []byte(err.Error()))
		}
	}
}

// readyWithin is how long a browser may take to be ready at a service that answers in a second.
const readyWithin = 10 * time.Second

func (s *suite) speed() {
	s.cloud.Delay = time.Second
	began := time.Now()
	b, _ := s.open(nil)
	page, err := b.NewPage(s.ctx(), "data:text/html,ready")
	took := time.Since(began)
	if err != nil {
		s.Fatal(err)
	}
	s.Logf("ready to navigate after %v", took.Round(time.Millisecond))
	if took > readyWithin {
		s.Errorf("it took %v", took)
	}
	_ = page.Close(s.ctx())
	if err := b.Close(); err != nil {
		s.Error(err)
	}
}

func (s *suite) lists() {
	var want []string
	for i := range 7 {
		id := fmt.Sprintf("session-%d", i)
		s.cloud.Open(id, id, "", time.Hour, nil)
		if i == 3 {
			s.cloud.End(id)
			continue
		}
		want = append(want, id)
	}
	all, err := s.provider.List(s.ctx())
	if err != nil {
		s.Fatal(err)
	}
	var got []string
	for _, info := range all {
		got = append(got, info.ID)
	}
	if slices.Sort(got); !slices.Equal(got, want) {
		s.Errorf("they are %v, want %v", got, want)
	}
	s.endAll()
}

func (s *suite) lacks() {
	longest := s.provider.Capabilities().MaxSession
	for name, o := range map[string]*browser.SessionOptions{
		"too long":          {Timeout: longest + time.Second},
		"negative":          {Timeout: -time.Second},
		"a context unnamed": {SaveContext: true},
	} {
		if _, err := s.provider.Open(s.ctx(), o); !is(err, browser.ProviderInvalidRequest) {
			s.Errorf("%s: %v", name, err)
		} else {
			s.scanError(err)
		}
	}
	if s.cloud.Asked(s.Open) > 0 {
		s.Error("it was asked for")
	}
}
