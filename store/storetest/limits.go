package storetest

import (
	"context"
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/go-reprise/reprise/store"
)

// Euros is an amount of so many cents.
func Euros(cents int64) store.Money { return store.Money{Minor: cents, Currency: "EUR"} }

// WaterLimit is a limit for the payments of WaterBill.
func WaterLimit(each, sum int64) store.Limit {
	return store.Limit{Site: "https://shop.example", Payee: "Meadow Water", Currency: "EUR", Each: Euros(each), Sum: Euros(sum), Per: store.PerMonth, By: "ada"}
}

// WaterBill is a payment.
func WaterBill(cents int64) store.Payment {
	return store.Payment{Site: "https://shop.example", Payee: "Meadow Water", Amount: Euros(cents)}
}

func addLimit(t *testing.T, s store.Store, l store.Limit) store.Limit {
	t.Helper()
	added, err := s.Limits().Add(t.Context(), l)
	if err != nil {
		t.Fatalf("Add: %v", err)
	}
	return added
}

func limitsOf(t *testing.T, s store.Store) []store.LimitSummary {
	t.Helper()
	var all []store.LimitSummary
	for l, err := range s.Limits().List(t.Context()) {
		if err = errors.Join(err, l.Err); err != nil {
			t.Fatal(err)
		}
		all = append(all, l)
	}
	return all
}

// Ledger returns all entries, the newest first.
func Ledger(t testing.TB, s store.Store) []store.LedgerEntry {
	t.Helper()
	var all []store.LedgerEntry
	for e, err := range s.Limits().Payments(t.Context()) {
		if err = errors.Join(err, e.Err); err != nil {
			t.Fatal(err)
		}
		all = append(all, e)
	}
	return all
}

func wantTold(t *testing.T, s store.Store, run string, want store.LedgerState) {
	t.Helper()
	for _, e := range Ledger(t, s) {
		if e.Run == run && e.Told != want {
			t.Errorf("of the payment of %s people were told %q, want %q", run, e.Told, want)
		}
	}
}

func wantSpent(t *testing.T, s store.Store, cents int64) {
	t.Helper()
	for _, l := range limitsOf(t, s) {
		if l.Left.Spent.Minor != cents || l.Left.Rest.Minor != max(0, l.Sum.Minor-cents) || !l.Left.Until.After(time.Now()) {
			t.Errorf("of limit %s %+v are left, want %d spent", l.ID, l.Left, cents)
		}
	}
}

func limitsStored(t *testing.T, s store.Store) {
	ctx := t.Context()
	if all := limitsOf(t, s); len(all) != 0 {
		t.Errorf("an empty store has %v", all)
	}
	first := addLimit(t, s, WaterLimit(1000, 5000))
	if time.Since(first.Created).Abs() > time.Minute || first.ID == "" {
		t.Errorf("it is %+v", first)
	}
	second := WaterLimit(0, 700)
	second.Site, second.Payee, second.Currency, second.Each, second.Per = "HTTPS://Shop.example:443/", " Meadow\n Water ", "eur", store.Money{}, ""
	added := addLimit(t, s, second)
	if want := WaterLimit(700, 700); added.Site != want.Site || added.Payee != want.Payee || added.Currency != want.Currency || added.Each != want.Each || added.Per != store.PerMonth {
		t.Errorf("with its defaults it is %+v", added)
	}
	all := limitsOf(t, s)
	if len(all) != 2 || all[0].ID > all[1].ID {
		t.Fatalf("stored are %+v", all)
	}
	for _, l := range all {
		if want := map[string]store.Limit{first.ID: first, added.ID: added}[l.ID]; !cmp.Equal(l.Limit, want) {
			t.Errorf("it is %+v, want %+v", l.Limit, want)
		}
	}
	if err := s.Limits().Remove(ctx, first.ID); err != nil {
		t.Errorf("Remove: %v", err)
	}
	for _, id := range []string{first.ID, "", "..", "../" + added.ID, strings.ToUpper(added.ID)} {
		wantNotFound(t, "Remove of "+id, s.Limits().Remove(ctx, id))
	}
	if all := limitsOf(t, s); len(all) != 1 || all[0].ID != added.ID {
		t.Errorf("left are %+v", all)
	}
}

func invalidLimits(t *testing.T, s store.Store) {
	for what, spoil := range map[string]func(*store.Limit){
		"no site":                func(l *store.Limit) { l.Site = "" },
		"a host for a site":      func(l *store.Limit) { l.Site = "shop.example" },
		"a page for a site":      func(l *store.Limit) { l.Site += "/pay" },
		"a query":                func(l *store.Limit) { l.Site += "?a" },
		"all sites":              func(l *store.Limit) { l.Site = "https://*.example" },
		"a user in its site":     func(l *store.Limit) { l.Site = "https://me@shop.example" },
		"another scheme":         func(l *store.Limit) { l.Site = "file:///shop" },
		"no payee":               func(l *store.Limit) { l.Payee = " \n" },
		"bytes for a payee":      func(l *store.Limit) { l.Payee = "a\xff" },
		"no currency":            func(l *store.Limit) { l.Currency = "" },
		"an invented currency":   func(l *store.Limit) { l.Currency = "XYZ" },
		"another currency":       func(l *store.Limit) { l.Currency = "USD" },
		"an odd period":          func(l *store.Limit) { l.Per = "year" },
		"nothing together":       func(l *store.Limit) { l.Sum.Minor = 0 },
		"less than nothing each": func(l *store.Limit) { l.Each.Minor = -1 },
		"more each than in all":  func(l *store.Limit) { l.Each.Minor = l.Sum.Minor + 1 },
	} {
		l := WaterLimit(1000, 5000)
		spoil(&l)
		var invalid *store.InvalidLimitError
		if _, err := s.Limits().Add(t.Context(), l); !errors.As(err, &invalid) {
			t.Errorf("a limit with %s: %v, want an InvalidLimitError", what, err)
		}
	}
}

func paymentsReserved(t *testing.T, s store.Store) {
	ctx := t.Context()
	limit := addLimit(t, s, WaterLimit(1000, 2500))
	run := store.NewRunID()
	left, err := s.Commits().BeginPayment(ctx, run, 4, WaterBill(1000))
	if err != nil || len(left) != 1 || left[0].ID != limit.ID || left[0].Rest != Euros(1500) || left[0].Spent != Euros(1000) {
		t.Fatalf("BeginPayment: %+v, %v", left, err)
	}
	wantSpent(t, s, 1000)
	if sent, err := s.Commits().Committed(ctx, run); err != nil || !cmp.Equal(sent, map[int]bool{4: false}) {
		t.Errorf("sent is %v, %v", sent, err)
	}
	if e := Ledger(t, s); len(e) != 1 || e[0].Payment != WaterBill(1000) || e[0].Run != run || e[0].Step != 4 || e[0].State != store.Reserved || time.Since(e[0].Begun).Abs() > time.Minute {
		t.Errorf("the ledger has %+v", e)
	}
	// What was begun is not begun again, within a limit or without.
	for range 2 {
		if _, err := s.Commits().BeginPayment(ctx, run, 4, WaterBill(1000)); !errors.Is(err, store.ErrAlreadySent) {
			t.Errorf("again: %v", err)
		}
	}
	if err := s.Commits().Begin(ctx, run, 4); !errors.Is(err, store.ErrAlreadySent) {
		t.Errorf("again without a limit: %v", err)
	}
	must(t, s.Commits().Begin(ctx, run, 5))
	if _, err := s.Commits().BeginPayment(ctx, run, 5, WaterBill(100)); !errors.Is(err, store.ErrAlreadySent) {
		t.Errorf("what was begun with an approval: %v", err)
	}
	wantSpent(t, s, 1000)
	must(t, s.Limits().NoteTold(ctx, run, 4, store.Reserved))
	must(t, s.Commits().Resolve(ctx, run, 4, true))
	if e := Ledger(t, s); len(e) != 1 || e[0].State != store.Paid || e[0].Told != store.Reserved {
		t.Errorf("the ledger has %+v", e)
	}
	wantSpent(t, s, 1000)
	if err := s.Commits().Resolve(ctx, run, 4, false); !errors.Is(err, store.ErrAlreadySent) {
		t.Errorf("taking back what was paid: %v", err)
	}
	wantSpent(t, s, 1000)
	// One that was not made is released, and may be made.
	within := run + ".7"
	_, err = s.Commits().BeginPayment(ctx, within, 0, WaterBill(900))
	must(t, err)
	must(t, s.Limits().NoteTold(ctx, within, 0, store.Reserved))
	wantTold(t, s, within, store.Reserved)
	wantSpent(t, s, 1900)
	must(t, s.Commits().Resolve(ctx, within, 0, false))
	wantSpent(t, s, 1000)
	if _, err := s.Commits().BeginPayment(ctx, within, 0, WaterBill(800)); err != nil {
		t.Errorf("after it was taken back: %v", err)
	}
	wantSpent(t, s, 1800)
	wantTold(t, s, within, "") // of this one
	wantNotFound(t, "NoteTold", s.Limits().NoteTold(ctx, within, 9, store.Paid))
	wantNotFound(t, "NoteTold of no run", s.Limits().NoteTold(ctx, "../x", 0, store.Paid))
	// A limit that takes the place of another does not begin with nothing spent.
	must(t, s.Limits().Remove(ctx, limit.ID))
	addLimit(t, s, WaterLimit(1000, 1800))
	if _, err := s.Commits().BeginPayment(ctx, run, 9, WaterBill(1)); !errors.Is(err, store.ErrNotWithinLimit) {
		t.Errorf("a new limit for what was spent: %v", err)
	}
}

func paymentsNotWithin(t *testing.T, s store.Store) {
	ctx := t.Context()
	run := store.NewRunID()
	refused := func(what string, p store.Payment) {
		t.Helper()
		var why *store.NotWithinLimitError
		if _, err := s.Commits().BeginPayment(ctx, run, 0, p); !errors.Is(err, store.ErrNotWithinLimit) || !errors.As(err, &why) {
			t.Errorf("%s: %v, want a NotWithinLimitError", what, err)
		}
	}
	refused("without a limit", WaterBill(100))
	addLimit(t, s, WaterLimit(1000, 1500))
	refused("more than each", WaterBill(1001))
	for what, spoil := range map[string]func(*store.Payment){
		"another site":     func(p *store.Payment) { p.Site = "https://shop.example.evil.example" },
		"another scheme":   func(p *store.Payment) { p.Site = "http://shop.example" },
		"another port":     func(p *store.Payment) { p.Site += ":8443" },
		"a page":           func(p *store.Payment) { p.Site += "/pay" },
		"another payee":    func(p *store.Payment) { p.Payee = "meadow water" },
		"no payee":         func(p *store.Payment) { p.Payee = "" },
		"another currency": func(p *store.Payment) { p.Amount.Currency = "USD" },
		"nothing":          func(p *store.Payment) { p.Amount.Minor = 0 },
		"less than that":   func(p *store.Payment) { p.Amount.Minor = -500 },
	} {
		p := WaterBill(100)
		spoil(&p)
		refused(what, p)
	}
	if _, err := s.Commits().BeginPayment(ctx, run, 1, WaterBill(1000)); err != nil {
		t.Errorf("just as much as each: %v", err)
	}
	refused("more than together", WaterBill(501))
	if _, err := s.Commits().BeginPayment(ctx, run, 2, WaterBill(500)); err != nil {
		t.Errorf("just as much as together: %v", err)
	}
	// It must be within every limit.
	other := WaterLimit(1000, 2000)
	other.Per = store.PerDay
	addLimit(t, s, other)
	refused("more than one of two limits", WaterBill(100))
	if sent, err := s.Commits().Committed(ctx, run); err != nil || !cmp.Equal(sent, map[int]bool{1: false, 2: false}) {
		t.Errorf("sent is %v, %v", sent, err)
	}
	var invalid *store.InvalidCommitError
	if _, err := s.Commits().BeginPayment(ctx, "../x", 0, WaterBill(1)); !errors.As(err, &invalid) {
		t.Errorf("of no run: %v", err)
	}
}

func paymentsUncertain(t *testing.T, s store.Store) {
	ctx := t.Context()
	addLimit(t, s, WaterLimit(1000, 1000))
	run := store.NewRunID()
	_, err := s.Commits().BeginPayment(ctx, run, 0, WaterBill(1000))
	must(t, err)
	// Nothing is heard of it any more: it may have been paid.
	if _, err := s.Commits().BeginPayment(ctx, store.NewRunID(), 0, WaterBill(1)); !errors.Is(err, store.ErrNotWithinLimit) {
		t.Errorf("while it is not known what became of the other: %v", err)
	}
	if got := pruned(t, s, store.PruneOptions{Before: time.Now().Add(time.Hour)}); len(got) > 0 {
		t.Errorf("pruned was %v", got)
	}
	wantSpent(t, s, 1000)
	must(t, s.Commits().Resolve(ctx, run, 0, false))
	wantSpent(t, s, 0)
	if e := Ledger(t, s); len(e) != 1 || e[0].State != store.Released {
		t.Errorf("the ledger has %+v", e)
	}
	if _, err := s.Commits().BeginPayment(ctx, store.NewRunID(), 0, WaterBill(1000)); err != nil {
		t.Errorf("once it is: %v", err)
	}
}

func paymentsAtOnce(t *testing.T, s store.Store) {
	const allowed = 5
	addLimit(t, s, WaterLimit(100, allowed*100))
	won := atOnce(t, 3*allowed, func(int) (bool, error) {
		_, err := s.Commits().BeginPayment(t.Context(), store.NewRunID(), 0, WaterBill(100))
		if errors.Is(err, store.ErrNotWithinLimit) {
			return false, nil
		}
		return err == nil, err
	})
	if len(won) != allowed {
		t.Errorf("%d payments were begun, want %d", len(won), allowed)
	}
	wantSpent(t, s, allowed*100)
	// Of one payment of many attempts one is begun.
	s2 := WaterLimit(100, 10_000)
	s2.Payee = "Other"
	addLimit(t, s, s2)
	run, p := store.NewRunID(), WaterBill(100)
	p.Payee = "Other"
	won = atOnce(t, 10, func(int) (bool, error) {
		_, err := s.Commits().BeginPayment(t.Context(), run, 0, p)
		if errors.Is(err, store.ErrAlreadySent) {
			return false, nil
		}
		return err == nil, err
	})
	if len(won) != 1 {
		t.Errorf("one payment was begun %d times", len(won))
	}
}

// Everything here is of this period: the notes of a run that is done go, and what it has paid counts.
func paymentsPruned(t *testing.T, s store.Store) {
	ctx := t.Context()
	addLimit(t, s, WaterLimit(1000, 1500))
	run := ended(t, s, store.Done)
	_, err := s.Commits().BeginPayment(ctx, run, 3, WaterBill(1000))
	must(t, err)
	must(t, s.Commits().Resolve(ctx, run, 3, true))
	if got := pruned(t, s, store.PruneOptions{Before: time.Now().Add(time.Hour)}); !cmp.Equal(got, []string{"run " + run}) {
		t.Errorf("pruned was %v", got)
	}
	wantSpent(t, s, 1000)
	if _, err := s.Commits().BeginPayment(ctx, run, 3, WaterBill(100)); !errors.Is(err, store.ErrAlreadySent) {
		t.Errorf("the same payment again, after its notes were pruned: %v", err)
	}
	if _, err := s.Commits().BeginPayment(ctx, store.NewRunID(), 3, WaterBill(501)); !errors.Is(err, store.ErrNotWithinLimit) {
		t.Errorf("more than what is left: %v", err)
	}
}

// limitCalls is every method that takes a context.
func limitCalls(s store.Store, id string) map[string]func(context.Context) error {
	return map[string]func(context.Context) error{
		"Limits.Add": func(ctx context.Context) error {
			_, err := s.Limits().Add(ctx, WaterLimit(1, 1))
			return err
		},
		"Limits.Remove":   func(ctx context.Context) error { return s.Limits().Remove(ctx, id) },
		"Limits.List":     func(ctx context.Context) error { return firstError(s.Limits().List(ctx)) },
		"Limits.NoteTold": func(ctx context.Context) error { return s.Limits().NoteTold(ctx, id, 0, store.Paid) },
		"Limits.Payments": func(ctx context.Context) error { return firstError(s.Limits().Payments(ctx)) },
		"Commits.BeginPayment": func(ctx context.Context) error {
			_, err := s.Commits().BeginPayment(ctx, id, 9, WaterBill(1))
			return err
		},
	}
}
