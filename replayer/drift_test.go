package replayer_test

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/go-reprise/reprise/automation"
	"github.com/go-reprise/reprise/internal/browsertest"
	"github.com/go-reprise/reprise/internal/simuser"
	"github.com/go-reprise/reprise/replayer"
	"github.com/go-reprise/reprise/selectors"
)

// serveReleases serves a page whose later release takes the place of the first
// when it is switched over.
func serveReleases(t *testing.T, first, second string) (url string, release func()) {
	t.Helper()
	var page atomic.Value
	page.Store(first)
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "text/html; charset=utf-8")
		_, _ = io.WriteString(w, "<!doctype html><title>shop</title>"+page.Load().(string))
	}))
	t.Cleanup(server.Close)
	return server.URL + "/", func() { page.Store(second) }
}

// form is a page with the buttons that real pages have next to the one that is
// meant: what is found must not be found for want of others.
func form(inner string) string {
	return `<header><a href="/home">Home</a> <a href="/help">Help</a></header><main><h1>Your order</h1>` + inner +
		`</main><footer><button class="btn" onclick="location.hash='feedback'">Feedback</button> <a href="/terms">Terms</a></footer>`
}

// bills is a table of bills with a button in each row.
func bills(names ...string) string {
	var rows strings.Builder
	for _, name := range names {
		rows.WriteString("<tr><td>" + name + `</td><td><button class="pay">Pay</button></td></tr>`)
	}
	return form(`<h2>Open bills</h2><table onclick="if (event.target.matches('button')) location.hash = event.target.closest('tr').cells[0].innerText"><tbody>` +
		rows.String() + "</tbody></table>")
}

func clicksAfterRelease(t *testing.T, first, second, on string) (*automation.Automation, *replayer.Result, string, error) {
	t.Helper()
	url, release := serveReleases(t, first, second)
	a := record(t, url, clickOn(on))
	release()
	page := browsertest.Page(t, "")
	result, err := replayer.Play(t.Context(), page, a, &replayer.Options{Commit: replayer.AllowCommits, Timeout: 3 * time.Second})
	if err == nil {
		browsertest.Until(t, "what the click does", func() bool { return strings.Contains(page.URL(), "#") })
	}
	_, fragment, _ := strings.Cut(page.URL(), "#")
	return a, result, fragment, err
}

func TestAnElementIsFoundAgainAfterTheNextRelease(t *testing.T) {
	t.Parallel()
	place := `<form class="order"><button id="place" class="btn primary" onclick="location.hash='placed';return false">Place order</button></form>`
	for name, test := range map[string]struct{ first, second, on, want string }{
		"its id has gone": {
			form(place), form(`<form class="order"><button class="btn primary" onclick="location.hash='placed';return false">Place order</button></form>`), "#place", "placed",
		},
		"it stands elsewhere, with other classes": {
			form(place), form(`<aside><p>Total</p><div><button class="cta" onclick="location.hash='placed';return false">Place order</button></div></aside>`), "#place", "placed",
		},
		"a word was added": {
			form(place), form(`<form class="order"><button id="place" class="btn primary" onclick="location.hash='placed';return false">Place order now</button></form>`), "#place", "placed",
		},
		"the button became a link": {
			form(place), form(`<form class="order"><a href="#placed" id="place" class="btn primary">Place order</a></form>`), "#place", "placed",
		},
		"the page was translated": {
			form(place), `<header><a href="/home">Start</a> <a href="/help">Hilfe</a></header><main><h1>Deine Bestellung</h1><form class="order"><button id="place" class="btn primary" onclick="location.hash='placed';return false">Bestellen</button></form></main><footer><button class="btn" onclick="location.hash='feedback'">Rückmeldung</button> <a href="/terms">Bedingungen</a></footer>`, "#place", "placed",
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			a, result, clicked, err := clicksAfterRelease(t, test.first, test.second, test.on)
			if err != nil {
				t.Fatal(err)
			}
			if clicked != test.want {
				t.Fatalf("the click went to %q, want %q", clicked, test.want)
			}
			renew(t, a, result)
		})
	}
}

// A control of a row is known by the words of that: its place may change, and nothing has drifted.
func TestARowIsFoundByItsWordsAfterRowsWereAddedAndSorted(t *testing.T) {
	t.Parallel()
	_, result, clicked, err := clicksAfterRelease(t, bills("Gas", "Water", "Power"), bills("Rent", "Power", "Gas", "Phone", "Water"), "tr:nth-child(2) button")
	if err != nil || clicked != "Water" || len(result.Drift) > 0 {
		t.Errorf("the click went to %q, %v", clicked, err)
	}
}

// renew wants the drift of a run to be reported, and gone once its proposal is taken.
func renew(t *testing.T, a *automation.Automation, result *replayer.Result) {
	t.Helper()
	proposal := result.Proposal(a)
	if len(result.Drift) != 1 || proposal == nil {
		t.Fatalf("drift %+v, proposal %v", result.Drift, proposal)
	}
	if d := result.Drift[0]; d.Score <= 0 || d.Score > 1 || len(d.Lost) == 0 || d.Confidence <= 0.5 {
		t.Errorf("drift %+v", d)
	}
	again := play(t, proposal, nil)
	if len(again.Drift) > 0 || again.Steps[len(again.Steps)-1].Matched != 0 {
		t.Errorf("after the proposal was taken there is still drift: %+v, %+v", again.Drift, again.Steps)
	}
}

func TestAnElementThatHasGoneIsNotTakenForAnother(t *testing.T) {
	t.Parallel()
	icons := func(names ...string) string {
		var all strings.Builder
		for _, name := range names {
			all.WriteString(`<button class="icon"><svg width=20 height=20><path d="` + map[string]string{"edit": "M0 0h20v20H0z", "trash": "M1 1h9v9H1z", "star": "M5 5h9v9H1z"}[name] + `"/></svg></button>`)
		}
		return form(`<div class=tools onclick="location.hash='some'">` + all.String() + "</div>")
	}
	for name, test := range map[string]struct{ first, second, on string }{
		"its row": {bills("Gas", "Water", "Power"), bills("Gas", "Power"), "tr:nth-child(2) button"},
		"its row, and another has come": {
			bills("Gas", "Water", "Power"), bills("Gas", "Rent", "Power"), "tr:nth-child(2) button",
		},
		"another stands in its place": {
			form(`<button class="btn" onclick="location.hash='x'">Save draft</button>`), form(`<button class="btn" onclick="location.hash='x'">Delete account</button>`), "main button",
		},
		"it is hidden": {
			form(`<button class="btn" onclick="location.hash='x'">Save</button>`), form(`<button class="btn" style="display:none" onclick="location.hash='x'">Save</button>`), "main button",
		},
		"one of several twins": {
			form(`<p onclick="location.hash='some'"><button>Add</button><button>Add</button><button>Add</button></p>`),
			form(`<p onclick="location.hash='some'"><button>Add</button><button>Add</button></p>`), "button:nth-child(2)",
		},
		"an icon among icons": {icons("edit", "trash", "star"), icons("edit", "star"), ".icon:nth-child(2)"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			_, _, clicked, err := clicksAfterRelease(t, test.first, test.second, test.on)
			var refusal *replayer.Error
			if !errors.As(err, &refusal) || clicked != "" {
				t.Fatalf("clicked %q, %v", clicked, err)
			}
			if refusal.Code != replayer.NotFound && refusal.Code != replayer.Changed && refusal.Code != replayer.Ambiguous {
				t.Errorf("the code is %s", refusal.Code)
			}
			if len(refusal.Considered) == 0 {
				t.Error("the refusal does not say what came closest")
			}
		})
	}
}

func TestAPageThatHasNotChangedShowsNoDrift(t *testing.T) {
	t.Parallel()
	same := form(`<p><button onclick="location.hash=1">Add</button><button onclick="location.hash=2">Add</button></p>`)
	_, result, clicked, err := clicksAfterRelease(t, same, same, "button:nth-child(2)")
	if err != nil || clicked != "2" || len(result.Drift) > 0 || result.Steps[1].Drift != 0 {
		t.Fatalf("clicked %q, %v, %+v", clicked, err, result)
	}
}

func fillIn(path, text string) act {
	return func(ctx context.Context, p *simuser.User) error { return p.Fill(ctx, path, text) }
}

// The next release repeats all that is typed, next to the button and on it.
func TestNoValueIsProposed(t *testing.T) {
	t.Parallel()
	fields := `<input id=m name=email type=email aria-label="E-mail"><input id=c name=card autocomplete=cc-number aria-label="Card number"><h2 id=h>Your order</h2>`
	const echo = `<script>addEventListener("input", () => {
		h.textContent = "The order of (" + m.value + "), paid by " + c.value.replace(/(.{4})(?=.)/g, "$1 ") + "."; o.textContent = "Place order as " + m.value; o.title = c.value; o.name = m.value })</script>`
	url, release := serveReleases(t,
		form(fields+`<form class="order"><button id="place" class="btn primary" onclick="location.hash='placed';return false">Place order</button></form>`),
		form(fields+`<form class="order"><button class="btn primary" onclick="location.hash='placed';return false">Place order</button></form>`+
			strings.Replace(echo, "{", "{ const o = document.querySelector('.order button');", 1)))
	a := record(t, url, fillIn("#m", "ada@example.com"), fillIn("#c", "4000000000000002"), clickOn("#place"))
	release()
	mail, card := strings.ToLower(rand.Text())+"@example.com", "4929"+digits(12)
	declared, err := a.Declared()
	if err != nil {
		t.Fatal(err)
	}
	values := replayer.Map{}
	for _, name := range declared.Names() {
		values[name] = mail
		if declared.IsSecret(name) {
			values[name] = card
		}
	}
	result := play(t, a, values)
	proposal := result.Proposal(a)
	if len(values) != 2 || len(result.Drift) != 1 || proposal == nil {
		t.Fatalf("%d values, drift %+v, proposal %v", len(values), result.Drift, proposal)
	}
	wantNoValues(t, proposal, mail, card)
}

func digits(n int) string {
	text := make([]byte, n)
	_, _ = rand.Read(text)
	for i := range text {
		text[i] = '0' + text[i]%10
	}
	return string(text)
}

func wantNoValues(t *testing.T, proposal *automation.Automation, mail, card string) {
	t.Helper()
	data, err := automation.Marshal(proposal)
	if err != nil {
		t.Fatal(err)
	}
	print := proposal.Steps[len(proposal.Steps)-2].Fingerprint
	if i := slices.IndexFunc(proposal.Steps, func(s automation.Step) bool { return s.Tool == "click" }); i >= 0 {
		print = proposal.Steps[i].Fingerprint
	}
	if print == nil || print.Own["label"] == "" {
		t.Fatalf("the proposal has no evidence to look at: %s", data)
	}
	for _, value := range []string{mail, "(" + mail + "),", card, card[:4], card[4:8], card[12:] + "."} {
		if strings.Contains(strings.ToLower(string(data)), value) && len(value) > 4 {
			t.Errorf("the proposal repeats %q:\n%s", value, data)
		}
		hashed := replayer.Hash(print.Key, value)
		if where := holding(print, hashed, replayer.AsNumber(hashed)); where != "" {
			t.Errorf("the hash of %q is in %s", value, where)
		}
	}
}

// holding names the feature of a fingerprint in which one of the hashes stands.
func holding(f *selectors.Fingerprint, hashes ...string) string {
	for _, all := range append([]map[string]string{f.Own, f.Around, f.Page}, f.Rivals...) {
		for feature, packed := range all {
			for hash := range slices.Chunk([]byte(packed), 4) {
				if slices.Contains(hashes, string(hash)) {
					return fmt.Sprint(feature, " ", packed)
				}
			}
		}
	}
	return ""
}
