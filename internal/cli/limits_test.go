package cli

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/go-reprise/reprise/automation"
	"github.com/go-reprise/reprise/internal/cli/failure"
	"github.com/go-reprise/reprise/internal/cli/render"
	"github.com/go-reprise/reprise/internal/postgrestest"
	"github.com/go-reprise/reprise/store"
)

// approvingBill has the document that pays a bill read what is paid.
func (p *payments) approvingBill() {
	p.Helper()
	doc := billDocument(p.T, p.site.URL)
	pays := len(doc.Steps) - 2
	steps := append([]automation.Step{}, doc.Steps[:pays]...)
	steps = append(steps, automation.Step{Tool: "approve", Args: []byte(`{"payee": "#payee", "amount": "#amount"}`)})
	doc.Steps = append(steps, doc.Steps[pays:]...)
	saved, err := p.st.Automations().Get(p.Context(), doc.Name, "")
	if err == nil {
		doc.Revision = saved.Revision
		_, err = p.st.Automations().Save(p.Context(), doc)
	}
	if err != nil {
		p.Fatal(err)
	}
}

// A payment is one question, none within a limit, and one again over it.
func TestPaymentsWithinALimitAskNoOne(t *testing.T) {
	t.Parallel()
	b, err := sharedBrowser()
	if err != nil {
		t.Fatal(err)
	}
	p := startPayments(t, "--data", filepath.Join(t.TempDir(), "data"))
	p.approvingBill()
	p.paysWithinALimit(func() *player {
		return p.begin("play", "pay-bill", "--vars", p.vars, "--browser", b.Endpoint(), "--ask", "store", "--json")
	}, func(run *player) string { return run.errors.String() })
}

func (p *payments) paysWithinALimit(play func() *player, told func(*player) string) {
	p.Helper()
	run := play()
	a := p.asked()
	amount, err := store.ParseMoney(a.Amount, a.Currency)
	if err != nil || a.Tool != "click" || a.Payee == "" || a.Origin != p.site.URL {
		p.Fatalf("it asks for %+v: %v", a, err)
	}
	picture := filepath.Join(p.TempDir(), "page.jpg")
	if shown := p.ends(p.begin("approvals", "show", a.ID, "--picture", picture), failure.ExitDone); !strings.Contains(shown, a.Payee) || !strings.Contains(shown, amount.String()) {
		p.Errorf("it is shown as\n%s", shown)
	}
	p.ends(p.begin("approvals", "yes", a.ID), failure.ExitDone)
	p.ends(run, failure.ExitDone)
	p.paid(1)

	once := store.Money{Minor: amount.Minor * 3 / 2, Currency: amount.Currency} // enough for one
	add := p.begin("limits", "add", "--site", p.site.URL, "--payee", a.Payee, "--currency", amount.Currency, "--sum", once.Decimal(), "--json")
	added := decoded[render.Limit](p.T, p.ends(add, failure.ExitDone))
	run = play()
	p.ends(run, failure.ExitDone)
	p.paid(2)
	if said := told(run); !strings.Contains(said, fmt.Sprintf("Paid %v to %s", amount, a.Payee)) && said != "" {
		p.Errorf("the person is told:\n%s", said)
	}
	listed := decoded[[]render.Limit](p.T, p.ends(p.begin("limits", "list", "--json"), failure.ExitDone))
	if len(listed) != 1 || listed[0].ID != added.ID || listed[0].Spent != amount.Decimal() {
		p.Errorf("listed is %+v", listed)
	}
	if ledger := decoded[[]render.Payment](p.T, p.ends(p.begin("limits", "payments", "--json"), failure.ExitDone)); len(ledger) != 1 || ledger[0].State != store.Paid || ledger[0].Amount != amount.Decimal() {
		p.Errorf("the ledger has %+v", ledger)
	}
	run = play() // more than is left
	p.ends(p.begin("approvals", "no", p.asked().ID), failure.ExitDone)
	_ = run.Wait() // how it ends is tested elsewhere
	p.paid(2)
	p.ends(p.begin("limits", "rm", added.ID), failure.ExitDone)
}

func TestAWorkerPaysWithinALimit(t *testing.T) {
	t.Parallel()
	place := postgrestest.Database(t)
	p := startPayments(t, "--store", place)
	p.approvingBill()
	key := filepath.Join(t.TempDir(), "key")
	values := fmt.Sprintf(`{"reference": "W-1017", "card": {"secret": %q, "origins": [%q]}}`, testCard, p.site.URL)
	putting := &app{stdin: scratch(t, values), stdout: scratch(t, ""), stderr: scratch(t, "")}
	if code := putting.execute(t.Context(), []string{"task", "put", "bill", "--key", key, p.store}); code != failure.ExitDone {
		t.Fatalf("task put exits %d", code)
	}
	(&queueTest{T: t, address: place}).work("--key", key)
	p.paysWithinALimit(func() *player {
		return p.begin("play", "pay-bill", "--task", "bill", "--queue", "--ask", "store", "--json")
	}, func(*player) string { return "" }) // the worker's own person is told
}

func TestALimitIsGivenInFull(t *testing.T) {
	t.Parallel()
	whole := []string{"limits", "add", "--site", "https://shop.example", "--payee", "P", "--currency", "EUR", "--sum", "10"}
	for _, args := range [][]string{
		whole[:2], whole[:8], append(whole, "--each", "11"), append(whole, "--each", "1,5"), append(whole, "--per", "year"), append(whole, "--currency", "XYZ"),
		append(whole, "--site", "shop.example"), append(whole, "more"), {"limits", "rm"}, {"limits", "payments", "--limit", "-1"},
	} {
		a := &app{stdin: scratch(t, ""), stdout: scratch(t, ""), stderr: scratch(t, "")}
		if code := a.execute(t.Context(), append(append([]string{}, args...), "--data", t.TempDir())); code != failure.ExitUsage {
			t.Errorf("reprise %v exits %d, want %d", args, code, failure.ExitUsage)
		}
	}
	for missing := 2; missing < len(whole); missing += 2 { // what is not given is named
		err := scratch(t, "")
		a := &app{stdin: scratch(t, ""), stdout: scratch(t, ""), stderr: err}
		args := slices.Delete(slices.Clone(whole), missing, missing+2)
		a.execute(t.Context(), append(args, "--data", t.TempDir()))
		said, failed := os.ReadFile(err.Name())
		if failed != nil || !strings.Contains(string(said), "a limit needs "+whole[missing]) {
			t.Errorf("without %s it says %q, %v", whole[missing], said, failed)
		}
	}
}
