package automation

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"
)

// shop is a document with some steps.
func shop(t testing.TB, steps ...string) *Automation {
	t.Helper()
	a, err := Parse([]byte(`{"format": 1, "name": "shop", "match": {"urls": ["shop.example/*"]}, "steps": [`+strings.Join(steps, ",")+`]}`), AnyTools())
	if err != nil {
		t.Fatal(err)
	}
	return a
}

// diff returns the changes as lines.
func diff(t interface{ Fatal(...any) }, a, b *Automation) []string {
	changes, err := Diff(a, b)
	if err != nil {
		t.Fatal(err)
	}
	var lines []string
	for _, c := range changes {
		lines = append(lines, fmt.Sprintf("%s %s (%d): %s > %s", c.Op, c.Path, c.Step, c.Old, c.New))
	}
	return lines
}

const (
	opened = `{"tool": "navigate", "url": "https://shop.example/"}`
	typed  = `{"tool": "typeInput", "selector": "#q", "value": {"kind": "literal", "value": "tea"}}`
	bought = `{"tool": "click", "selector": "#buy", "alternatives": ["aria/Buy", ".buy"], "fingerprint": {"tag": "button", "own": {"id": "01ab"}}}`
	tabbed = `{"tool": "keypress", "key": "Tab"}`
)

func TestDiffSaysWhatBecameOfEachStep(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		before, after []string
		want          []string
	}{
		"nothing": {[]string{opened, bought}, []string{opened, bought}, nil},
		"another way to find an element": {
			[]string{opened, bought},
			[]string{opened, `{"tool": "click", "selector": [".x", "#pay"], "alternatives": ["testid/pay", ".buy"], "fingerprint": {"tag": "a"}}`},
			[]string{
				`changed steps[1].selector (1): "#buy" > [".x","#pay"]`,
				`removed steps[1].alternatives[0] (1): "aria/Buy" > `,
				`added steps[1].alternatives[0] (1):  > "testid/pay"`,
				`changed steps[1].fingerprint (1): {"tag":"button","own":{"id":"01ab"}} > {"tag":"a"}`,
			},
		},
		"a step put in before others": {[]string{opened, typed, bought}, []string{opened, tabbed, typed, bought}, []string{`added steps[1] (1):  > {"tool":"keypress","key":"Tab"}`}},
		"a step taken out, and the next one changed": {
			[]string{opened, tabbed, typed}, []string{opened, strings.Replace(typed, "tea", "milk", 1)},
			[]string{`removed steps[1] (1): {"tool":"keypress","key":"Tab"} > `, `changed steps[1].value.value (1): "tea" > "milk"`},
		},
		"two steps of a tool, told apart by what they do": {
			[]string{typed, bought}, []string{strings.Replace(typed, "tea", "new", 1), strings.Replace(typed, "#q", "#query", 1), bought},
			[]string{`added steps[0] (0):  > {"tool":"typeInput","selector":"#q","value":{"kind":"literal","value":"new"}}`, `changed steps[1].selector (1): "#q" > "#query"`},
		},
		"a field more and a field less": {
			[]string{`{"tool": "click", "selector": "#a", "optional": true}`}, []string{`{"tool": "click", "selector": "#a", "intent": "go on"}`},
			[]string{`removed steps[0].optional (0): true > `, `added steps[0].intent (0):  > "go on"`},
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			if d := cmp.Diff(test.want, diff(t, shop(t, test.before...), shop(t, test.after...))); d != "" {
				t.Errorf("the changes (-want +got):\n%s", d)
			}
		})
	}
}

func TestDiffTellsOfTheRestOfTheDocumentToo(t *testing.T) {
	t.Parallel()
	a, b := shop(t, opened), shop(t, opened)
	a.Variables = []byte(`{"type": "object", "properties": {"a": {"type": "string", "default": "1"}}}`)
	b.Variables = []byte(`{"properties": {"a": {"default": "2", "type": "string"}}, "type": "object"}`)
	b.Match.URLs = append(b.Match.URLs, "pay.example")
	a.Revision, b.Revision = 3, 4 // no difference
	want := []string{
		`added match.urls[1] (-1):  > "pay.example"`,
		`changed variables.properties.a.default (-1): "1" > "2"`,
	}
	if d := cmp.Diff(want, diff(t, a, b)); d != "" {
		t.Errorf("the changes (-want +got):\n%s", d)
	}
}

// Whatever the documents: one does not differ from itself, two that are not the
// same do, and the other way round there is as much to tell.
func TestDiffIsTheSameBothWays(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		a, b := anyAutomation(t), anyAutomation(t)
		b.Steps = append(b.Steps, rapid.SliceOf(rapid.SampledFrom(a.Steps)).Draw(t, "steps of the other")...)
		if same := diff(t, a, a); len(same) > 0 {
			t.Fatalf("it differs from itself: %s", same)
		}
		there, back := tally(t, a, b), tally(t, b, a)
		there[Added], there[Removed] = there[Removed], there[Added]
		if d := cmp.Diff(there, back); d != "" {
			t.Fatalf("there and back (-there +back):\n%s", d)
		}
	})
}

func tally(t *rapid.T, a, b *Automation) map[Op]int {
	changes, err := Diff(a, b)
	if err != nil {
		t.Fatal(err)
	}
	if len(changes) == 0 {
		t.Fatal("two documents of other lengths do not differ")
	}
	counts := map[Op]int{Added: 0, Removed: 0}
	for _, c := range changes {
		if (c.Old == nil) != (c.Op == Added) || (c.New == nil) != (c.Op == Removed) || c.Path == "" {
			t.Fatalf("%+v", c)
		}
		counts[c.Op]++
	}
	return counts
}

// A document as long as one may be is compared in bounded time and memory.
func TestDiffOfLongDocumentsEnds(t *testing.T) {
	t.Parallel()
	const many = 3000
	a, b := shop(t, opened), shop(t, opened)
	for i := range many {
		a.Steps = append(a.Steps, Step{Tool: "keypress", Key: "A", Intent: fmt.Sprint("a", i)})
		b.Steps = append(b.Steps, Step{Tool: "keypress", Key: "B", Intent: fmt.Sprint("b", i)})
	}
	if got := len(diff(t, a, b)); got != 2*many {
		t.Errorf("%d changes, want %d: the key and the intent of each step", got, 2*many)
	}
}

func TestDiffRefusesWhatIsNoDocument(t *testing.T) {
	t.Parallel()
	bad := shop(t, opened)
	bad.Name = "\xff"
	if _, err := Diff(shop(t, opened), bad); len(Problems(err)) != 1 {
		t.Errorf("a document that cannot be written gives %v", err)
	}
}
