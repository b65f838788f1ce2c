package handoff

import (
	"strings"
	"time"
)

// The kinds of events.
const (
	ActionRequired = "ACTION_REQUIRED"
	ActionResolved = "ACTION_RESOLVED"
	RunUpdate      = "RUN_UPDATE"
	// NotTold is of a request that no one could be told of by the channels that are set up; Text says why.
	NotTold = "NOT_TOLD"
	// ApprovalRequired is of a commit step that waits for an approval, and ApprovalResolved of what became of it: Status
	// is a store.ApprovalState.
	ApprovalRequired = "APPROVAL_REQUIRED"
	ApprovalResolved = "APPROVAL_RESOLVED"
	// Paid is of what a run has paid within standing limits, without asking: Text says how much to whom, and what is left.
	Paid = "PAID"
)

// Event is what the desk tells programs, as of requests. It holds no link: who reads it is not whom the page
// is handed to.
type Event struct {
	Kind     string    `json:"type"`
	Handoff  string    `json:"handoff_id,omitempty"`
	Approval string    `json:"approval_id,omitempty"`
	Run      string    `json:"run_id,omitempty"`
	URL      string    `json:"url,omitempty"` // of the page, without its query
	Reason   string    `json:"reason,omitempty"`
	Text     string    `json:"text,omitempty"` // of a request: what was being done, what the person is to do, and what is still missing, a line each; of an approval: what is pressed, who is paid, and how much
	Deadline time.Time `json:"deadline,omitzero"`
	Status   string    `json:"status,omitempty"` // of what is resolved, or of the run
}

// Notice is a request, for the person.
type Notice struct {
	Event
	Instruction string `json:"instruction,omitempty"`
	Until       string `json:"until,omitempty"`
	// Unmet is what the page did not show when the person returned it; then this is not a new request.
	Unmet string `json:"unmet,omitempty"`
	// Link opens the live view, once: full access, not to be forwarded. "" where there is none, and the
	// person comes to the computer.
	Link string `json:"link,omitempty"`
}

func (h *Handoff) notice(link string) Notice {
	h.mu.Lock()
	defer h.mu.Unlock()
	r := h.record
	return Notice{
		Event:       Event{Kind: ActionRequired, Handoff: r.ID, Run: r.Run, URL: r.URL, Reason: r.Reason, Text: r.Doing, Deadline: r.Deadline},
		Instruction: r.Instruction, Until: r.Until, Unmet: h.unmet, Link: link,
	}
}

func (d *Desk) tell(n Notice) {
	if d.options.Notify != nil {
		d.options.Notify(n)
	}
	e := n.Event
	e.Text = strings.Join(notEmpty(n.Text, n.Instruction, n.Unmet), "\n")
	d.publish(e)
}

// maxUnread is how many events a stream may be late.
const maxUnread = 64

// Events returns the events from now on, until stop is called or the desk is closed. One who is too late to
// read loses the stream: it is closed.
func (d *Desk) Events() (events <-chan Event, stop func()) {
	sub := make(chan Event, maxUnread)
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.closed {
		close(sub)
		return sub, func() {}
	}
	d.subs[sub] = struct{}{}
	return sub, func() {
		d.mu.Lock()
		defer d.mu.Unlock()
		d.drop(sub)
	}
}

// Told notes whether someone could be told of a request, and why not; that it publishes.
func (d *Desk) Told(id, run string, failed error) {
	why := ""
	if failed != nil {
		why = failed.Error()
		d.publish(Event{Kind: NotTold, Handoff: id, Run: run, Text: why})
	}
	if h := d.Get(id); h != nil {
		h.mu.Lock()
		h.untold = why
		h.mu.Unlock()
	}
}

// Publish tells those who read the events, as of a run.
func (d *Desk) Publish(e Event) { d.publish(e) }

func (d *Desk) publish(e Event) {
	d.mu.Lock()
	defer d.mu.Unlock()
	for sub := range d.subs {
		select {
		case sub <- e:
		default:
			d.drop(sub)
		}
	}
}

func (d *Desk) drop(sub chan Event) {
	if _, is := d.subs[sub]; is {
		delete(d.subs, sub)
		close(sub)
	}
}
