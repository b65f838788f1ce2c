package messenger

import (
	"context"
	"strconv"
	"time"

	"github.com/go-reprise/reprise/handoff"
	"github.com/go-reprise/reprise/internal/runner"
	"github.com/go-reprise/reprise/notify"
	"github.com/go-reprise/reprise/store"
)

// isToBeTold reports whether people are to be told of a payment that no one was asked about: that it was made, that no one
// knows whether it was, or that it was not after all.
func (m *Messenger) isToBeTold(ctx context.Context, e store.LedgerEntry) (bool, error) {
	switch e.State {
	case e.Told:
		return false, nil
	case store.Reserved:
		return runner.PaymentUnknown(ctx, m.options.Store, e)
	case store.Released:
		return e.Told != "", nil
	}
	return true, nil
}

// tellPayments begins to tell the payments since a time of which there is something to tell.
func (m *Messenger) tellPayments(ctx context.Context, since time.Time) error {
	for e, err := range m.options.Store.Limits().Payments(ctx) {
		if err != nil {
			return err
		}
		if e.Err == nil && e.Begun.Before(since) {
			break
		}
		if e.Err != nil {
			continue
		}
		is, err := m.isToBeTold(ctx, e)
		if err != nil {
			return err
		}
		if is {
			m.tell(ctx, ledgerID(e), func(ctx context.Context) error { return m.tellPayment(ctx, e) })
		}
	}
	return nil
}

func ledgerID(e store.LedgerEntry) string { return e.Run + " paid at " + strconv.Itoa(e.Step) }

// tellPayment tells a payment as the ledger has it, and what is left of its limits.
func (m *Messenger) tellPayment(ctx context.Context, e store.LedgerEntry) error {
	return m.leased(ctx, ledgerID(e), func(ctx context.Context) error {
		e, err := m.payment(ctx, e.Run, e.Step) // another process may have told it
		if err != nil {
			return err
		}
		if is, err := m.isToBeTold(ctx, e); err != nil || !is {
			return err
		}
		var left []store.Left
		for l, err := range m.options.Store.Limits().List(ctx) {
			if err != nil {
				return err
			}
			if l.Err == nil && l.Site == e.Site && l.Payee == e.Payee && l.Currency == e.Amount.Currency {
				left = append(left, l.Left)
			}
		}
		message := paymentWords(e, left)
		if _, err := m.options.Notifier.Send(ctx, message); err != nil {
			m.notTold(handoff.Event{Run: e.Run, URL: e.Site}, err)
			return err
		}
		return m.options.Store.Limits().NoteTold(ctx, e.Run, e.Step, e.State)
	})
}

// payment returns an entry of the ledger as it is now, an empty one where it is there no more.
func (m *Messenger) payment(ctx context.Context, run string, step int) (store.LedgerEntry, error) {
	for e, err := range m.options.Store.Limits().Payments(ctx) {
		if err != nil || e.Run == run && e.Step == step {
			return e, err
		}
	}
	return store.LedgerEntry{}, nil
}

// paymentWords are what people are told of a payment that no one was asked about.
func paymentWords(e store.LedgerEntry, left []store.Left) notify.Message {
	message := notify.Message{Key: ledgerID(e) + " " + string(e.State), Kind: "payment"}
	var lines facts
	lines.add("Site", e.Site)
	lines.add("Run", e.Run)
	switch e.State {
	case store.Paid:
		message.Title = "Paid without asking: " + e.Amount.String() + " to " + e.Payee
	case store.Reserved:
		message.Title = "It is not known whether this was paid: " + e.Amount.String() + " to " + e.Payee
		lines = append(lines, "Look at the site before it is paid again. It counts against the limit until it is known that it was not made.")
	default:
		message.Title = "Not paid after all: " + e.Amount.String() + " to " + e.Payee
	}
	for _, l := range left {
		lines.add("Left of limit "+l.ID, l.Rest.String()+" of "+l.Sum.String()+" until "+l.Until.UTC().Format("2 Jan 2006 15:04 MST"))
	}
	message.Text = lines.String()
	return message
}
