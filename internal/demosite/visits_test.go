package demosite_test

import (
	"slices"
	"testing"

	"github.com/go-reprise/reprise/internal/demosite"
)

func TestTwoBrowsersInOneAccountAtATimeAreSeen(t *testing.T) {
	t.Parallel()
	s := start(t, nil)
	ada, grace := demosite.BuiltinAccounts()[0], demosite.BuiltinAccounts()[1]
	first, second, other := visit(t, s), visit(t, s), visit(t, s)
	first.signIn(ada.Email, ada.Password)
	other.signIn(grace.Email, grace.Password)
	first.get("/bill")
	second.signIn(ada.Email, ada.Password) // the first has gone
	other.get("/dashboard")
	if got := s.Overlaps(); len(got) != 0 {
		t.Errorf("one after the other, they overlap: %v", got)
	}
	first.get("/dashboard") // it has not
	if got := s.Overlaps(); !slices.Equal(got, []string{ada.Email}) {
		t.Errorf("the overlaps are %v, want one of %s", got, ada.Email)
	}
}
