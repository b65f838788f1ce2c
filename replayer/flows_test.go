package replayer_test

import (
	"context"
	"net/url"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/go-reprise/reprise/automation"
	"github.com/go-reprise/reprise/internal/demosite"
	"github.com/go-reprise/reprise/internal/simuser"
	"github.com/go-reprise/reprise/replayer"
)

// steps are what an automation does, in short, without the site's address.
func steps(site *demosite.Server, a *automation.Automation) []string {
	host := strings.TrimPrefix(site.URL, "http://")
	all := toolsOf(a)
	for i := range all {
		all[i] = strings.ReplaceAll(strings.ReplaceAll(all[i], site.URL, ""), host, "")
	}
	return all
}

func wantSteps(t *testing.T, site *demosite.Server, a *automation.Automation, want ...string) {
	t.Helper()
	if diff := cmp.Diff(want, steps(site, a)); diff != "" {
		t.Errorf("recorded steps (-want +got):\n%s", diff)
	}
}

func TestAFormIsPlayedWithOtherValues(t *testing.T) {
	t.Parallel()
	site := startSite(t)
	a := record(t, site.URL+"/form",
		fill("#name", "Ada Lovelace"), fill("#email", "ada@example.com"), fill("#phone", "+44 20 7946"), fill("#city", "London"),
		clickOn("#country"), press("ArrowDown"), press("Enter"),
		fill("#quantity", "3"), fill("#date", "12312026"), clickOn("input[name=delivery][value=express]"),
		fill("#note", "Please ring twice\nthank you"), clickOn("#gift"), clickOn("label.check:has(#terms)"),
		clickOn("#submit"), see("/form/done"),
	)
	wantSteps(t, site, a,
		"navigate /form",
		"typeInput ${name}", "typeInput ${email}", "typeInput ${phone}", "typeInput ${city}",
		`select "Austria"`,
		`typeInput "3"`, `typeInput "2026-12-31"`, "check true",
		`typeInput "Please ring twice\nthank you"`, "check true", "check true",
		`click aria/Place order[role="button"]`,
		"waitForNav /form/done",
	)
	play(t, a, replayer.Map{"name": "Grace Hopper", "email": "grace@example.com", "phone": "+1 555 1234", "city": "New York"})
	want := url.Values{
		"name": {"Grace Hopper"}, "email": {"grace@example.com"}, "phone": {"+1 555 1234"}, "city": {"New York"},
		"country": {"Austria"}, "quantity": {"3"}, "date": {"2026-12-31"}, "delivery": {"express"},
		"note": {"Please ring twice\r\nthank you"}, "gift": {"yes"}, "terms": {"accepted"},
	}
	all := site.Submissions()
	if len(all) != 2 {
		t.Fatalf("the form was sent %d times, want once by the person and once by the replay", len(all))
	}
	got := all[1]
	got.Set("note", strings.ReplaceAll(strings.ReplaceAll(got.Get("note"), "\r\n", "\n"), "\n", "\r\n"))
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("what the replay sent (-want +got):\n%s", diff)
	}
}

func TestEnterSendsAFormOnce(t *testing.T) {
	t.Parallel()
	site := startSite(t)
	accounts := site.Accounts()
	a := record(t, site.URL+"/signin",
		clickOn("#accept-all"), fill("#identifierId", accounts[0].Email), press("Enter"),
		fill("#password", accounts[0].Password), press("Enter"), see("/dashboard"),
	)
	wantSteps(t, site, a,
		"navigate /signin",
		`click aria/Accept all[role="button"]`,
		"typeInput ${email}", "keypress Enter", "waitForNav /signin/challenge/pwd",
		"typeInput ${password}", "keypress Enter", "waitForNav /dashboard",
	)
	play(t, a, replayer.Map{"email": accounts[1].Email, "password": accounts[1].Password})
	if got := site.SignIns(accounts[1].Email); got != 1 {
		t.Errorf("the second account was signed in %d times, want once", got)
	}
}

func TestFramesAndShadowRootsAreFoundByTheirElements(t *testing.T) {
	t.Parallel()
	site := startSite(t)
	a := record(t, site.URL+"/frames",
		inCross("#message"), typeText("four"), inCross("#send"), // while the frames still look alike
		fill("#same >>> #message", "one"), clickOn("#same >>> #send"),
		fill("#nest >>> #srcdoc >>> #message", "two"), clickOn("#nest >>> #srcdoc >>> #send"),
		fill("letter-box >>> #message", "three"), clickOn("letter-box >>> #send"),
	)
	wantSteps(t, site, a,
		"navigate /frames",
		`typeInput "four" in #cross`, `click in #cross aria/Send[role="button"]`,
		`typeInput "one" in #same`, `click in #same aria/Send[role="button"]`,
		`typeInput "two" in #nest in #srcdoc`, `click in #nest in #srcdoc aria/Send[role="button"]`,
		`typeInput "three"`, `click letter-box >>> aria/Send[role="button"]`,
	)
	eventually(t, "the recorded messages", func() bool { return len(site.Seen()) == 4 })
	site.Reset()
	play(t, a, nil)
	eventually(t, "the replayed messages", func() bool { return len(site.Seen()) == 4 })
	got := map[string]string{}
	for _, e := range site.Seen() {
		got[e.Source] = e.Values.Get("message")
	}
	want := map[string]string{"same": "one", "srcdoc": "two", "shadow": "three", "cross": "four"}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("what the replay sent (-want +got):\n%s", diff)
	}
}

// inCross presses an element of the frame of another origin, which looks like
// the one of the same origin.
func inCross(path string) act {
	return func(ctx context.Context, p *simuser.User) error {
		return p.ClickTwin(ctx, "#same >>> "+path, "#cross")
	}
}

func typeText(text string) act {
	return func(ctx context.Context, p *simuser.User) error { return p.Type(ctx, text) }
}
