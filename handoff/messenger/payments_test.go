package messenger_test

import (
	"strings"
	"testing"

	"github.com/go-reprise/reprise/internal/browsertest"
	"github.com/go-reprise/reprise/store"
	"github.com/go-reprise/reprise/store/storetest"
)

// Who has set a limit is told in their chat what was paid within it and what is left, once, whichever process has paid, and
// whichever tells.
func TestWhatIsPaidWithinALimitIsToldOnce(t *testing.T) {
	t.Parallel()
	s := begin(t)
	if _, err := s.store.Limits().Add(t.Context(), storetest.WaterLimit(1000, 2500)); err != nil {
		t.Fatal(err)
	}
	run := store.NewRunID()
	if _, err := s.store.Commits().BeginPayment(t.Context(), run, 4, storetest.WaterBill(1000)); err != nil {
		t.Fatal(err)
	}
	first := s.open(t)
	if err := first.Commits().Resolve(t.Context(), run, 4, true); err != nil {
		t.Fatal(err)
	}
	_, stop := s.run(t, person, nil)
	text := s.sent(t, 1)[0].Text
	for _, want := range []string{"Paid without asking: 10.00 EUR to " + storetest.WaterBill(1).Payee, storetest.WaterBill(1).Site, run, "15.00 EUR of 25.00 EUR"} {
		if !strings.Contains(text, want) {
			t.Errorf("it lacks %q:\n%s", want, text)
		}
	}
	browsertest.Until(t, "a note that it was told", func() bool { return storetest.Ledger(t, s.store)[0].Told == store.Paid })
	stop()
	s.run(t, person, nil) // a process that begins after that
	if _, err := s.store.Commits().BeginPayment(t.Context(), run, 5, storetest.WaterBill(500)); err != nil {
		t.Fatal(err)
	}
	if err := s.store.Commits().Resolve(t.Context(), run, 5, true); err != nil {
		t.Fatal(err)
	}
	if text := s.sent(t, 2)[1].Text; !strings.Contains(text, "5.00 EUR") || !strings.Contains(text, "10.00 EUR of 25.00 EUR") {
		t.Errorf("the second payment is told as\n%s", text)
	}
	if n := len(s.chat.Sent()); n != 2 {
		t.Errorf("%d messages were sent of two payments", n)
	}
}
