package runner

import (
	"context"
	"errors"
	"fmt"
	"os"
	"reflect"
	"testing"
	"time"

	"github.com/go-reprise/reprise/replayer"
	"github.com/go-reprise/reprise/store"
)

func openApprovals(t *testing.T) store.Approvals {
	t.Helper()
	st, err := store.Open(t.Context(), t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = st.Close() })
	return st.Approvals()
}

func what() replayer.Approval {
	return replayer.Approval{Run: store.NewRunID(), Step: 2, Tool: "click", Label: "Pay", Origin: "https://shop.example", URL: "https://shop.example/pay", Amount: "€42.00"}
}

// when has someone do something as soon as a run waits.
func when(do func(asked store.Approval)) func(context.Context, *store.Approval) {
	return func(_ context.Context, asked *store.Approval) {
		if asked != nil {
			do(*asked)
		}
	}
}

func answers(t *testing.T, st store.Approvals, yes bool) func(store.Approval) {
	return func(asked store.Approval) {
		nonce, err := st.IssueNonce(t.Context(), asked.ID, "ada")
		if err == nil {
			_, err = st.Answer(t.Context(), asked.ID, nonce, yes)
		}
		if err != nil {
			t.Error(err)
		}
	}
}

func TestAnAnswerInTheStoreIsTheRuns(t *testing.T) {
	t.Parallel()
	for _, yes := range []bool{true, false} {
		st, a := openApprovals(t), what()
		var asked store.Approval
		told := 0
		p := &StoreApprover{Approvals: st, Waits: func(ctx context.Context, waits *store.Approval) {
			if told++; waits != nil {
				asked = *waits
				answers(t, st, yes)(asked)
			}
		}}
		got, err := p.Approve(t.Context(), a)
		if err != nil || got != yes || !reflect.DeepEqual(asked.ApprovalRequest, requestOf(a)) || told != 2 {
			t.Errorf("%v gives %v, %v; asked was %+v, told %d times", yes, got, err, asked, told)
		}
		if now, err := st.Get(t.Context(), asked.ID); err != nil || now.Spent.IsZero() == yes {
			t.Errorf("after %v it is %+v, %v", yes, now, err)
		}
	}
}

func TestAllElseIsANo(t *testing.T) {
	t.Parallel()
	st := openApprovals(t)
	var ended *store.ApprovalEndedError
	p := &StoreApprover{Approvals: st, Timeout: time.Millisecond}
	if yes, err := p.Approve(t.Context(), what()); yes || !errors.As(err, &ended) || ended.State != store.ApprovalExpired {
		t.Errorf("silence gives %v, %v", yes, err)
	}
	p = &StoreApprover{Approvals: st, Waits: when(func(asked store.Approval) {
		if err := st.Withdraw(t.Context(), asked.ID); err != nil {
			t.Error(err)
		}
	})}
	if yes, err := p.Approve(t.Context(), what()); yes || !errors.As(err, &ended) || ended.State != store.ApprovalWithdrawn {
		t.Errorf("what was withdrawn gives %v, %v", yes, err)
	}
	p.Waits = when(func(asked store.Approval) {
		answers(t, st, true)(asked)
		if _, err := st.Redeem(t.Context(), asked.ID, asked.Run); err != nil { // another who has the run's name
			t.Error(err)
		}
	})
	if yes, err := p.Approve(t.Context(), what()); yes || !errors.Is(err, store.ErrNotApproved) {
		t.Errorf("an approval that another run has used gives %v, %v", yes, err)
	}
	a := what()
	a.URL += "?token=1"
	var invalid *store.InvalidApprovalError
	if yes, err := p.Approve(t.Context(), a); yes || !errors.As(err, &invalid) {
		t.Errorf("an address with a query gives %v, %v", yes, err)
	}
}

func TestWhatNoOneWaitsForIsWithdrawn(t *testing.T) {
	t.Parallel()
	st := openApprovals(t)
	cause := errors.New("the run was cancelled")
	ctx, cancel := context.WithCancelCause(t.Context())
	var id string
	p := &StoreApprover{Approvals: st, Waits: when(func(asked store.Approval) {
		id = asked.ID
		cancel(cause)
	})}
	if yes, err := p.Approve(ctx, what()); yes || !errors.Is(err, cause) {
		t.Errorf("a run that is cancelled gives %v, %v", yes, err)
	}
	if a, err := st.Get(t.Context(), id); err != nil || a.State != store.ApprovalWithdrawn {
		t.Errorf("its question is %s, %v", a.State, err)
	}
}

type takes struct{ replayer.Person }

func (takes) TakeOver(context.Context, replayer.Handoff) (replayer.Returned, error) {
	return replayer.Returned{}, nil
}

func TestAPageIsHandedToOthers(t *testing.T) {
	t.Parallel()
	if _, err := (&StoreApprover{}).TakeOver(t.Context(), replayer.Handoff{}); err == nil {
		t.Error("no one took it over")
	}
	if _, err := (&StoreApprover{Others: takes{}}).TakeOver(t.Context(), replayer.Handoff{}); err != nil {
		t.Error(err)
	}
}

func ExampleStoreApprover() {
	dir, err := os.MkdirTemp("", "")
	if err != nil {
		fmt.Println(err)
		return
	}
	defer os.RemoveAll(dir)
	ctx := context.Background()
	st, err := store.Open(ctx, dir)
	if err != nil {
		fmt.Println(err)
		return
	}
	defer st.Close()
	p := &StoreApprover{Approvals: st.Approvals(), Timeout: time.Millisecond}
	yes, _ := p.Approve(ctx, replayer.Approval{Run: store.NewRunID(), Tool: "click", Label: "Pay", Origin: "https://shop.example", URL: "https://shop.example/pay"})
	fmt.Println(yes)
	// Output: false
}
