package messenger

import (
	"bytes"
	"context"
	"errors"
	"image"
	_ "image/jpeg"
	"image/png"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/go-reprise/reprise/handoff"
	"github.com/go-reprise/reprise/internal/runner"
	"github.com/go-reprise/reprise/notify"
	"github.com/go-reprise/reprise/store"
)

// Approvals that runs wait for, and how they ended.

// What an approval notes of what people were told: by which channel, with the number of the message there, and that they
// know how it has ended.
const (
	toldBy    = "told by "
	ofMessage = ", message "
	toldEnd   = "told of its end"
)

func wasTold(a store.Approval) bool { return toldNote(a) != "" }

// toldNote is the note of what told people of an approval, "" where they were not told.
func toldNote(a store.Approval) string {
	if i := slices.IndexFunc(a.Offered, func(to string) bool { return strings.HasPrefix(to, toldBy) }); i >= 0 {
		return strings.TrimPrefix(a.Offered[i], toldBy)
	}
	return ""
}

// notTold has programs know that no one could be told of something.
func (m *Messenger) notTold(of handoff.Event, err error) {
	var none *notify.Error
	if m.options.Desk != nil && errors.As(err, &none) {
		of.Kind, of.Text = handoff.NotTold, err.Error()
		m.options.Desk.Publish(of)
	}
}

// tellApproval sends an approval request that no one was told of.
func (m *Messenger) tellApproval(ctx context.Context, id string) error {
	pending := m.options.Store.Approvals()
	a, err := pending.Get(ctx, id)
	if err != nil {
		return err
	}
	if wasTold(a) || a.State != store.ApprovalPending {
		m.isOver(id)
		return nil
	}
	return m.leased(ctx, id, func(ctx context.Context) error {
		a, err := pending.Get(ctx, id)
		if err != nil || wasTold(a) || a.State != store.ApprovalPending {
			return err
		}
		message := approvalWords(a)
		picture, err := pending.Picture(ctx, id)
		switch {
		case err == nil:
			message.Picture = func(context.Context) ([]byte, error) { return asPNG(picture) }
		case errors.Is(err, store.ErrNotFound):
			message.Text += "\nThere is no picture of the page."
		default:
			return err
		}
		if m.options.Chat != nil {
			nonce, err := m.nonce(ctx, id)
			if err != nil {
				return err
			}
			message.Buttons = buttons(id, nonce)
		}
		noted := false
		note := func(ctx context.Context, sent notify.Sent) error {
			err := pending.NoteTold(ctx, id, strings.TrimSuffix(toldBy+sent.Channel+ofMessage+sent.ID, ofMessage))
			noted = noted || err == nil
			return err
		}
		message.OnSent = func(ctx context.Context, sent notify.Sent) { _ = note(ctx, sent) } // again below
		sent, err := m.options.Notifier.Send(ctx, message)
		if err != nil {
			m.notTold(handoff.Event{Approval: id, Run: a.Run}, err)
			return err
		}
		if !noted { // a message that was sent before is not sent again
			if err := note(ctx, sent); err != nil {
				return err
			}
		}
		m.mu.Lock()
		delete(m.nonces, id)
		m.mu.Unlock()
		return nil
	})
}

// endApprovals begins to tell how questions have ended that people were told of. Those of runs that are no more it withdraws.
func (m *Messenger) endApprovals(ctx context.Context, now time.Time) error {
	for a, err := range m.options.Store.Approvals().List(ctx) {
		switch {
		case err != nil:
			return err
		case a.Err != nil:
			continue
		case now.Sub(a.Asked) > lookBack:
			return nil
		case a.State == store.ApprovalPending:
			if _, err := runner.WithdrawLost(ctx, m.options.Store, a.Approval); err != nil {
				return err
			}
		case wasTold(a.Approval) && !slices.Contains(a.Offered, toldEnd):
			m.tell(ctx, a.ID+" end", func(ctx context.Context) error { return m.tellEndOf(ctx, a.ID) })
		}
	}
	return nil
}

// tellEndOf takes the buttons from under a question that has ended, and says how one did that no one has answered.
func (m *Messenger) tellEndOf(ctx context.Context, id string) error {
	return m.leased(ctx, id+" end", func(ctx context.Context) error {
		all := m.options.Store.Approvals()
		a, err := all.Get(ctx, id)
		if err != nil || slices.Contains(a.Offered, toldEnd) { // another process has told it
			return err
		}
		channel, number, _ := strings.Cut(toldNote(a), ofMessage)
		if message, err := strconv.Atoi(number); err == nil && m.options.Chat != nil && channel == m.options.Chat.Name() {
			var failed *notify.SendError
			if err := m.options.Chat.RemoveButtons(ctx, message); errors.As(err, &failed) && failed.Retry { // else there are none
				return err
			}
		}
		if line := endedUnanswered[a.State]; line != "" && time.Since(a.Deadline) < tellEndsFor {
			message := approvalFacts(a)
			message.Key, message.Kind, message.Title, message.ReplyTo = id+"-end", stageEnd, line, number
			if _, err := m.options.Notifier.Send(ctx, message); err != nil {
				m.notTold(handoff.Event{Approval: id, Run: a.Run}, err)
				return err
			}
		}
		return all.NoteTold(ctx, id, toldEnd)
	})
}

// endedUnanswered is what people are told of a question that no one has answered.
var endedUnanswered = map[store.ApprovalState]string{
	store.ApprovalExpired:   "No one answered in time: it is denied, and nothing was sent.",
	store.ApprovalWithdrawn: "The run no longer waits for it: nothing was sent.",
}

// asPNG returns a picture of the store as channels send it.
func asPNG(picture []byte) ([]byte, error) {
	shown, kind, err := image.Decode(bytes.NewReader(picture))
	if err != nil || kind == "png" {
		return picture, err
	}
	var out bytes.Buffer
	err = png.Encode(&out, shown)
	return out.Bytes(), err
}

// nonce returns that of an approval for the person of the chat, the same one as long as they did not get it.
func (m *Messenger) nonce(ctx context.Context, id string) (string, error) {
	m.mu.Lock()
	nonce := m.nonces[id]
	m.mu.Unlock()
	if nonce != "" {
		return nonce, nil
	}
	nonce, err := m.options.Store.Approvals().IssueNonce(ctx, id, "Telegram user "+strconv.FormatInt(m.options.Chat.Chat(), 10))
	if err == nil {
		m.mu.Lock()
		m.nonces[id] = nonce
		m.mu.Unlock()
	}
	return nonce, err
}
