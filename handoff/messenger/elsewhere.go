package messenger

import (
	"context"
	"crypto/rand"
	"encoding/json"
	"time"

	"github.com/go-reprise/reprise/handoff"
	"github.com/go-reprise/reprise/store"
)

// A person answers in the chat, which one process hears, about a page that another process has. What they want is an event of
// the handoff, which the process that has the page sees and does. A text to type is in no event.

const (
	// wantedEvent is the kind of the event that a person wants something, and takenEvent that a process has taken that up, as
	// the first: it does it, or no one does it any more.
	wantedEvent = "wanted"
	takenEvent  = "taken"
	// takeTimeout is how long the process that has the page may take to see it.
	takeTimeout = 10 * time.Second
)

// wanted is the data of both events.
type wanted struct {
	Command string `json:"command,omitempty"` // "done" or "screenshot"
	Message int    `json:"message"`           // that the person wrote
	By      string `json:"by"`                // the process that has noted this
}

func (m *Messenger) noteWanted(ctx context.Context, id, kind string, w wanted) error {
	w.By = m.name
	data, err := json.Marshal(w)
	if err != nil {
		return err
	}
	_, err = m.options.Store.Handoffs().Note(ctx, id, store.HandoffEvent{ID: rand.Text(), Kind: kind, Data: data})
	return err
}

// take takes up what a message wants, and reports whether this process was the first.
func (m *Messenger) take(ctx context.Context, id string, message int) bool {
	if m.noteWanted(ctx, id, takenEvent, wanted{Message: message}) != nil {
		return false
	}
	all, err := m.history(ctx, id)
	return err == nil && all.taken[message] == m.name
}

// doElsewhere has the process that has the page do what is wanted, and tells the person if none does.
func (m *Messenger) doElsewhere(ctx context.Context, of string, c command, message int) {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), takeTimeout+answerTimeout)
	defer cancel()
	const failed = "Another process has its page, and does not answer: open the link that you were sent, or come to the computer."
	if err := m.noteWanted(ctx, of, wantedEvent, wanted{Command: names[c], Message: message}); err != nil {
		m.say(ctx, failed, message)
		return
	}
	for until := time.Now().Add(takeTimeout); time.Now().Before(until); pause(ctx, lookEvery) {
		if all, err := m.history(ctx, of); err == nil && all.taken[message] != "" {
			return
		}
	}
	if m.take(ctx, of, message) {
		m.say(ctx, failed, message)
	}
}

// doWanted does what people want of a page that this process has.
func (m *Messenger) doWanted(ctx context.Context, h *handoff.Handoff, all *history) {
	for _, w := range all.wanted {
		c := commands[w.Command]
		if all.taken[w.Message] == "" && (c == returns || c == shows) && m.options.Chat != nil && m.take(ctx, h.ID(), w.Message) {
			m.doHere(ctx, c, h, w.Message)
		}
	}
}

// names are the words of what is done elsewhere.
var names = map[command]string{returns: "done", shows: "screenshot"}
