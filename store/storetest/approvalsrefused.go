package storetest

import (
	"context"
	"errors"
	"iter"
	"strings"
	"testing"
	"time"

	"github.com/go-reprise/reprise/store"
)

func invalidApprovals(t *testing.T, s store.Store) {
	ctx := t.Context()
	for what, spoil := range map[string]func(*store.Question){
		"a path for a run":    func(q *store.Question) { q.Run = "../x" },
		"a step before all":   func(q *store.Question) { q.Step = -1 },
		"no tool":             func(q *store.Question) { q.Tool = "" },
		"bytes for an intent": func(q *store.Question) { q.Intent = "a\xff" },
		"a null byte":         func(q *store.Question) { q.Payee = "a\x00" },
		"too long a text":     func(q *store.Question) { q.Says = strings.Repeat("x", 1<<20) },
		"a query":             func(q *store.Question) { q.URL += "?token=1" },
		"a fragment":          func(q *store.Question) { q.URL += "#token" },
		"a password":          func(q *store.Question) { q.URL = "https://me:pass@shop.example/" },
		"one in an origin":    func(q *store.Question) { q.Origin = "https://me:pass@shop.example" },
	} {
		q := Question(store.NewRunID())
		spoil(&q)
		var invalid *store.InvalidApprovalError
		if _, err := s.Approvals().Ask(ctx, q, lasting); !errors.As(err, &invalid) {
			t.Errorf("a question with %s gives %v, want an InvalidApprovalError", what, err)
		}
	}
	var invalid *store.InvalidApprovalError
	for _, lasts := range []time.Duration{0, -1, store.MaxApproval + 1} {
		if _, err := s.Approvals().Ask(ctx, Question(store.NewRunID()), lasts); !errors.As(err, &invalid) {
			t.Errorf("a question of %v gives %v", lasts, err)
		}
	}
	a := ask(t, s, store.NewRunID(), lasting)
	for _, to := range []string{"", "a\x00", strings.Repeat("x", 1<<20)} {
		if _, err := s.Approvals().Offer(ctx, a.ID, to); !errors.As(err, &invalid) {
			t.Errorf("an offer to %.10q gives %v", to, err)
		}
	}
	for range store.MostOffers {
		offered(t, s, a.ID, "me")
	}
	if _, err := s.Approvals().Offer(ctx, a.ID, "me"); !errors.As(err, &invalid) {
		t.Errorf("one offer too many gives %v", err)
	}
	for _, id := range []string{"", "..", "../" + a.ID, strings.ToUpper(a.ID), a.ID + "\x00", store.NewRunID()} {
		for what, call := range approvalCalls(s, id) {
			if what != "Approvals.Ask" && what != "Approvals.List" && what != "Approvals.Pending" {
				wantNotFound(t, what+" of "+id, call(ctx))
			}
		}
	}
}

// approvalCalls is every method that takes a context.
func approvalCalls(s store.Store, id string) map[string]func(context.Context) error {
	return map[string]func(context.Context) error{
		"Approvals.Ask": func(ctx context.Context) error {
			_, err := s.Approvals().Ask(ctx, Question("run"), lasting)
			return err
		},
		"Approvals.Offer": func(ctx context.Context) error {
			_, err := s.Approvals().Offer(ctx, id, "me")
			return err
		},
		"Approvals.Answer": func(ctx context.Context) error {
			_, err := s.Approvals().Answer(ctx, id, "nonce", true)
			return err
		},
		"Approvals.Wait": func(ctx context.Context) error {
			_, err := s.Approvals().Wait(ctx, id)
			return err
		},
		"Approvals.Spend": func(ctx context.Context) error {
			_, err := s.Approvals().Spend(ctx, id, "run")
			return err
		},
		"Approvals.Withdraw": func(ctx context.Context) error { return s.Approvals().Withdraw(ctx, id) },
		"Approvals.Get": func(ctx context.Context) error {
			_, err := s.Approvals().Get(ctx, id)
			return err
		},
		"Approvals.Pending": func(ctx context.Context) error { return firstError(s.Approvals().Pending(ctx)) },
		"Approvals.List":    func(ctx context.Context) error { return firstError(s.Approvals().List(ctx)) },
	}
}

func firstError[T any](list iter.Seq2[T, error]) error {
	for _, err := range list {
		if err != nil {
			return err
		}
	}
	return nil
}
