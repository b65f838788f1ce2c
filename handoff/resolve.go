package handoff

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"time"

	"github.com/go-reprise/reprise/internal/load"
)

// ResolveActionRequired is the type of what a person posts to PATH/ID/resolve, with the session of the link that
// they opened: in place of pressing Done, Not yet or Abort in the live view.
const ResolveActionRequired = "RESOLVE_ACTION_REQUIRED"

// How a person resolves a request.
const (
	resolveDone   = "done"
	resolveNotYet = "not_yet"
	resolveAbort  = "abort"
)

// resolveTimeout bounds a person's answer: the page is looked at for what it must show.
const resolveTimeout = 30 * time.Second

// resolve does what the person says of the request. Unmet is what the page does not show, "" for nothing.
func (h *Handoff) resolve(ctx context.Context, how string) (unmet string, err error) {
	ctx, cancel := load.WithTimeout(ctx, resolveTimeout)
	defer cancel()
	switch how {
	case resolveDone:
		return h.Return(ctx)
	case resolveNotYet:
		return "", h.NotYet(ctx)
	case resolveAbort:
		h.Cancel()
		return "", nil
	}
	return "", fmt.Errorf("handoff: %.40q is none of done, not_yet and abort", how)
}

// NotYet is the person's "not yet": the page stays theirs for as long again as they were given, but no longer than
// MaxTimeout from the start, and those who wait are told the new deadline.
func (h *Handoff) NotYet(ctx context.Context) error {
	h.mu.Lock()
	started := h.record.Started
	h.mu.Unlock()
	// By the store's clock, which may differ from this one, MaxTimeout is overstepped by that at most.
	lasting := min(h.request.Timeout, time.Until(started.Add(MaxTimeout)))
	if lasting <= 0 {
		return nil
	}
	extended, err := h.desk.options.Store.Handoffs().Extend(ctx, h.record.ID, lasting)
	if err != nil {
		return err
	}
	h.mu.Lock()
	is := extended.Deadline.After(h.record.Deadline)
	h.record.Deadline = extended.Deadline
	h.mu.Unlock()
	if !is {
		return nil
	}
	select {
	case h.extended <- struct{}{}:
	default: // it has not seen the last one yet
	}
	h.desk.publish(h.notice("").Event)
	return nil
}

// serveResolve takes a person's answer from another page or program of theirs than the live view.
func (d *Desk) serveResolve(w http.ResponseWriter, r *http.Request, id string) {
	h, session := d.admitted(w, r, id)
	if h == nil {
		return
	}
	if !session.Control {
		http.Error(w, "only the one who has control resolves it", http.StatusForbidden)
		return
	}
	var body struct{ Type, Status string }
	if err := json.NewDecoder(http.MaxBytesReader(w, r.Body, maxExchange)).Decode(&body); err != nil || body.Type != ResolveActionRequired {
		http.Error(w, "the body is {\"type\": \""+ResolveActionRequired+"\", \"status\": \"done\"}, or with not_yet or abort", http.StatusBadRequest)
		return
	}
	switch body.Status {
	case resolveDone, resolveNotYet, resolveAbort:
	default:
		http.Error(w, "the status is done, not_yet or abort", http.StatusBadRequest)
		return
	}
	unmet, err := h.resolve(context.WithoutCancel(r.Context()), body.Status)
	if err != nil {
		d.options.Logger.WarnContext(r.Context(), "a page was not returned", "handoff", id, "error", err)
		http.Error(w, "that could not be done now: try again", http.StatusServiceUnavailable)
		return
	}
	answer := map[string]any{"handoff_id": id, "status": Running}
	select {
	case <-h.done:
		result, _ := h.Wait(r.Context())
		answer["status"] = result.Status
	default:
		answer["deadline"] = h.Deadline()
	}
	if unmet != "" {
		answer["unmet"] = unmet
	}
	w.Header().Set("Content-Type", "application/json")
	_ = json.NewEncoder(w).Encode(answer) // the client may have gone
}
