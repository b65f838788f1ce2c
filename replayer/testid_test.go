package replayer_test

import (
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/go-reprise/reprise/automation"
	"github.com/go-reprise/reprise/internal/browsertest"
	"github.com/go-reprise/reprise/internal/simuser"
	"github.com/go-reprise/reprise/recorder"
	"github.com/go-reprise/reprise/replayer"
)

// shop has little in common with its next release but the attribute of its tests.
const (
	shop = `<header><a href="/home">Home</a></header><main><h1>Your order</h1><form class="order"><button id="place" class="btn primary" data-part="place-order" onclick="location.hash='placed';return false">Place order</button></form>` +
		`<p><button class="btn" data-part="save-draft" onclick="location.hash='saved'">Save draft</button></p></main>`
	renewedShop = `<nav><p><a href="/start">Anfang</a></p></nav><section><h2>Warenkorb</h2><div><button class="cta" data-part="place-order" onclick="location.hash='placed'">Kaufen</button>` +
		`<button class="cta" data-part="save-draft" onclick="location.hash='saved'">Merken</button></div></section>`
)

func recordMarked(t *testing.T, url, attribute, on string) *automation.Automation {
	t.Helper()
	page := browsertest.Page(t, url)
	r, err := recorder.Start(t.Context(), page, &recorder.Options{Name: "flow", TestIDAttribute: attribute})
	if err != nil {
		t.Fatal(err)
	}
	if err := simuser.At(page.Target()).Click(t.Context(), on); err != nil {
		t.Fatal(err)
	}
	a, _, err := r.Stop(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	data, err := automation.Marshal(a)
	if err != nil {
		t.Fatal(err)
	}
	if a, err = automation.Parse(data); err != nil { // it is played by one who has the document alone
		t.Fatal(err)
	}
	return a
}

func TestAnElementIsFoundByTheAttributeOfThePagesOwnTests(t *testing.T) {
	t.Parallel()
	url, release := serveReleases(t, shop, renewedShop)
	a := recordMarked(t, url, "data-part", "#place")
	step := a.Steps[len(a.Steps)-1]
	if got := step.Selector.String(); got != `[data-part="place-order"]` {
		t.Errorf("the first selector is %s", got)
	}
	if step.Fingerprint.TestIDAttribute != "data-part" || step.Fingerprint.Own["testid"] == "" {
		t.Errorf("the fingerprint does not hold the attribute: %+v", step.Fingerprint)
	}
	release()
	page := browsertest.Page(t, "")
	result, err := replayer.Play(t.Context(), page, a, &replayer.Options{Commit: replayer.AllowCommits, Timeout: 5 * time.Second})
	if err != nil {
		t.Fatalf("%v, %+v", err, considered(err))
	}
	eventually(t, "the click", func() bool { return strings.HasSuffix(page.URL(), "#placed") })
	proposal := result.Proposal(a)
	if proposal == nil {
		t.Fatal("nothing is proposed")
	}
	renewed := proposal.Steps[len(proposal.Steps)-1]
	if renewed.Selector.String() != `[data-part="place-order"]` || renewed.Fingerprint.TestIDAttribute != "data-part" {
		t.Errorf("what is proposed has lost the attribute: %s, %+v", renewed.Selector, renewed.Fingerprint)
	}
}

// The evidence is read with the attribute, too: another value speaks against an
// element that still stands where it stood and looks as it looked.
func TestTheAttributeOfThePagesOwnTestsSpeaksForAndAgainst(t *testing.T) {
	t.Parallel()
	two := func(first, second string) string {
		return form(`<p><button class="icon" data-part="` + first + `" onclick="location.hash='` + first + `'">&#8226;</button> <button class="icon" data-part="` + second + `" onclick="location.hash='` + second + `'">&#8226;</button></p>`)
	}
	url, release := serveReleases(t, two("edit", "trash"), two("trash", "edit"))
	a := recordMarked(t, url, "data-part", `[data-part="edit"]`)
	step := &a.Steps[len(a.Steps)-1]
	step.Selector, step.Alternatives = step.Alternatives[0], step.Alternatives[1:] // a place: the evidence has to tell
	release()
	page := browsertest.Page(t, "")
	if _, err := replayer.Play(t.Context(), page, a, &replayer.Options{Commit: replayer.AllowCommits, Timeout: 5 * time.Second}); err != nil {
		t.Fatal(err)
	}
	eventually(t, "the click", func() bool { return strings.HasSuffix(page.URL(), "#edit") })
}

func TestAnAttributeThatIsNoneIsRefused(t *testing.T) {
	t.Parallel()
	page := browsertest.Page(t, "")
	for _, name := range []string{`x"],*["`, "value", "Data-Part"} {
		if r, err := recorder.Start(t.Context(), page, &recorder.Options{TestIDAttribute: name}); err == nil {
			t.Errorf("%q was taken", name)
			_, _, _ = r.Stop(t.Context())
		}
	}
}

func considered(err error) []replayer.Considered {
	var e *replayer.Error
	if !errors.As(err, &e) {
		return nil
	}
	return e.Considered
}
