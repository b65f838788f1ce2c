package replayer_test

import (
	"context"
	"crypto/rand"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/go-reprise/reprise/automation"
	"github.com/go-reprise/reprise/internal/simuser"
	"github.com/go-reprise/reprise/replayer"
	"github.com/go-reprise/reprise/selectors"
)

func fillIn(path, text string) act {
	return func(ctx context.Context, p *simuser.User) error { return p.Fill(ctx, path, text) }
}

// The next release repeats all that is typed, beside the button and on it.
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
