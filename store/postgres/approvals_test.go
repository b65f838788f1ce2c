package postgres_test

import (
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/go-reprise/reprise/internal/postgrestest"
	"github.com/go-reprise/reprise/store"
	"github.com/go-reprise/reprise/store/internal/driver"
	"github.com/go-reprise/reprise/store/storetest"
)

func ask(t *testing.T, s store.Store) store.Approval {
	t.Helper()
	a, err := s.Approvals().Ask(t.Context(), storetest.Question(store.NewRunID()), time.Hour)
	if err != nil {
		t.Fatal(err)
	}
	return a
}

func offer(t *testing.T, s store.Store, id string) string {
	t.Helper()
	nonce, err := s.Approvals().IssueNonce(t.Context(), id, "ada")
	if err != nil {
		t.Fatal(err)
	}
	return nonce
}

func TestALostAnswerIsNoLostApproval(t *testing.T) {
	t.Parallel()
	th, address := steal(t)
	s := open(t, address)
	ctx, run := t.Context(), store.NewRunID()
	th.next(run)
	a, err := s.Approvals().Ask(ctx, storetest.Question(run), time.Hour)
	if err != nil {
		t.Fatal(err)
	}
	pending := 0
	for range s.Approvals().Pending(ctx) {
		pending++
	}
	th.next(a.ID)
	nonce := offer(t, s, a.ID)
	th.next(a.ID)
	got, err := s.Approvals().Answer(ctx, a.ID, nonce, true)
	if err != nil || got.State != store.ApprovalApproved || pending != 1 {
		t.Errorf("Answer, whose answer was lost, of %d: %+v, %v", pending, got, err)
	}
	var ended *store.ApprovalEndedError
	th.next(a.ID)
	if _, err := s.Approvals().Answer(ctx, a.ID, nonce, true); !errors.As(err, &ended) {
		t.Errorf("a second Answer, whose answer was lost: %v, want an ApprovalEndedError", err)
	}
	th.next(a.ID)
	if _, err := s.Approvals().Redeem(ctx, a.ID, run); err != nil {
		t.Errorf("Spend, whose answer was lost: %v", err)
	}
	th.next(a.ID)
	if _, err := s.Approvals().Redeem(ctx, a.ID, run); !errors.Is(err, store.ErrNotApproved) {
		t.Errorf("a second Spend, whose answer was lost: %v, want ErrNotApproved", err)
	}
	if got := th.stolen.Load(); got != 6 {
		t.Errorf("%d answers were stolen, want 6", got)
	}
}

func TestALostAnswerIsNoLostHandoff(t *testing.T) {
	t.Parallel()
	th, address := steal(t)
	s := open(t, address)
	ctx, given := t.Context(), storetest.Handoff()
	th.next(given.Run)
	h, err := s.Handoffs().Start(ctx, given, time.Hour)
	if err != nil {
		t.Fatal(err)
	}
	all := 0
	for range s.Handoffs().List(ctx) {
		all++
	}
	th.next("commit\x00")
	e, err := s.Handoffs().Note(ctx, h.ID, store.HandoffEvent{ID: "a", Kind: "viewed"})
	if err != nil || e.Number != 1 || all != 1 {
		t.Errorf("Note, whose answer was lost, of %d: %+v, %v", all, e, err)
	}
	th.next(h.ID)
	if h, err = s.Handoffs().End(ctx, h.ID, store.HandoffFinished, nil); err != nil || h.State != store.HandoffFinished {
		t.Errorf("End, whose answer was lost: %+v, %v", h, err)
	}
	var stage *store.HandoffStateError
	th.next(h.ID)
	if _, err := s.Handoffs().End(ctx, h.ID, store.HandoffFinished, nil); !errors.As(err, &stage) {
		t.Errorf("a second End, whose answer was lost: %v, want a HandoffStateError", err)
	}
	if got := th.stolen.Load(); got != 4 {
		t.Errorf("%d answers were stolen, want 4", got)
	}
}

// A run that waits is not disturbed by a restart, and gets an answer from before it.
func TestAnAnswerIsWaitedForAcrossARestart(t *testing.T) {
	t.Parallel()
	server := postgrestest.Start(t)
	address := server.Database(t)
	s, other := open(t, address), open(t, address)
	a := ask(t, s)
	nonce := offer(t, other, a.ID)
	heard := make(chan store.Approval, 1)
	go func() {
		got, err := s.Approvals().Wait(t.Context(), a.ID)
		if err != nil {
			t.Error(err)
		}
		heard <- got
	}()
	server.Stop(t)
	server.Start(t)
	if _, err := other.Approvals().Answer(t.Context(), a.ID, nonce, true); err != nil {
		t.Error(err)
	}
	if got := <-heard; got.State != store.ApprovalApproved {
		t.Errorf("Wait gives %+v", got)
	}
	if _, err := s.Approvals().Redeem(t.Context(), a.ID, a.Run); err != nil {
		t.Error(err)
	}
}

func TestAYesIsGoodForAMinute(t *testing.T) {
	t.Parallel()
	address := postgrestest.Database(t)
	s := open(t, address)
	a := ask(t, s)
	if _, err := s.Approvals().Answer(t.Context(), a.ID, offer(t, s, a.ID), true); err != nil {
		t.Fatal(err)
	}
	execute(t, address, "UPDATE reprise.approvals SET answered = answered - $1::interval", store.SpendWithin)
	if _, err := s.Approvals().Redeem(t.Context(), a.ID, a.Run); !errors.Is(err, store.ErrNotApproved) || !strings.Contains(err.Error(), "ask again") {
		t.Errorf("Spend of an old yes gives %v, want a NotApprovedError", err)
	}
}

func TestANonceIsInNoTable(t *testing.T) {
	t.Parallel()
	address := postgrestest.Database(t)
	s := open(t, address)
	a := ask(t, s)
	nonce := offer(t, s, a.ID)
	if _, err := s.Approvals().Answer(t.Context(), a.ID, nonce, true); err != nil {
		t.Fatal(err)
	}
	rows, err := connect(t, address).Query(t.Context(), "SELECT a::text FROM reprise.approvals a")
	if err != nil {
		t.Fatal(err)
	}
	text, err := pgx.CollectExactlyOneRow(rows, pgx.RowTo[string])
	if err != nil || strings.Contains(text, nonce) || !strings.Contains(text, driver.Rules.NonceHash(nonce)) {
		t.Errorf("what is stored is %s, %v", text, err)
	}
}

func TestWhatAnotherProgramHasWrittenOfAnApprovalIsReported(t *testing.T) {
	t.Parallel()
	address := postgrestest.Database(t)
	s := open(t, address)
	a, whole := ask(t, s), ask(t, s)
	h, err := s.Handoffs().Start(t.Context(), storetest.Handoff(), time.Hour)
	if err != nil {
		t.Fatal(err)
	}
	execute(t, address, `UPDATE reprise.approvals SET question = '{"run": "../x"}' WHERE id = $1`, a.ID)
	execute(t, address, `UPDATE reprise.handoffs SET record = '{"format": 99}'`)
	unread := map[string]bool{}
	for one, err := range s.Approvals().Pending(t.Context()) {
		if err != nil {
			t.Fatal(err)
		}
		unread[one.ID] = one.Err != nil
	}
	for one, err := range s.Handoffs().List(t.Context()) {
		if err != nil {
			t.Fatal(err)
		}
		unread[one.ID] = one.Err != nil
	}
	if len(unread) != 3 || !unread[a.ID] || unread[whole.ID] || !unread[h.ID] {
		t.Errorf("unreadable are %v", unread)
	}
	if _, err := s.Approvals().Get(t.Context(), a.ID); err == nil || errors.Is(err, store.ErrNotFound) {
		t.Errorf("Get gives %v", err)
	}
	if _, err := s.Handoffs().Get(t.Context(), h.ID); err == nil || errors.Is(err, store.ErrNotFound) {
		t.Errorf("Get gives %v", err)
	}
}
