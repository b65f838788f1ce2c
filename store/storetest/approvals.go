package storetest

import (
	"context"
	"crypto/rand"
	"errors"
	"iter"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/go-reprise/reprise/store"
	"github.com/go-reprise/reprise/store/internal/driver"
)

// answerers is how many answer at once, and lasting how long a question waits that is to
// be answered.
const (
	answerers = 20
	lasting   = time.Hour
)

// Question returns one that has something in all of its fields.
func Question(run string) store.ApprovalRequest {
	return store.ApprovalRequest{
		Run: run, Step: 4, Tool: "click", Intent: "pay <it>", Label: "Pay €42.00\n& go", Origin: "https://shop.example", URL: "https://shop.example/bäume/pay",
		Payee: "Meadow Water", Amount: "€42.00", Currency: "EUR",
	}
}

func ask(t *testing.T, s store.Store, run string, lasting time.Duration) store.Approval {
	t.Helper()
	a, err := s.Approvals().Ask(t.Context(), Question(run), lasting)
	if err != nil {
		t.Fatalf("Ask: %v", err)
	}
	return a
}

func offered(t *testing.T, s store.Store, id, to string) string {
	t.Helper()
	nonce, err := s.Approvals().IssueNonce(t.Context(), id, to)
	if err != nil || len(nonce) < 20 {
		t.Fatalf("Offer gives %q, %v", nonce, err)
	}
	return nonce
}

// reply has an approver answer.
func reply(t *testing.T, s store.Store, id string, yes bool) store.Approval {
	t.Helper()
	a, err := s.Approvals().Answer(t.Context(), id, offered(t, s, id, "ada"), yes)
	if err != nil {
		t.Fatalf("Answer: %v", err)
	}
	return a
}

func approvals(t *testing.T, list iter.Seq2[store.ApprovalSummary, error]) []store.Approval {
	t.Helper()
	var all []store.Approval
	for a, err := range list {
		if err != nil || a.Err != nil {
			t.Fatalf("a list has %+v, %v", a, err)
		}
		all = append(all, a.Approval)
	}
	return all
}

func wantState(t *testing.T, s store.Store, id string, want store.ApprovalState) store.Approval {
	t.Helper()
	a, err := s.Approvals().Get(t.Context(), id)
	if err != nil || a.State != want {
		t.Errorf("the approval is %s, %v, want %s", a.State, err, want)
	}
	return a
}

func approvalsKept(t *testing.T, s store.Store) {
	run := store.NewRunID()
	a := ask(t, s, run, lasting)
	want := store.Approval{ID: a.ID, ApprovalRequest: Question(run), Asked: a.Asked, Deadline: a.Asked.Add(lasting), State: store.ApprovalPending}
	if diff := cmp.Diff(want, a); diff != "" || a.Asked.IsZero() {
		t.Errorf("Ask gives (-want +got):\n%s", diff)
	}
	if diff := cmp.Diff(want, wantState(t, s, a.ID, store.ApprovalPending)); diff != "" {
		t.Errorf("Get gives (-want +got):\n%s", diff)
	}
	other := ask(t, s, store.NewRunID(), lasting)
	if diff := cmp.Diff([]store.Approval{a, other}, sortedByID(approvals(t, s.Approvals().Pending(t.Context())), a.ID)); diff != "" {
		t.Errorf("Pending gives (-want +got):\n%s", diff)
	}
	got := reply(t, s, a.ID, true)
	want.State, want.Answered, want.By, want.Offered = store.ApprovalApproved, got.Answered, "ada", []string{"ada"}
	if diff := cmp.Diff(want, got); diff != "" || got.Answered.Before(a.Asked) {
		t.Errorf("Answer gives (-want +got):\n%s", diff)
	}
	if diff := cmp.Diff(want, wantState(t, s, a.ID, store.ApprovalApproved)); diff != "" {
		t.Errorf("answered it is (-want +got):\n%s", diff)
	}
	reply(t, s, other.ID, false)
	wantState(t, s, other.ID, store.ApprovalDenied)
	if left := approvals(t, s.Approvals().Pending(t.Context())); len(left) > 0 {
		t.Errorf("pending are %+v", left)
	}
	if all := approvals(t, s.Approvals().List(t.Context())); len(all) != 2 {
		t.Errorf("List gives %+v", all)
	}
}

// sortedByID puts the one of an ID first: two of one millisecond come in any order.
func sortedByID(all []store.Approval, first string) []store.Approval {
	if len(all) == 2 && all[1].ID == first {
		all[0], all[1] = all[1], all[0]
	}
	return all
}

func approvalsAnsweredOnce(t *testing.T, s store.Store) {
	ctx := t.Context()
	a := ask(t, s, store.NewRunID(), lasting)
	mine, yours := offered(t, s, a.ID, "me"), offered(t, s, a.ID, "you")
	other := ask(t, s, store.NewRunID(), lasting)
	for what, nonce := range map[string]string{"none": "", "a guess": strings.Repeat("A", len(mine)), "that of another question": offered(t, s, other.ID, "me"), "its hash": driver.Rules.NonceHash(mine)} {
		var wrong *store.NonceError
		if _, err := s.Approvals().Answer(ctx, a.ID, nonce, true); !errors.As(err, &wrong) {
			t.Errorf("an answer with %s gives %v, want a NonceError", what, err)
		}
	}
	wantState(t, s, a.ID, store.ApprovalPending)
	if _, err := s.Approvals().Answer(ctx, a.ID, yours, false); err != nil {
		t.Fatal(err)
	}
	for _, nonce := range []string{mine, yours} {
		var ended *store.ApprovalEndedError
		if _, err := s.Approvals().Answer(ctx, a.ID, nonce, true); !errors.As(err, &ended) || ended.State != store.ApprovalDenied || ended.By != "you" {
			t.Errorf("a second answer gives %v, want an ApprovalEndedError", err)
		}
	}
	if got := wantState(t, s, a.ID, store.ApprovalDenied); got.By != "you" {
		t.Errorf("it was answered by %s", got.By)
	}
	var ended *store.ApprovalEndedError
	if _, err := s.Approvals().IssueNonce(ctx, a.ID, "late"); !errors.As(err, &ended) {
		t.Errorf("an offer of what was answered gives %v", err)
	}
	for range 2 { // what people were told of it is noted all the same, once
		if err := s.Approvals().NoteTold(ctx, a.ID, "told of its end"); err != nil {
			t.Errorf("noting what was told of it: %v", err)
		}
	}
	if got, want := wantState(t, s, a.ID, store.ApprovalDenied).Offered, []string{"me", "told of its end", "you"}; !slices.Equal(got, want) {
		t.Errorf("it was offered to %q, want %q", got, want)
	}
	if err := s.Approvals().NoteTold(ctx, store.NewRunID(), "told"); !errors.Is(err, store.ErrNotFound) {
		t.Errorf("a note of what is not there is answered with %v", err)
	}
}

func approvalsExpire(t *testing.T, s store.Store) {
	ctx := t.Context()
	a := ask(t, s, store.NewRunID(), 30*time.Millisecond)
	nonce := rand.Text()
	if early, err := s.Approvals().IssueNonce(ctx, a.ID, "me"); err == nil { // a busy machine is late
		nonce = early
	}
	got, err := s.Approvals().Wait(ctx, a.ID)
	if err != nil || got.State != store.ApprovalExpired || !got.Answered.IsZero() {
		t.Fatalf("Wait gives %+v, %v, want it expired", got, err)
	}
	var ended *store.ApprovalEndedError
	var wrong *store.NonceError
	if _, err := s.Approvals().Answer(ctx, a.ID, nonce, true); !errors.As(err, &ended) && !errors.As(err, &wrong) || ended != nil && ended.State != store.ApprovalExpired {
		t.Errorf("a late answer gives %v, want an ApprovalEndedError", err)
	}
	wantState(t, s, a.ID, store.ApprovalExpired)
	if pending := approvals(t, s.Approvals().Pending(ctx)); len(pending) > 0 {
		t.Errorf("pending are %+v", pending)
	}
	var no *store.NotApprovedError
	if _, err := s.Approvals().Redeem(ctx, a.ID, a.Run); !errors.As(err, &no) {
		t.Errorf("Spend of what has expired gives %v", err)
	}
}

func approvalsSpentOnce(t *testing.T, s store.Store) {
	ctx := t.Context()
	a := ask(t, s, store.NewRunID(), lasting)
	refused := func(what, id, run string) {
		t.Helper()
		var no *store.NotApprovedError
		if _, err := s.Approvals().Redeem(ctx, id, run); !errors.As(err, &no) || !errors.Is(err, store.ErrNotApproved) {
			t.Errorf("Spend %s gives %v, want a NotApprovedError", what, err)
		}
	}
	refused("of what is pending", a.ID, a.Run)
	reply(t, s, a.ID, true)
	refused("by another run", a.ID, store.NewRunID())
	refused("by a run within it", a.ID, a.Run+".4")
	if got, err := s.Approvals().Redeem(ctx, a.ID, a.Run); err != nil || got.Spent.Before(got.Answered) {
		t.Errorf("Spend gives %+v, %v", got, err)
	}
	refused("again", a.ID, a.Run)
	if got := wantState(t, s, a.ID, store.ApprovalApproved); got.Spent.IsZero() {
		t.Error("that it was spent is not stored")
	}
	denied := ask(t, s, store.NewRunID(), lasting)
	reply(t, s, denied.ID, false)
	refused("of a no", denied.ID, denied.Run)
}

func approvalsWithdrawn(t *testing.T, s store.Store) {
	ctx := t.Context()
	first := ask(t, s, store.NewRunID(), lasting)
	nonce := offered(t, s, first.ID, "me")
	within := ask(t, s, first.Run+".3", lasting)
	second := ask(t, s, first.Run, lasting)
	wantState(t, s, first.ID, store.ApprovalWithdrawn)
	wantState(t, s, within.ID, store.ApprovalPending)
	var ended *store.ApprovalEndedError
	if _, err := s.Approvals().Answer(ctx, first.ID, nonce, true); !errors.As(err, &ended) || ended.State != store.ApprovalWithdrawn {
		t.Errorf("an answer to what was asked again gives %v", err)
	}
	for range 2 {
		if err := s.Approvals().Withdraw(ctx, second.ID); err != nil {
			t.Errorf("Withdraw: %v", err)
		}
	}
	wantState(t, s, second.ID, store.ApprovalWithdrawn)
	reply(t, s, within.ID, true)
	if err := s.Approvals().Withdraw(ctx, within.ID); err != nil {
		t.Errorf("Withdraw of what was answered: %v", err)
	}
	wantState(t, s, within.ID, store.ApprovalApproved)
}

// oneAnswer has many answer at once, and then count on it at once.
func oneAnswer(t *testing.T, s store.Store) {
	ctx := t.Context()
	a := ask(t, s, store.NewRunID(), lasting)
	nonces := make([]string, answerers)
	for i := range nonces {
		nonces[i] = offered(t, s, a.ID, string(rune('a'+i)))
	}
	won := atOnce(t, answerers, func(i int) (bool, error) {
		_, err := s.Approvals().Answer(ctx, a.ID, nonces[i], true)
		var ended *store.ApprovalEndedError
		if errors.As(err, &ended) {
			return false, nil
		}
		return err == nil, err
	})
	if got := wantState(t, s, a.ID, store.ApprovalApproved); len(won) != 1 || got.By != string(rune('a'+won[0])) {
		t.Errorf("of %d answers %v count, and it was answered by %s", answerers, won, got.By)
	}
	won = atOnce(t, answerers, func(int) (bool, error) {
		_, err := s.Approvals().Redeem(ctx, a.ID, a.Run)
		if errors.Is(err, store.ErrNotApproved) {
			return false, nil
		}
		return err == nil, err
	})
	if len(won) != 1 {
		t.Errorf("%d of %d may count on it", len(won), answerers)
	}
}

// atOnce has n do something at the same time, and returns those to whom it was granted.
func atOnce(t *testing.T, n int, do func(int) (bool, error)) (granted []int) {
	t.Helper()
	var (
		group sync.WaitGroup
		mu    sync.Mutex
	)
	begin := make(chan struct{})
	for i := range n {
		group.Go(func() {
			<-begin
			ok, err := do(i)
			mu.Lock()
			defer mu.Unlock()
			if err != nil {
				t.Error(err)
			}
			if ok {
				granted = append(granted, i)
			}
		})
	}
	close(begin)
	group.Wait()
	return granted
}

func approvalsWaitedFor(t *testing.T, s store.Store) {
	a := ask(t, s, store.NewRunID(), lasting)
	cause := errors.New("the caller went home")
	ctx, cancel := context.WithCancelCause(t.Context())
	gone := make(chan error, 1)
	go func() {
		_, err := s.Approvals().Wait(ctx, a.ID)
		gone <- err
	}()
	heard := make(chan store.Approval, 1)
	go func() {
		got, err := s.Approvals().Wait(t.Context(), a.ID)
		if err != nil {
			t.Error(err)
		}
		heard <- got
	}()
	cancel(cause)
	if err := <-gone; !errors.Is(err, cause) {
		t.Errorf("Wait gives %v, want %v", err, cause)
	}
	reply(t, s, a.ID, true)
	if got := <-heard; got.State != store.ApprovalApproved || got.By != "ada" {
		t.Errorf("Wait gives %+v", got)
	}
	_, err := s.Approvals().Wait(t.Context(), store.NewRunID())
	wantNotFound(t, "Wait for what there is not", err)
}

func invalidApprovals(t *testing.T, s store.Store) {
	ctx := t.Context()
	for what, spoil := range map[string]func(*store.ApprovalRequest){
		"a path for a run":     func(q *store.ApprovalRequest) { q.Run = "../x" },
		"a step before all":    func(q *store.ApprovalRequest) { q.Step = -1 },
		"no tool":              func(q *store.ApprovalRequest) { q.Tool = "" },
		"bytes for an intent":  func(q *store.ApprovalRequest) { q.Intent = "a\xff" },
		"a null byte":          func(q *store.ApprovalRequest) { q.Payee = "a\x00" },
		"too long a text":      func(q *store.ApprovalRequest) { q.Label = strings.Repeat("x", 1<<20) },
		"a query":              func(q *store.ApprovalRequest) { q.URL += "?token=1" },
		"a fragment":           func(q *store.ApprovalRequest) { q.URL += "#token" },
		"a password":           func(q *store.ApprovalRequest) { q.URL = "https://me:pass@shop.example/" },
		"a page for a picture": func(q *store.ApprovalRequest) { q.Picture = []byte("<html>") },
		"a picture too large": func(q *store.ApprovalRequest) {
			q.Picture = append([]byte("\xff\xd8\xff"), make([]byte, store.MaxApprovalPicture)...)
		},
		"one in an origin": func(q *store.ApprovalRequest) { q.Origin = "https://me:pass@shop.example" },
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
		if _, err := s.Approvals().IssueNonce(ctx, a.ID, to); !errors.As(err, &invalid) {
			t.Errorf("an offer to %.10q gives %v", to, err)
		}
	}
	for range driver.MaxOffers {
		offered(t, s, a.ID, "me")
	}
	if _, err := s.Approvals().IssueNonce(ctx, a.ID, "me"); !errors.As(err, &invalid) {
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
			_, err := s.Approvals().IssueNonce(ctx, id, "me")
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
			_, err := s.Approvals().Redeem(ctx, id, "run")
			return err
		},
		"Approvals.Withdraw": func(ctx context.Context) error { return s.Approvals().Withdraw(ctx, id) },
		"Approvals.Get": func(ctx context.Context) error {
			_, err := s.Approvals().Get(ctx, id)
			return err
		},
		"Approvals.Picture": func(ctx context.Context) error {
			_, err := s.Approvals().Picture(ctx, id)
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
