package agent

import (
	"context"
	"errors"
	"time"

	"github.com/go-reprise/reprise/automation"
	"github.com/go-reprise/reprise/handoff"
	"github.com/go-reprise/reprise/internal/runner"
	"github.com/go-reprise/reprise/replayer"
	"github.com/go-reprise/reprise/store"
)

// HeldByPerson is the code of what is asked of a page while a person has it, and LookFirst that of an action
// before the page was looked at after that.
const (
	HeldByPerson = "held_by_person"
	LookFirst    = "look_first"
)

const (
	// maxWait is how long a call waits with wait_seconds, and retryAfter when one that has not ended is to be
	// asked again.
	maxWait    = 50
	retryAfter = 5
	// startTimeout is how long a person may take about handoff_start.
	startTimeout = 10 * time.Minute
)

// handoffTools have an agent call a person: nil where there is no desk.
func (s *Server) handoffTools() []*tool {
	if s.options.Handoffs == nil {
		return nil
	}
	ask := map[string]any{
		"reason":             map[string]any{"enum": automation.Reasons(), "description": "Why a person is needed."},
		"instruction":        map[string]any{"type": "string", "minLength": 1, "maxLength": store.MaxInstruction, "description": "What the person is to do, in a sentence or two. Never a secret."},
		"until":              map[string]any{"type": "string", "minLength": 1, "maxLength": 2048, "description": "What the page shows when it is done: a glob of an address with its scheme, or a selector."},
		"timeout_ms":         map[string]any{"type": "integer", "minimum": 1000, "maximum": handoff.MaxTimeout.Milliseconds(), "description": "How long the person may take."},
		"account":            accountSchema(nil),
		"tab":                tabSchema,
		"run_id":             map[string]any{"type": "string", "pattern": "^[0-9a-z]{26}$", "description": "Your run that was blocked."},
		"capture_screenshot": map[string]any{"type": "boolean", "description": "Take a picture before and after; what is secret is covered."},
	}
	waits := map[string]any{"wait_seconds": map[string]any{"type": "integer", "minimum": 0, "maximum": maxWait, "description": "Answer after so many seconds, with the status RUNNING where it has not ended. Without it the call waits, with progress."}}
	id := map[string]any{"handoff_id": map[string]any{"type": "string", "pattern": "^[0-9a-z]{26}$"}}
	request := func(name, does string) *tool {
		return &tool{name: name, title: "Request a person", page: true, do: s.requestHuman, does: does, schema: object(merged(ask, waits), "reason")}
	}
	const requests = "Hands the page to a person, who drives it (a sign-in, a code, a check for humans), and waits until they return it. Then look at the page before you act."
	return []*tool{
		request("request_human", requests),
		request("request_human_intervention", requests+" The same as request_human."),
		{name: "human_wait", title: "Wait for the person", readOnly: true, whileHeld: true, do: s.humanWait, schema: object(merged(id, waits), "handoff_id"),
			does: "Waits for a handoff to end, and tells how."},
		{name: "handoff_start", title: "Start a handoff", page: true, do: s.handoffStart, schema: object(ask, "reason"),
			does: "As request_human, and answers at once: handoff_status or human_wait tell how it ends."},
		{name: "handoff_status", title: "Status of a handoff", readOnly: true, whileHeld: true, do: s.handoffStatus, schema: object(id, "handoff_id"),
			does: "Tells how a handoff stands: RUNNING, FINISHED, CANCELLED or TIMED_OUT; and when it has ended, what has changed."},
		{name: "handoff_finish", title: "Finish a handoff", whileHeld: true, do: s.handoffFinish, schema: object(id, "handoff_id"),
			does: "Ends a handoff of yours that no person has opened, as finished."},
		{name: "handoff_cancel", title: "Cancel a handoff", whileHeld: true, do: s.handoffCancel, schema: object(id, "handoff_id"),
			does: "Ends a handoff of yours without success."},
	}
}

func merged(all ...map[string]any) map[string]any {
	one := map[string]any{}
	for _, m := range all {
		for key, value := range m {
			one[key] = value
		}
	}
	return one
}

// heldError returns why a call is refused while a person has the page of its session, nil where none has.
func (s *session) heldError() error {
	desk := s.server.options.Handoffs
	if desk == nil {
		return nil
	}
	s.mu.Lock()
	page := s.page
	s.mu.Unlock()
	h := desk.Held(page)
	if h == nil {
		return nil
	}
	e := refuse(HeldByPerson, "wait for the person", "a person has the page until %s at the latest", h.Deadline().Format(time.RFC3339))
	e.Suggestion = &replayer.Suggestion{Tool: "human_wait", Arguments: map[string]string{"handoff_id": h.ID()}}
	return e
}

// mayAct returns why a tool may not be used right after a person has had the page, nil where it may. A call that
// has waited for its turn may find the page with a person by now.
func (s *session) mayAct(t *tool) error {
	if t.acts && s.mustLook {
		return refuse(LookFirst, "take a snapshot, then call it again with what it shows", "a person has had the page since you looked at it")
	}
	return s.heldError()
}

// handoffArguments are those of tools that call a person.
type handoffArguments struct {
	Reason      automation.Reason `json:"reason"`
	Instruction string            `json:"instruction"`
	Until       string            `json:"until"`
	TimeoutMS   int               `json:"timeout_ms"`
	Tab         string            `json:"tab"`
	RunID       string            `json:"run_id"`
	Account     string            `json:"account"`
	Capture     bool              `json:"capture_screenshot"`
	Wait        *int              `json:"wait_seconds"`
}

// handOver starts a handoff of the session's page, unless what was learned from an earlier one deals with what blocks
// the page: then it returns the answer.
func (c *call) handOver(ctx context.Context, args handoffArguments, usual time.Duration) (*handoff.Handoff, *answer, error) {
	s := c.session
	if err := replayer.CheckUntil(args.Until); err != nil {
		return nil, nil, err
	}
	if len(args.Instruction) > store.MaxInstruction {
		return nil, nil, refuse(InvalidArguments, "say it in a sentence or two", "the instruction has %d bytes, and may have %d", len(args.Instruction), store.MaxInstruction)
	}
	r := handoff.Request{
		Reason: args.Reason, Instruction: args.Instruction, Until: args.Until, Timeout: time.Duration(args.TimeoutMS) * time.Millisecond,
		Doing: c.redactedIntent(), Step: -1, Capture: args.Capture,
	}
	if r.Timeout == 0 {
		r.Timeout = usual
	}
	if args.RunID != "" {
		run, err := s.run(ctx, args.RunID)
		if err != nil {
			return nil, nil, err
		}
		r.Run, r.Automation, r.Account = run.ID, run.Automation, run.Account
	}
	r.Account = orElse(orElse(args.Account, r.Account), s.login().account)
	tools, err := s.begin(ctx, c)
	if err != nil {
		return nil, nil, err
	}
	if r.Page, err = tools.Page(ctx, args.Tab); err != nil {
		return nil, nil, err
	}
	s.completes(&r)
	s.endTools() // what was known of the page counts no longer, and its dialogs are the person's
	s.mustLook = true
	played, err := c.playLearned(ctx, &r)
	if played != nil || err != nil {
		return nil, played, err
	}
	h, err := s.server.options.Handoffs.Start(ctx, r)
	if err == nil && r.Run != "" {
		s.server.noteHandoff(r.Run, h)
	}
	return h, nil, err
}

// noteHandoff has the record of a run name a handoff that was asked for because of it, once that has ended.
func (s *Server) noteHandoff(run string, h *handoff.Handoff) {
	s.work.Go(func() {
		ended, err := h.Wait(s.ctx)
		if err == nil {
			err = runner.NoteHandoff(s.ctx, s.options.Store, run, ended.ID)
		}
		if err != nil && s.ctx.Err() == nil {
			s.options.Logger.WarnContext(s.ctx, "a run does not name its handoff", "run", run, "handoff", h.ID(), "error", err)
		}
	})
}

// playLearned has what was learned deal with what blocks the page, and returns the answer; nil where a person is
// needed, whom the request tells what was tried.
func (c *call) playLearned(ctx context.Context, r *handoff.Request) (*answer, error) {
	s, o := c.session, &c.session.server.options
	before := handoff.Measure(ctx, r.Page, r.Redact)
	name, done, err := s.server.runner().Unblock(ctx, runner.UnblockRequest{
		Page: r.Page, Reason: r.Reason, Account: r.Account, Until: r.Until, Owner: s.owner(), Known: s.known,
		Stored: func(ctx context.Context, doc *automation.Automation) (replayer.Values, error) {
			return c.storedForLearned(ctx, doc, "", r.Account)
		},
		Options: replayer.Options{UploadFrom: o.UploadFrom, Commit: o.Commit, Person: s.takesOver(o.Person, r.Doing), Tools: o.Tools},
	})
	if ctx.Err() != nil {
		return nil, context.Cause(ctx)
	}
	if r.Redact = s.redactor(); err != nil { // which knows what was typed
		r.Tried = r.Redact.Text(err.Error())
	}
	if !done.Done {
		return nil, nil
	}
	delta := handoff.Compare(before, handoff.Measure(ctx, r.Page, r.Redact))
	return &answer{value: map[string]any{
		"status": handoff.Finished, "by": "automation", "automation": name, "delta": delta, "delta_summary": delta.String(),
		"resume_hint": "no person was needed: " + name + " has done it; look at the page before acting",
	}}, nil
}

// completes adds to a request whose it is, and what it must not tell.
func (s *session) completes(r *handoff.Request) {
	r.Session, r.Redact = s.owner(), s.redactor()
	r.OnSecret = func(secret automation.Secret) { s.learnTyped(secret) }
}

// takesOver has pages be handed over by the desk, where there is one, in calls of a session.
func (s *session) takesOver(person replayer.Person, doing string) replayer.Person {
	desk := s.server.options.Handoffs
	if desk == nil {
		return person
	}
	return desk.Person(person, func(ctx context.Context, h replayer.Handoff, r *handoff.Request) {
		if doing != "" && r.Doing != "" {
			doing += ": "
		}
		r.Doing = doing + r.Doing
		if h.Run == s.id { // the run of lone calls has no record
			r.Run, r.Step = "", -1
		}
		s.completes(r)
	})
}

func (s *Server) requestHuman(ctx context.Context, c *call) (*answer, error) {
	var args handoffArguments
	if err := c.decode(&args); err != nil {
		return nil, err
	}
	h, played, err := c.handOver(ctx, args, 0)
	if played != nil || err != nil {
		return played, err
	}
	a, err := c.awaitPerson(ctx, h, args.Wait)
	if err != nil {
		h.Cancel() // the call was cancelled: no one waits
	}
	return a, err
}

func (s *Server) handoffStart(ctx context.Context, c *call) (*answer, error) {
	var args handoffArguments
	if err := c.decode(&args); err != nil {
		return nil, err
	}
	h, played, err := c.handOver(ctx, args, startTimeout)
	if played != nil || err != nil {
		return played, err
	}
	return &answer{value: running(h)}, nil
}

// running is a handoff that goes on.
func running(h *handoff.Handoff) map[string]any {
	value := map[string]any{"handoff_id": h.ID(), "status": handoff.Running, "deadline": h.Deadline(), "line": h.Line()}
	if why := h.NotTold(); why != "" {
		value["not_told"] = why
	}
	return value
}

// awaitPerson waits for a handoff: with seconds so long at most, without them to its end, with progress.
func (c *call) awaitPerson(ctx context.Context, h *handoff.Handoff, seconds *int) (*answer, error) {
	waiting := ctx
	if seconds != nil {
		bounded, cancel := context.WithTimeout(ctx, time.Duration(*seconds)*time.Second)
		defer cancel()
		waiting = bounded
	}
	stop := again(tellEvery, func() {
		c.waited++
		c.tell(ctx, 1-1/float64(c.waited+1), "waits for a person: "+h.Line())
	})
	result, err := h.Wait(waiting)
	stop()
	if err != nil && ctx.Err() == nil { // the seconds are over
		value := running(h)
		value["retry_after"] = retryAfter
		return &answer{value: value}, nil
	}
	if err != nil {
		return nil, err
	}
	return toldResult(result), nil
}

func toldResult(r handoff.Result) *answer {
	return &answer{
		value: map[string]any{
			"handoff_id": r.ID, "status": r.Status, "before": r.Before, "after": r.After, "delta": r.Delta, "delta_summary": r.Summary, "resume_hint": r.Hint,
		},
		pictures: r.Pictures,
	}
}

// handoffOf returns a handoff of the client, or, toSee, one that it may see: as it goes on here, or as it is stored. Who asked
// for one before the server was killed is another session now, and has its ID.
func (c *call) handoffOf(ctx context.Context, toSee bool) (*handoff.Handoff, *handoff.Result, error) {
	var args struct {
		ID string `json:"handoff_id"`
	}
	if err := c.decode(&args); err != nil {
		return nil, nil, err
	}
	s := c.session
	stored, err := s.server.options.Store.Handoffs().Get(ctx, args.ID)
	o := &s.server.options
	maySee := toSee && (o.ShareJournal || o.Handoffs.Restored(args.ID))
	if err == nil && stored.Session != s.owner() && !maySee {
		err = store.ErrNotFound
	}
	if err != nil {
		if errors.Is(err, store.ErrNotFound) {
			err = refuse(NotFound, "ask for one that you have started", "there is no handoff %s of yours", args.ID)
		}
		return nil, nil, err
	}
	if h := s.server.options.Handoffs.Get(args.ID); h != nil {
		return h, nil, nil
	}
	result, err := handoff.ResultOf(stored)
	return nil, &result, err
}

func (s *Server) humanWait(ctx context.Context, c *call) (*answer, error) {
	h, ended, err := c.handoffOf(ctx, true)
	if err != nil {
		return nil, err
	}
	if ended != nil {
		return toldResult(*ended), nil
	}
	var args struct {
		Wait *int `json:"wait_seconds"`
	}
	if err := c.decode(&args); err != nil {
		return nil, err
	}
	return c.awaitPerson(ctx, h, args.Wait)
}

func (s *Server) handoffStatus(ctx context.Context, c *call) (*answer, error) {
	h, ended, err := c.handoffOf(ctx, true)
	if err != nil {
		return nil, err
	}
	if ended != nil {
		return toldResult(*ended), nil
	}
	value := running(h)
	value["opened"], value["retry_after"] = h.Opened(), retryAfter
	return &answer{value: value}, nil
}

func (s *Server) handoffFinish(ctx context.Context, c *call) (*answer, error) {
	h, ended, err := c.handoffOf(ctx, false)
	if err != nil {
		return nil, err
	}
	if ended != nil {
		return nil, refuse(Conflict, "it has ended: go on by how", "handoff %s is %s", ended.ID, ended.Status)
	}
	result, err := h.Finish(ctx)
	if errors.Is(err, handoff.ErrOpened) {
		return nil, c.session.heldError()
	}
	if errors.Is(err, handoff.ErrUnmet) {
		return nil, refuse(Conflict, "wait for the person with human_wait, or cancel it", "%s", err)
	}
	if err != nil {
		return nil, err
	}
	return toldResult(result), nil
}

func (s *Server) handoffCancel(ctx context.Context, c *call) (*answer, error) {
	h, ended, err := c.handoffOf(ctx, false)
	if err != nil {
		return nil, err
	}
	if ended != nil {
		return toldResult(*ended), nil
	}
	h.Cancel()
	result, err := h.Wait(ctx)
	return toldResult(result), err
}
