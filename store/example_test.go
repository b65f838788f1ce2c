package store_test

import (
	"context"
	"errors"
	"fmt"
	"log"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/go-reprise/reprise/automation"
	"github.com/go-reprise/reprise/store"
	"github.com/go-reprise/reprise/store/storetest"
)

const document = `{
  "format": 1,
  "name": "example-login",
  "match": {"urls": ["login.example.com/*"], "account": "jobs@example.com"},
  "steps": [{"tool": "navigate", "url": "https://login.example.com/"}]
}`

func Example() {
	if err := example(); err != nil {
		fmt.Println(err)
	}
	// Output:
	// saved at revision 1
	// example-login is for https://login.example.com/start
	// someone else was first
}

func example() error {
	ctx := context.Background()
	dir, err := os.MkdirTemp("", "")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)

	s, err := store.Open(ctx, dir)
	if err != nil {
		return err
	}
	defer s.Close()
	a, err := automation.Parse([]byte(document))
	if err != nil {
		return err
	}
	saved, err := s.Automations().Save(ctx, a)
	if err != nil {
		return err
	}
	fmt.Println("saved at revision", saved.Revision)

	found, err := s.Automations().Match(ctx, "https://login.example.com/start", "jobs@example.com")
	if err != nil {
		return err
	}
	fmt.Println(found.Name, "is for https://login.example.com/start")

	if _, err := s.Automations().Save(ctx, a); errors.Is(err, store.ErrConflict) {
		fmt.Println("someone else was first")
	}
	return nil
}

func ExampleOpen() {
	s, err := store.Open(context.Background(), filepath.Join(os.TempDir(), "not-made-yet"))
	if err != nil {
		fmt.Println(err)
		return
	}
	defer s.Close()
	for a, err := range s.Automations().List(context.Background()) {
		fmt.Println(a.Name, err)
	}
	_, err = s.Automations().Get(context.Background(), "login", "")
	fmt.Println(err)
	// Output: store: there is no automation "login" for any account; nothing is stored under this name
}

// A driver's package registers itself from init; a program imports it as
// _ "example.com/memory" and opens memory://.
func ExampleRegister() {
	_ = func() { // init
		store.Register("memory", func(ctx context.Context, url string) (store.Store, error) {
			return nil, errors.New("nothing is stored in memory yet")
		})
	}
}

func ExampleRuns() {
	ctx := context.Background()
	dir, err := os.MkdirTemp("", "")
	if err != nil {
		fmt.Println(err)
		return
	}
	defer os.RemoveAll(dir)
	s, err := store.Open(ctx, dir)
	if err != nil {
		fmt.Println(err)
		return
	}
	defer s.Close()
	err = s.Runs().Save(ctx, store.Run{
		ID:         store.NewRunID(),
		Automation: "login",
		State:      store.Done,
		Steps:      []store.RunStep{{Tool: "navigate", Outcome: store.StepDone, Duration: 80 * time.Millisecond}},
	})
	if err != nil {
		fmt.Println(err)
		return
	}
	for r, err := range s.Runs().List(ctx) {
		if err != nil {
			fmt.Println(err)
			return
		}
		fmt.Println(r.Automation, r.State, len(r.Steps))
	}
	// Output: login done 1
}

// A store's package runs the suite on its own kind.
func Example_conformance() {
	_ = func(t *testing.T) {
		storetest.Run(t, func(t *testing.T) store.Store {
			s, err := store.Open(t.Context(), t.TempDir())
			if err != nil {
				t.Fatal(err)
			}
			return s
		})
	}
}

func ExampleCommits() {
	dir, err := os.MkdirTemp("", "")
	if err != nil {
		fmt.Println(err)
		return
	}
	defer os.RemoveAll(dir)
	ctx := context.Background()
	s, err := store.Open(ctx, dir)
	if err != nil {
		fmt.Println(err)
		return
	}
	defer s.Close()
	run := store.NewRunID()
	fmt.Println(s.Commits().Begin(ctx, run, 4)) // and now it is sent
	fmt.Println(s.Commits().Begin(ctx, run, 4))
	fmt.Println(s.Commits().Resolve(ctx, run, 4, true))
	fmt.Println(s.Commits().Committed(ctx, run))
	// Output:
	// <nil>
	// store: it was sent before
	// <nil>
	// map[4:true] <nil>
}

// A run asks, an approver elsewhere approves, and the run spends that once.
func ExampleApprovals() {
	dir, err := os.MkdirTemp("", "")
	if err != nil {
		fmt.Println(err)
		return
	}
	defer os.RemoveAll(dir)
	ctx := context.Background()
	s, err := store.Open(ctx, dir)
	if err != nil {
		fmt.Println(err)
		return
	}
	defer s.Close()
	asked, err := s.Approvals().Ask(ctx, store.ApprovalRequest{
		Run: store.NewRunID(), Step: 4, Tool: "click", Label: "Pay €42.00", Origin: "https://shop.example", URL: "https://shop.example/pay",
	}, 10*time.Minute)
	if err != nil {
		fmt.Println(err)
		return
	}
	nonce, err := s.Approvals().IssueNonce(ctx, asked.ID, "ada@example.com") // and it is sent to her
	if err != nil {
		fmt.Println(err)
		return
	}
	if _, err := s.Approvals().Answer(ctx, asked.ID, nonce, true); err != nil {
		fmt.Println(err)
		return
	}
	answer, err := s.Approvals().Wait(ctx, asked.ID)
	fmt.Println(answer.State, answer.By, err)
	_, err = s.Approvals().Redeem(ctx, asked.ID, asked.Run)
	fmt.Println(err) // and now it is paid
	_, err = s.Approvals().Redeem(ctx, asked.ID, asked.Run)
	fmt.Println(errors.Is(err, store.ErrNotApproved))
	// Output:
	// approved ada@example.com <nil>
	// <nil>
	// true
}

func ExampleHandoffs() {
	dir, err := os.MkdirTemp("", "")
	if err != nil {
		fmt.Println(err)
		return
	}
	defer os.RemoveAll(dir)
	ctx := context.Background()
	s, err := store.Open(ctx, dir)
	if err != nil {
		fmt.Println(err)
		return
	}
	defer s.Close()
	h, err := s.Handoffs().Start(ctx, store.Handoff{Step: 2, Reason: "manual_recovery", Before: []byte(`{"cookies": 3}`)}, 30*time.Minute)
	if err != nil {
		fmt.Println(err)
		return
	}
	if _, err := s.Handoffs().Note(ctx, h.ID, store.HandoffEvent{ID: "1", Kind: "viewed"}); err != nil {
		fmt.Println(err)
		return
	}
	h, err = s.Handoffs().End(ctx, h.ID, store.HandoffFinished, []byte(`{"cookies": 4}`))
	fmt.Println(h.State, string(h.Before), string(h.After), err)
	_, err = s.Handoffs().End(ctx, h.ID, store.HandoffCancelled, nil)
	var stage *store.HandoffStateError
	fmt.Println(errors.As(err, &stage))
	// Output:
	// FINISHED {"cookies":3} {"cookies":4} <nil>
	// true
}

// A person lets runs pay a bill without asking, and a run pays it.
func ExampleLimits() {
	ctx := context.Background()
	dir, err := os.MkdirTemp("", "reprise")
	if err != nil {
		log.Fatal(err)
	}
	defer os.RemoveAll(dir)
	st, err := store.Open(ctx, dir)
	if err != nil {
		log.Fatal(err)
	}
	defer st.Close()
	sum, err := store.ParseDecimal("100", "EUR")
	if err != nil {
		log.Fatal(err)
	}
	if _, err := st.Limits().Add(ctx, store.Limit{Site: "https://shop.example", Payee: "Meadow Water", Currency: "EUR", Sum: sum}); err != nil {
		log.Fatal(err)
	}
	amount, err := store.ParseMoney("42,00 €", "")
	if err != nil {
		log.Fatal(err)
	}
	run, step := store.NewRunID(), 3
	left, err := st.Commits().BeginPayment(ctx, run, step, store.Payment{Site: "https://shop.example", Payee: "Meadow Water", Amount: amount})
	if err != nil {
		log.Fatal(err) // store.ErrNotWithinLimit: a person must be asked
	}
	// Here the run presses, and sees that it was paid.
	if err := st.Commits().Resolve(ctx, run, step, true); err != nil {
		log.Fatal(err)
	}
	fmt.Println("left:", left[0].Rest)
	// Output: left: 58.00 EUR
}
