package agent

import (
	"cmp"
	"context"
	"errors"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/go-reprise/reprise/automation"
	"github.com/go-reprise/reprise/browser"
	"github.com/go-reprise/reprise/handoff"
	"github.com/go-reprise/reprise/internal/load"
	"github.com/go-reprise/reprise/internal/runner"
	"github.com/go-reprise/reprise/replayer"
	"github.com/go-reprise/reprise/store"
)

// session is one client: its page, what its calls have opened, and the secrets that were
// typed for it. Calls that use the page take turns.
type session struct {
	id      string
	ownedBy string // "" for itself
	server  *Server
	ctx     context.Context // that of the client, which calls are joined with
	leave   context.CancelFunc
	turn    chan struct{}
	freed   chan struct{} // closed when its page is gone

	// Of the call that has the turn.
	tools     *replayer.Session
	call      *call // that is under way with them
	given     given // its values
	recording *recording
	mustLook  bool // a person has had the page since it was looked at

	mu      sync.Mutex
	page    *browser.Page
	as      signedIn // the login that it was opened with, the zero value for none
	secrets []automation.Secret
	typed   []automation.Secret // of them, those that pages may send to their origins alone
	redact  *replayer.Redactor
	waiting *store.Approval
}

// errLeft is the cause that ends the calls of a client who has gone.
var errLeft = errors.New("the client has gone")

// closeTimeout bounds the closing of a page on a busy machine.
const closeTimeout = 30 * time.Second

func newSession(s *Server) *session {
	ctx, cancel := context.WithCancelCause(s.ctx)
	return &session{
		id: s.options.NewID(), ownedBy: s.options.Owner, server: s, ctx: ctx, leave: func() { cancel(errLeft) },
		turn: make(chan struct{}, 1), freed: make(chan struct{}), redact: replayer.NewRedactor(),
	}
}

// owner is whose the calls and runs of the session are.
func (s *session) owner() string { return cmp.Or(s.ownedBy, s.id) }

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

// there returns the page, opened where there is none, or where it was lost.
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
func (s *session) open(ctx context.Context, login *browser.StorageState, as signedIn) (*browser.Page, error) {
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

// begin returns the tools for the page, to a call.
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
			Redact: s.known(), SecretFields: s.server.secretFields,
			Automations: o.Store.Automations(), UploadFrom: o.UploadFrom, Timeout: o.Timeout, Logger: o.Logger,
			Downloads: runner.DownloadDir(o.Store, s.id),
		})
		s.tools.Redact(s.confined()...)
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
		s.redact = replayer.NewRedactor(s.secrets...)
	}
}

// learnTyped is learn for what was typed: pages that the agent acts in send it nowhere but to its origins.
func (s *session) learnTyped(secrets ...automation.Secret) {
	s.learn(secrets...)
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, secret := range secrets {
		if !slices.ContainsFunc(s.typed, secret.Equal) {
			s.typed = append(s.typed, secret)
		}
	}
}

func (s *session) confined() []automation.Secret {
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.Clone(s.typed)
}

func (s *session) known() []automation.Secret {
	s.mu.Lock()
	defer s.mu.Unlock()
	return append([]automation.Secret{}, s.secrets...)
}

func (s *session) redactor() *replayer.Redactor {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.redact
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
	ctx, cancel := load.WithTimeout(context.WithoutCancel(s.ctx), closeTimeout)
	defer cancel()
	if err := page.Close(ctx); err != nil && !errors.Is(err, browser.ErrDisconnected) {
		s.server.options.Logger.WarnContext(ctx, "a page was not closed", "error", err)
	}
}

// person is who is asked in calls of lone tools, nil where there is no one: their session
// in the page is begun once, and each call asks for itself.
func (s *session) person() replayer.Person {
	if o := s.server.options; o.Person == nil && o.ApprovalTimeout == 0 && o.Handoffs == nil {
		return nil
	}
	return callsPerson{s}
}

// callsPerson asks for the call that is under way.
type callsPerson struct{ session *session }

func (p callsPerson) Approve(ctx context.Context, a replayer.Approval) (bool, error) {
	return p.session.server.denials.within(func() (bool, error) { return p.session.call.person().Approve(ctx, a) })
}

func (p callsPerson) TakeOver(ctx context.Context, h replayer.Handoff) (replayer.Returned, error) {
	return p.session.call.person().TakeOver(ctx, h)
}

// person is who is asked in a call of a lone tool.
func (c *call) person() replayer.Person {
	o := c.session.server.options
	person := c.session.takesOver(o.Person, c.redactedIntent())
	if o.ApprovalTimeout > 0 {
		person = &runner.StoreApprover{Approvals: o.Store.Approvals(), Timeout: o.ApprovalTimeout, Others: person, Waits: c.waits(c.session.waitFor)}
	}
	return runner.WithIntent(person, c.redactedIntent())
}

func (c *call) redactedIntent() string { return c.session.redactor().Text(c.intent) }

// What an agent is told while a call waits for a person.

// tellEvery is how often a client is told that a call still waits: clients that give up
// calls of which they hear nothing do so after half a minute, or more.
const tellEvery = 10 * time.Second

// waits returns what is told of the approval that a call waits for, and with nil that it
// goes on. It notes that, and tells the operator, and the client again and again.
func (c *call) waits(note func(*store.Approval)) func(context.Context, *store.Approval) {
	stop := func() {}
	var last store.Approval
	return func(ctx context.Context, asked *store.Approval) {
		note(asked)
		stop()
		stop = func() {}
		if asked == nil {
			c.tellResolved(ctx, last)
			return
		}
		last = *asked
		c.publish(handoff.Event{Kind: handoff.ApprovalRequired, Approval: last.ID, Run: last.Run, URL: last.URL, Text: approvalText(last), Deadline: last.Deadline})
		if told := c.session.server.options.OnApprovalRequested; told != nil {
			told(ctx, *asked)
		}
		stop = again(tellEvery, func() { c.stillWaits(ctx, *asked) })
	}
}

// approvalText is what an approval is for, a line each.
func approvalText(a store.Approval) string {
	lines := []string{a.Label, a.Payee, strings.TrimSpace(a.Amount + " " + a.Currency)}
	return strings.Join(slices.DeleteFunc(lines, func(line string) bool { return line == "" }), "\n")
}

// tellResolved tells programs what became of an approval that is no longer waited for.
func (c *call) tellResolved(ctx context.Context, asked store.Approval) {
	if c.session.server.options.Handoffs == nil {
		return
	}
	state := store.ApprovalWithdrawn // as it is in a moment where its call was cancelled
	if now, err := c.session.server.options.Store.Approvals().Get(context.WithoutCancel(ctx), asked.ID); err == nil && now.State != store.ApprovalPending {
		state = now.State
	}
	c.publish(handoff.Event{Kind: handoff.ApprovalResolved, Approval: asked.ID, Run: asked.Run, Status: string(state)})
}

// publish tells programs that read the events of takeovers.
func (c *call) publish(e handoff.Event) {
	if desk := c.session.server.options.Handoffs; desk != nil {
		desk.Publish(e)
	}
}

// again calls tell at once and then each time, until it is stopped.
func again(every time.Duration, tell func()) (stop func()) {
	end, ended := make(chan struct{}), make(chan struct{})
	go func() {
		defer close(ended)
		tick := time.NewTicker(every)
		defer tick.Stop()
		for {
			tell()
			select {
			case <-tick.C:
			case <-end:
				return
			}
		}
	}()
	return func() {
		close(end)
		<-ended
	}
}

// stillWaits notifies the client that a person is waited for: each time somewhat nearer to
// the next step, as progress has to be more each time.
func (c *call) stillWaits(ctx context.Context, asked store.Approval) {
	c.waited++
	part := 1 - 1/float64(c.waited+1)
	c.tell(ctx, float64(c.step)+part, "waits for a person: approval "+asked.ID)
}

// waitFor notes what a lone call waits for, nil for nothing.
func (s *session) waitFor(asked *store.Approval) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.waiting = asked
}

// waitsFor is what a lone call of the session waits for, nil for nothing.
func (s *session) waitsFor() *store.Approval {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.waiting
}

// pending are the approvals that runs wait for, by their runs.
func (s *Server) pending(ctx context.Context) (map[string]store.Approval, error) {
	all := map[string]store.Approval{}
	for one, err := range s.options.Store.Approvals().Pending(ctx) {
		if err != nil {
			return nil, err
		}
		if one.Err == nil {
			all[one.Run] = one.Approval
		}
	}
	return all, nil
}

// toldApproval is what an agent is told of a question to a person: with it no one answers.
func toldApproval(a store.Approval) map[string]any {
	told := map[string]any{"approval": a.ID, "step": a.Step + 1, "tool": a.Tool, "until": a.Deadline}
	for key, value := range map[string]string{
		"intent": a.Intent, "says": a.Label, "origin": a.Origin, "payee": a.Payee, "amount": a.Amount, "currency": a.Currency,
		"method": a.Method, "request": a.Request, "type": a.Type,
	} {
		if value != "" {
			told[key] = value
		}
	}
	return told
}

// waitingNext is what an agent does about a run that waits.
const waitingNext = "a person answers it, or its time runs out: tell them, and ask again for the status"
