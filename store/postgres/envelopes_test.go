package postgres_test

import (
	"errors"
	"testing"

	"github.com/go-reprise/reprise/store"
	"github.com/go-reprise/reprise/store/storetest"
)

func TestALostAnswerIsNoLostEnvelope(t *testing.T) {
	t.Parallel()
	th, address := steal(t)
	s := open(t, address)
	ctx, e := t.Context(), storetest.Envelope("order-of-mine", "")
	for want := 1; want <= 2; want++ { // made, and then changed
		th.next(e.Name)
		saved, err := s.Tasks().Save(ctx, e)
		if err != nil || saved.Revision != want {
			t.Fatalf("Save, whose answer was lost, gave revision %d, %v, want %d", saved.Revision, err, want)
		}
		e = saved
	}
	th.next(e.Name)
	if err := s.Tasks().Delete(ctx, e.Name, "", 2); err != nil {
		t.Errorf("Delete, whose answer was lost: %v", err)
	}
	if err := s.Tasks().Delete(ctx, e.Name, "", 2); !errors.Is(err, store.ErrNotFound) {
		t.Errorf("the second Delete: %v, want ErrNotFound", err)
	}
	if got := th.stolen.Load(); got != 3 {
		t.Errorf("%d answers were stolen, want 3", got)
	}
}
