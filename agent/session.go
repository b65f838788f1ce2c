package agent

import (
	"cmp"
	"context"
	"errors"
	"slices"
	"sync"
	"time"

	"github.com/go-reprise/reprise/automation"
	"github.com/go-reprise/reprise/browser"
	"github.com/go-reprise/reprise/replayer"
	"github.com/go-reprise/reprise/store"
)

// session is one client: its page, what its calls have opened, and the secrets that were
// typed for it. Calls that use the page take turns.
type session struct {
	id     string
	server *Server
	ctx    context.Context // that of the client, which calls are joined with
	leave  context.CancelFunc
	turn   chan struct{}
	freed  chan struct{} // closed when its page is gone

	// Of whoever has the turn.
	tools     *replayer.Session
	call      *call // that is under way with them
	given     given // its values
	recording *recording

	mu      sync.Mutex
	page    *browser.Page
	as      signedIn // the login that it was opened with, the zero value for none
	secrets []automation.Secret
	scrub   *replayer.Scrubber
	waiting *store.Approval
}

// errLeft is the cause that ends the calls of a client who has gone.
var errLeft = errors.New("the client has gone")

// closeTimeout bounds the closing of a page on a busy machine.
const closeTimeout = 30 * time.Second

func newSession(s *Server) *session {
	ctx, cancel := context.WithCancelCause(s.ctx)
	return &session{
		id: s.options.NewID(), server: s, ctx: ctx, leave: func() { cancel(errLeft) },
		turn: make(chan struct{}, 1), freed: make(chan struct{}), scrub: replayer.NewScrubber(),
	}
}

// owner is whose the calls and runs of the session are.
func (s *session) owner() string { return cmp.Or(s.server.options.Owner, s.id) }

// take waits for the turn.
func (s *session) take(ctx context.Context) error {
	select {
	case s.turn <- struct{}{}:
		return nil
	case <-ctx.Done():
		return context.Cause(ctx)
	}
}

func (s *session) give() { <-s.turn }

// there gives the page, opened where there is none, or where it was lost.
func (s *session) there(ctx context.Context) (*browser.Page, error) {
	s.mu.Lock()
	page := s.page
	s.mu.Unlock()
	if page != nil && page.Err() == nil {
		return page, nil
	}
	return s.open(ctx, nil, signedIn{})
}

// open opens a page in place of the one that there is, with a login or, for nil, without.
func (s *session) open(ctx context.Context, login *browser.Login, as signedIn) (*browser.Page, error) {
	if s.ctx.Err() != nil {
		return nil, context.Cause(s.ctx)
	}
	opened, err := s.server.page(ctx, login)
	if err != nil {
		return nil, ofLogin(err)
	}
	s.endTools()
	s.mu.Lock()
	before := s.page
	s.page, s.as = opened, as
	s.mu.Unlock()
	if before != nil {
		s.close(before)
	}
	return opened, nil
}

// url is where the page is, "" where there is none.
func (s *session) url() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.page == nil {
		return ""
	}
	return s.page.URL()
}

// begin gives the tools for the page, to a call.
func (s *session) begin(ctx context.Context, c *call) (*replayer.Session, error) {
	page, err := s.there(ctx)
	if err != nil {
		return nil, err
	}
	s.call = c
	if s.tools == nil {
		o := s.server.options
		s.tools = replayer.Begin(page, &replayer.Options{
			Values: &s.given, Commit: o.Commit, Person: s.person(), Tools: o.Tools, Run: s.id,
			Known: s.known(), SecretFields: s.server.secretFields,
			Automations: o.Store.Automations(), UploadFrom: o.UploadFrom, Timeout: o.Timeout, Logger: o.Logger,
		})
	}
	return s.tools, nil
}

// endTools ends what lone calls have open, as before a run in the same page.
func (s *session) endTools() {
	if s.tools != nil {
		s.tools.Close()
		s.tools = nil
	}
}

// learn notes secrets that are used for the session: nothing that leaves it repeats them.
func (s *session) learn(secrets ...automation.Secret) {
	s.mu.Lock()
	defer s.mu.Unlock()
	before := len(s.secrets)
	for _, secret := range secrets {
		if !slices.ContainsFunc(s.secrets, secret.Equal) {
			s.secrets = append(s.secrets, secret)
		}
	}
	if len(s.secrets) > before {
		s.scrub = replayer.NewScrubber(s.secrets...)
	}
}

func (s *session) known() []automation.Secret {
	s.mu.Lock()
	defer s.mu.Unlock()
	return append([]automation.Secret{}, s.secrets...)
}

func (s *session) scrubber() *replayer.Scrubber {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.scrub
}

// free closes the page, after the call that has the turn has ended.
func (s *session) free() {
	defer close(s.freed)
	_ = s.take(context.Background()) // which is never done
	s.endTools()
	s.mu.Lock()
	page := s.page
	s.page = nil
	s.mu.Unlock()
	s.give()
	if page != nil {
		s.close(page)
	}
}

func (s *session) close(page *browser.Page) {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(s.ctx), closeTimeout)
	defer cancel()
	if err := page.Close(ctx); err != nil && !errors.Is(err, browser.ErrLost) {
		s.server.options.Logger.WarnContext(ctx, "a page was not closed", "error", err)
	}
}
