package recorder

import (
	"slices"
	"testing"

	"github.com/go-reprise/reprise/automation"
)

func TestTheEffectOfAStepIsThatOfWhatItSetsOff(t *testing.T) {
	t.Parallel()
	pay, next, note, link := button("pay"), button("next"), field("note"), &element{id: "l", tag: "a", role: "link", label: "More", candidates: css("#l"), url: "https://example.com/"}
	pay.label, next.label, note.label = "Pay 12 €", "Next", "Send to"
	for name, test := range map[string]struct {
		events [][]event
		want   []automation.Effect
	}{
		"a press that commits":                    {[][]event{pressed(pay, 1)}, []automation.Effect{automation.Commit}},
		"a press that may do anything":            {[][]event{pressed(next, 1)}, []automation.Effect{automation.Write}},
		"a press that sends a form":               {[][]event{pressed(next, 1), led("formSubmissionPost")}, []automation.Effect{automation.Write, ""}},
		"a press that asks with a form":           {[][]event{pressed(next, 1), led("formSubmissionGet")}, []automation.Effect{automation.Read, ""}},
		"a link":                                  {[][]event{pressed(link, 1), led("anchorClick")}, []automation.Effect{automation.Read, ""}},
		"a link that is a button in all but name": {[][]event{pressed(link, 1), led("formSubmissionPost")}, []automation.Effect{automation.Write, ""}},
		"typing, whatever the field is called":    {[][]event{typed(note, "Ada")}, []automation.Effect{automation.Read}},
		"Enter that presses the button to pay":    {[][]event{typed(note, "Ada"), keyed(note, "Enter"), byKey(pay)}, []automation.Effect{automation.Read, automation.Commit}},
		"Enter that searches":                     {[][]event{typed(note, "Ada"), keyed(note, "Enter"), led("formSubmissionGet")}, []automation.Effect{automation.Read, automation.Read, ""}},
		"Enter that may do anything":              {[][]event{typed(note, "Ada"), keyed(note, "Enter")}, []automation.Effect{automation.Read, automation.Write}},
		"an address":                              {[][]event{addressBar("https://example.com/")}, []automation.Effect{automation.Read}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			var got []automation.Effect
			for _, en := range merge(test.events...).entries {
				got = append(got, en.effectOf())
			}
			if len(got) != len(test.want) {
				t.Fatalf("effects %q, want %q", got, test.want)
			}
			for i := range got {
				if got[i] != test.want[i] {
					t.Errorf("step %d: %q, want %q", i, got[i], test.want[i])
				}
			}
		})
	}
}

// led is a navigation that the page asked for, for a reason.
func led(reason string) []event {
	return []event{{kind: navigation, url: "https://example.com/two", asked: true, reason: reason}}
}

func TestARecordingIsFoundByThePageThatItBeginsAt(t *testing.T) {
	t.Parallel()
	for start, want := range map[string][]string{
		"https://shop.example/":                   {"shop.example/"},
		"https://shop.example":                    {"shop.example/"},
		"https://shop.example/orders?page=2#top":  {"shop.example/orders", "shop.example/orders/"},
		"https://shop.example/orders/":            {"shop.example/orders/", "shop.example/orders"},
		"https://shop.example/orders/1234567/pay": {"shop.example/orders/[0-9]*/pay", "shop.example/orders/[0-9]*/pay/"},
		"http://shop.example:8080/":               {"http://shop.example:8080/"},
		"http://127.0.0.1:4000/a":                 {"127.0.0.1:4000/a", "127.0.0.1:4000/a/"},
		"https://shop.example/a%2Fb":              {"shop.example/*"}, // no glob of a path takes it in
	} {
		far, login := button("far"), button("login")
		far.url, login.url = "https://shop.example/far/away", "https://login.example/x"
		r := &Recorder{start: start, merger: merge(addressBar(start), pressed(far, 1), pressed(login, 1))}
		if start == "http://127.0.0.1:4000/a" || start == "http://shop.example:8080/" {
			want = append(want, "shop.example/*")
		}
		want = append(want, "login.example/*")
		got := r.scope()
		if !slices.Equal(got, want) {
			t.Errorf("the scope of %s is %q, want %q", start, got, want)
		}
		for _, address := range []string{start, "https://shop.example/far/away", "https://login.example/x"} {
			if !(automation.Scope{URLs: got}).Covers(address) {
				t.Errorf("a run that begins at %s may not go on to %s", start, address)
			}
		}
	}
}

func TestTwoRecordingsOfASiteAreFoundEachByItsOwnPage(t *testing.T) {
	t.Parallel()
	index := automation.NewIndex()
	for name, start := range map[string]string{"sign-in": "https://shop.example/signin", "order": "https://shop.example/cart", "home": "https://shop.example/"} {
		r := &Recorder{start: start, merger: merge(addressBar(start), addressBar("https://shop.example/signin"))}
		r.shaping.name = name
		a, err := r.automation()
		if err != nil {
			t.Fatal(err)
		}
		if err := index.Add(a); err != nil {
			t.Fatal(err)
		}
	}
	for url, want := range map[string]string{
		"https://shop.example/signin?next=1": "sign-in", "https://shop.example/cart/": "order", "https://shop.example/": "home",
	} {
		if got, err := index.Match(url, ""); err != nil || got.Name != want {
			t.Errorf("%s is %v, %v, want %s", url, got, err, want)
		}
	}
}
