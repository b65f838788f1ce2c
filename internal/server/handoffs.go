package server

import (
	"encoding/json"
	"errors"
	"fmt"
	"net/http"

	"github.com/go-reprise/reprise/agent"
	"github.com/go-reprise/reprise/handoff"
	"github.com/go-reprise/reprise/notify"
	"github.com/go-reprise/reprise/store"
)

// toldHandoff is a handoff as JSON has it.
type toldHandoff struct {
	ID          string             `json:"handoff_id"`
	Status      store.HandoffState `json:"status"`
	Reason      string             `json:"reason"`
	Doing       string             `json:"doing,omitempty"`
	Instruction string             `json:"instruction,omitempty"`
	URL         string             `json:"url,omitempty"`
	Run         string             `json:"run_id,omitempty"`
	Automation  string             `json:"automation,omitempty"`
	Account     string             `json:"account,omitempty"`
	Started     string             `json:"started"`
	Deadline    string             `json:"deadline"`
	Ended       string             `json:"ended,omitempty"`
	Before      json.RawMessage    `json:"before,omitempty"`
	After       json.RawMessage    `json:"after,omitempty"`
	Until       string             `json:"until,omitempty"`
	Step        *int               `json:"step,omitempty"` // of the run, from 1
	NotTold     string             `json:"not_told,omitempty"`
	// of one that has ended
	Delta   *handoff.Delta `json:"delta,omitempty"`
	Summary string         `json:"delta_summary,omitempty"`
	Hint    string         `json:"resume_hint,omitempty"`
}

func told(h store.Handoff) toldHandoff {
	const form = "2006-01-02T15:04:05.000Z07:00"
	t := toldHandoff{
		ID: h.ID, Status: h.State, Reason: h.Reason, Doing: h.Doing, Instruction: h.Instruction, URL: h.URL, Run: h.Run,
		Automation: h.Automation, Account: h.Account, Started: h.Started.Format(form), Deadline: h.Deadline.Format(form), Before: h.Before, After: h.After,
	}
	t.Until = h.Until
	if h.Step >= 0 && h.Run != "" {
		number := h.Step + 1
		t.Step = &number
	}
	if h.Ended.IsZero() {
		return t
	}
	t.Ended = h.Ended.Format(form)
	if result, err := handoff.ResultOf(h); err == nil {
		t.Summary, t.Hint = result.Summary, result.Hint
		if len(h.After) > 0 {
			t.Delta = &result.Delta
		}
	}
	return t
}

var errNoDesk = refusal(agent.NotFound, "start the server with --takeover", "no one takes over here")

// maxHandoffs are listed at once.
const maxHandoffs = 100

func (a *api) handoffs(w http.ResponseWriter, r *http.Request) error {
	if a.desk == nil {
		return errNoDesk
	}
	all := []toldHandoff{}
	for h, err := range a.desk.Store().Handoffs().List(r.Context()) {
		if err != nil {
			return err
		}
		if len(all) == maxHandoffs {
			break
		}
		if h.Err == nil {
			h.Before, h.After = nil, nil
			all = append(all, told(h.Handoff))
		}
	}
	answer(w, http.StatusOK, map[string]any{"handoffs": all})
	return nil
}

func (a *api) stored(r *http.Request) (store.Handoff, error) {
	if a.desk == nil {
		return store.Handoff{}, errNoDesk
	}
	h, err := a.desk.Store().Handoffs().Get(r.Context(), r.PathValue("id"))
	if errors.Is(err, store.ErrNotFound) {
		err = refusal(agent.NotFound, "GET /handoffs lists them", "there is no such handoff")
	}
	return h, err
}

func (a *api) handoff(w http.ResponseWriter, r *http.Request) error {
	h, err := a.stored(r)
	if err != nil {
		return err
	}
	t := told(h)
	if running := a.desk.Get(h.ID); running != nil {
		t.NotTold = running.NotTold()
	}
	answer(w, http.StatusOK, t)
	return nil
}

// maxHandoffWait is how many seconds a request waits for the end of its handoff, as a call of an agent does.
const maxHandoffWait = 50

// startHandoff hands the page of a session to a person, as request_human of an agent does.
func (a *api) startHandoff(w http.ResponseWriter, r *http.Request) error {
	var body struct {
		Reason, Instruction, Until, Account, Intent *string
		RunID                                       *string         `json:"run_id"`
		TimeoutMS                                   json.RawMessage `json:"timeout_ms"`
		Capture                                     json.RawMessage `json:"capture_screenshot"`
		Wait                                        int
	}
	if err := read(w, r, &body); err != nil {
		return err
	}
	if a.desk == nil {
		return errNoDesk
	}
	if body.Wait < 0 || body.Wait > maxHandoffWait {
		return refusal(agent.InvalidArguments, "GET /handoffs/{id} tells how a longer one ends", "wait is at most %d seconds", maxHandoffWait)
	}
	session, done, err := a.sessions.use(r.URL.Query().Get("session"))
	if err != nil {
		return err
	}
	args := given{
		"reason": body.Reason, "instruction": body.Instruction, "until": body.Until, "account": body.Account, "run_id": body.RunID, "intent": body.Intent,
		"timeout_ms": body.TimeoutMS, "capture_screenshot": body.Capture,
	}.set()
	args["wait_seconds"] = body.Wait
	result, err := a.call(r.Context(), session.Client, "request_human", args)
	if err != nil {
		done()
		return err
	}
	id, _ := result.Value["handoff_id"].(string)
	h := a.desk.Get(id)
	if h == nil { // it has ended, or none was needed
		done()
		if len(result.Pictures) > 0 {
			result.Value["pictures"] = result.Pictures
		}
		answer(w, http.StatusOK, result.Value)
		return nil
	}
	a.runs.Go(func() { // a session does not expire while a person has its page
		defer done()
		_, _ = h.Wait(a.ctx)
	})
	w.Header().Set("Location", "/handoffs/"+id)
	answer(w, http.StatusAccepted, result.Value)
	return nil
}

// linkHandoff makes another link, for the person. Programs get none: what a person sees in the live view is not covered.
func (a *api) linkHandoff(w http.ResponseWriter, r *http.Request) error {
	var body struct{ View bool }
	if err := read(w, r, &body); err != nil {
		return err
	}
	h, err := a.stored(r)
	if err != nil {
		return err
	}
	var link string
	running := a.desk.Get(h.ID)
	switch {
	case running != nil:
		link, err = running.Link(r.Context(), !body.View)
	case h.State != store.HandoffRunning:
		return notRunning(&store.HandoffStateError{From: h.State})
	case body.View:
		return refusal(agent.Conflict, "ask for one with control", "the page is in another process, which makes such a link")
	default:
		link, err = handoff.NewLink(r.Context(), a.desk.Store(), h.ID, true)
	}
	switch {
	case err != nil:
		return err
	case link == "":
		return refusal(agent.NotFound, "start the process that has the page with --public-url, or come to its computer", "the live view has no address")
	}
	answer(w, http.StatusCreated, map[string]any{"link": link, "control": !body.View})
	return nil
}

// cancelHandoff ends one without success, also of another process, which learns it from the store. Only the person ends it as done.
func (a *api) cancelHandoff(w http.ResponseWriter, r *http.Request) error {
	var body struct{}
	if err := read(w, r, &body); err != nil {
		return err
	}
	h, err := a.stored(r)
	if err != nil {
		return err
	}
	if running := a.desk.Get(h.ID); running != nil {
		running.Cancel()
	} else if _, err := a.desk.Store().Handoffs().End(r.Context(), h.ID, store.HandoffCancelled, nil); err != nil {
		return notRunning(err)
	}
	if h, err = a.stored(r); err != nil {
		return err
	}
	answer(w, http.StatusOK, told(h))
	return nil
}

// notRunning makes the error for a handoff that has ended one of the API.
func notRunning(err error) error {
	if ended := new(store.HandoffStateError); errors.As(err, &ended) {
		return refusal(agent.Conflict, "GET /handoffs/{id} tells how", "the handoff is %s", ended.From)
	}
	return err
}

// maxNotice bounds what is told to people at once, in bytes.
const maxNotice = 16 << 10

// byProgram ends what a program has people told: it may look like a request for an approval, and is none.
const byProgram = "This was sent by a program, by POST /notify: Reprise asks nothing by it."

// notify tells people something. Who has the token may, as it may do more.
func (a *api) notify(w http.ResponseWriter, r *http.Request) error {
	var body struct{ Text, Title, Key string }
	if err := read(w, r, &body); err != nil {
		return err
	}
	switch {
	case a.notifier == nil:
		return refusal(agent.NotFound, "set notify.telegram.chat, notify.webhook.url or notify.desktop, and start the server again", "no one can be told from here")
	case body.Text == "" && body.Title == "" || len(body.Text)+len(body.Title)+len(body.Key) > maxNotice:
		return refusal(agent.InvalidArguments, "send a text or a title", "there is nothing to tell, or more than %d bytes", maxNotice)
	}
	if body.Key != "" {
		body.Key = "api " + body.Key // no one else's
	}
	sent, err := a.notifier.Send(r.Context(), notify.Message{Key: body.Key, Title: body.Title, Text: body.Text, NoLink: byProgram})
	var none *notify.Error
	if errors.As(err, &none) {
		return refusal(agent.NotTold, "do what it says about each channel, and send it again", "%s", err)
	}
	if err != nil {
		return err
	}
	answer(w, http.StatusOK, sent)
	return nil
}

// events is a stream of server-sent events.
func (a *api) events(w http.ResponseWriter, r *http.Request) error {
	if a.desk == nil {
		return errNoDesk
	}
	events, stop := a.desk.Events()
	defer stop()
	control := http.NewResponseController(w)
	w.Header().Set("Content-Type", "text/event-stream")
	w.Header().Set("Cache-Control", "no-store")
	w.WriteHeader(http.StatusOK)
	if err := control.Flush(); err != nil {
		return nil // the client has gone
	}
	for {
		select {
		case e, more := <-events:
			data, err := json.Marshal(e)
			if !more || err != nil {
				return nil
			}
			if _, err := fmt.Fprintf(w, "event: %s\ndata: %s\n\n", e.Kind, data); err != nil || control.Flush() != nil {
				return nil
			}
		case <-r.Context().Done():
			return nil
		case <-a.ctx.Done():
			return nil
		}
	}
}
