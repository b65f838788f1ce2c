package agent_test

import (
	"context"
	"errors"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/go-reprise/reprise/agent"
	"github.com/go-reprise/reprise/automation"
	"github.com/go-reprise/reprise/replayer"
	"github.com/go-reprise/reprise/store"
)

// An agent learns what may be paid at the site that it names, and nothing of others.
func TestAnAgentLearnsTheLimitsOfASite(t *testing.T) {
	t.Parallel()
	p := at(t, nil)
	eur := func(cents int64) store.Money { return store.Money{Minor: cents, Currency: "EUR"} }
	for _, l := range []store.Limit{
		{Site: "https://shop.example", Payee: "Meadow Water", Currency: "EUR", Each: eur(1500), Sum: eur(2000), By: "ada"},
		{Site: "https://bank.example", Payee: "Landlord", Currency: "EUR", Sum: eur(90000), By: "ada"},
	} {
		if _, err := p.st.Limits().Add(t.Context(), l); err != nil {
			t.Fatal(err)
		}
	}
	client := p.client(nil)
	limits, _ := must(t, client, "list_limits", map[string]any{"site": "https://shop.example"}).Value["limits"].([]any)
	if len(limits) != 1 {
		t.Fatalf("told were %v", limits)
	}
	told, _ := limits[0].(map[string]any)
	if told["until"] == "" {
		t.Error("it does not say until when")
	}
	delete(told, "until")
	if diff := cmp.Diff(map[string]any{"payee": "Meadow Water", "currency": "EUR", "each": "15.00", "sum": "20.00", "rest": "20.00", "per": "month"}, told); diff != "" {
		t.Errorf("told was (-want +got):\n%s", diff)
	}
}

// What an agent has a person told holds no secret of its, and is not too much; where no one can be told it learns that.
func TestAnAgentTellsThePersonSomething(t *testing.T) {
	t.Parallel()
	const canary = "correct-horse"
	page := startSite(t, map[string]string{"/": `<!doctype html><input id=pw type=password>`})
	var told []string
	failed := error(nil)
	p := at(t, func(o *agent.Options) {
		o.Values = func(context.Context, agent.ValuesRequest) (replayer.Values, error) {
			secret, err := automation.NewSecret(canary, page.URL)
			return replayer.Map{"pw": secret}, err
		}
		o.Notify = func(_ context.Context, title, text string) (string, error) {
			told = append(told, title+": "+text)
			return "telegram", failed
		}
	})
	client := p.client(nil)
	must(t, client, "navigate", map[string]any{"url": page.URL + "/"})
	must(t, client, "type_input", map[string]any{"target": "#pw", "value": map[string]any{"variable": "pw"}})
	r := must(t, client, "notify_person", map[string]any{"title": "Done", "text": "I used " + canary + ", and it worked."})
	if r.Value["channel"] != "telegram" || len(told) != 1 || !strings.HasPrefix(told[0], "Done: I used ") || strings.Contains(told[0], "horse") {
		t.Errorf("told was %q, answered %s", told, r.Text)
	}
	failed = errors.New("no channel took it")
	fails(t, client, agent.NotTold, "notify_person", map[string]any{"text": "x"})
	for range 3 {
		fails(t, client, agent.NotTold, "notify_person", map[string]any{"text": "x"})
	}
	fails(t, client, agent.TooManyRequests, "notify_person", map[string]any{"text": "x"})
	fails(t, p.client(nil), agent.TooManyRequests, "notify_person", map[string]any{"text": "x"}) // nor by connecting again
	if len(told) != 5 {
		t.Errorf("%d were sent", len(told))
	}
}
