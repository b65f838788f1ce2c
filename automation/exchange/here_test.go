package exchange_test

import (
	"strings"
	"testing"
	"time"

	"github.com/go-reprise/reprise/automation"
	"github.com/go-reprise/reprise/automation/exchange"
	"github.com/go-reprise/reprise/internal/browsertest"
	"github.com/go-reprise/reprise/replayer"
)

// playHere imports a text and plays it with the given values.
func playHere(t *testing.T, text []byte, values replayer.Map) {
	t.Helper()
	a, report, err := exchange.Import(text, nil)
	if err != nil {
		t.Fatal(err)
	}
	a.Steps = waiting(a.Steps, report)
	page := browsertest.Page(t, "")
	if _, err := replayer.Play(t.Context(), page, a, &replayer.Options{Commit: replayer.AllowCommits, Values: values, Timeout: 20 * time.Second}); err != nil {
		t.Fatalf("%v\ntold: %s", err, told(report))
	}
}

// waiting adds the waits that a report asks for.
func waiting(steps []automation.Step, report exchange.Report) []automation.Step {
	if !strings.Contains(told(report), "Add a step of the tool waitForNav before it") {
		return steps
	}
	var all []automation.Step
	for i, step := range steps {
		if step.Tool == "navigate" && i > 0 {
			all = append(all, automation.Step{Tool: "waitForNav"})
		}
		all = append(all, step)
	}
	return all
}

func TestWhatPlaywrightHasRecordedPlaysHere(t *testing.T) {
	t.Parallel()
	site := startSite(t)
	playHere(t, sample(t, "playwright-order.jsonl", site.URL), replayer.Map{"email": "hopper@example.com"})
	eventually(t, "the order", func() bool { return len(site.Submissions()) == 1 })
	order(t, site, map[string]string{"name": "Grace Hopper", "email": "hopper@example.com", "country": "Austria", "delivery": "express", "terms": "accepted"})
}

func TestARecordedSignInPlaysHereForAnotherAccount(t *testing.T) {
	t.Parallel()
	for _, file := range []string{"chrome-signin.json", "playwright-signin.jsonl"} {
		t.Run(file, func(t *testing.T) {
			t.Parallel()
			site := startSite(t)
			grace := site.Accounts()[1]
			playHere(t, sample(t, file, site.URL), replayer.Map{"email": grace.Email, "password": grace.Password})
			eventually(t, "the sign-in", func() bool { return site.SignIns(grace.Email) == 1 })
		})
	}
}

func TestWhatSeleniumHasRecordedPlaysHere(t *testing.T) {
	t.Parallel()
	site := startSite(t)
	playHere(t, sample(t, "selenium.side", site.URL), replayer.Map{"email": "hopper@example.com"})
	eventually(t, "the order", func() bool { return len(site.Submissions()) == 1 })
	order(t, site, map[string]string{"name": "Grace Hopper", "email": "hopper@example.com", "city": "Linz", "phone": "+43 512 0123", "gift": "", "note": ""})
}

// What goes out to another tool and comes back does the same.
func TestWhatIsExportedAndImportedAgainPlaysHere(t *testing.T) {
	t.Parallel()
	for _, format := range exchange.Readable() {
		t.Run(string(format), func(t *testing.T) {
			t.Parallel()
			site := startSite(t)
			ada := site.Accounts()[0]
			text, _, err := exchange.Export(shop(t, site.URL), format, nil)
			if err != nil {
				t.Fatal(err)
			}
			if format == exchange.Chrome { // which does not tell a list from a field
				text = []byte(strings.ReplaceAll(string(text), `"#country"`, `"select#country"`))
			}
			playHere(t, text, replayer.Map{"email": ada.Email, "password": ada.Password, "name": `Ada "the" Lovelace's`})
			eventually(t, "the order", func() bool { return len(site.Submissions()) == 1 })
			ordered(t, site, ada)
		})
	}
}
