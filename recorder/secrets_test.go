package recorder

import (
	"encoding/json"
	"fmt"
	"net/url"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/go-reprise/reprise/internal/redact"
	"github.com/go-reprise/reprise/selectors"
)

// spokenOf are texts that a person may have typed before they say that it is a secret;
// some look like one, and are a variable already.
var spokenOf = map[string]string{
	"a word":             "open sesame",
	"a card number":      "Kanarie+4150899396037033/é",
	"digits at its head": "7up&down",
	"something short":    "x9",
}

func fieldCalled(name, address string) *element {
	el := field(name)
	el.url, el.label, el.fieldNames = address, name, []string{name, name}
	return el
}

// repeats are events by which a page and a person repeat a text: as it was typed before,
// and in a document that is called otherwise and was heard too late to know of it.
func repeats(secret string) []event {
	address := "https://example.com/at/" + url.PathEscape(secret)
	button := &element{id: "doc#go", url: address, tag: "button", label: "Go " + secret, candidates: css("text/Go "+secret, "#"+cssName(secret), "#go")}
	shown := &element{id: "doc#shown", url: address, tag: "button", candidates: css("text/"+secret, "#shown")}
	opener, option := *shown, &element{id: "doc#option", url: address, tag: "button", candidates: css("#option"), opener: shown}
	opener.candidates = css("#opener")
	option.row = &row{texts: []string{"Lease"}, also: secret, other: secret, near: selectors.Selector{Kind: selectors.Near, Body: "#option"}}
	list := &element{id: "doc#list", url: address, tag: "select", candidates: css("#list")}
	return []event{
		{kind: navigation, within: true, url: address},
		{kind: down, el: button, press: "1"}, {kind: up, el: button, press: "1"}, {kind: click, el: button, press: "1", count: 1},
		{kind: down, el: &opener, press: "2"}, {kind: up, el: &opener, press: "2"}, {kind: click, el: &opener, press: "2", count: 1},
		{kind: down, el: option, press: "3"}, {kind: up, el: option, press: "3"}, {kind: click, el: option, press: "3", count: 1},
		{kind: input, el: fieldCalled("again", address), value: secret},
		{kind: input, el: fieldCalled("note", address), value: "not " + secret},
		{kind: choose, el: list, values: []string{secret}},
		{kind: answered, dialog: "prompt", asks: "More than " + secret + "?", accepted: true, value: "as " + secret},
	}
}

// cssName writes an identifier with each character by its code, as CSS.escape writes
// the first of a number.
func cssName(text string) string {
	var b strings.Builder
	for _, r := range text {
		fmt.Fprintf(&b, `\%x `, r)
	}
	return b.String()
}

func TestWhatIsMarkedAsSecretIsRepeatedNowhere(t *testing.T) {
	t.Parallel()
	for name, secret := range spokenOf {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			var told []Change
			m := newMerger(redact.NewKey(), func(c Change) { told = append(told, c) })
			field := fieldCalled("member", "https://example.com/")
			m.add(event{kind: input, el: field, value: secret})
			for _, e := range repeats(secret) {
				m.add(e)
			}
			m.markSecret(field)
			told = nil
			for _, e := range repeats(secret) {
				m.add(e)
			}
			m.finish()
			if len(secret) >= shortestQuoted {
				wantForgotten(t, m, told, secret)
			}
			wantOneVariable(t, m)
		})
	}
}

func wantForgotten(t *testing.T, m *merger, told []Change, secret string) {
	t.Helper()
	var steps []any
	for _, en := range m.entries {
		steps = append(steps, en.shown())
	}
	for where, v := range map[string]any{"the steps": steps, "what is told": told, "the addresses": m.paths} {
		data, err := json.Marshal(v)
		if err != nil {
			t.Fatal(err)
		}
		for form, text := range forms(secret) {
			if strings.Contains(strings.ToLower(string(data)), strings.ToLower(text)) {
				t.Errorf("%s still hold it (%s): %s", where, form, data)
			}
		}
	}
}

func forms(secret string) map[string]string {
	quoted, _ := json.Marshal(cssName(secret))
	return map[string]string{
		"plain": secret, "in a path": url.PathEscape(secret), "in a query": url.QueryEscape(secret), "in CSS": strings.Trim(string(quoted), `" `),
	}
}

// wantOneVariable checks that the field and those that took the same text are one
// variable, before and after it was marked.
func wantOneVariable(t *testing.T, m *merger) {
	t.Helper()
	got := map[string][]string{}
	for _, en := range m.entries {
		if en.typed() && !slices.Contains(got[en.el.label], en.step.Value.Name) {
			got[en.el.label] = append(got[en.el.label], en.step.Value.Name)
		}
	}
	if len(got["member"]) != 1 || len(got["again"]) != 1 {
		t.Fatalf("typed are %v", got)
	}
	if diff := cmp.Diff(got["member"], got["again"]); diff != "" {
		t.Errorf("the same text is another variable (-member +again):\n%s", diff)
	}
}

// What a document tells of secrets is a stranger's: it can make the recording quote less,
// and nothing else.
func TestHashesThatAreNoneDoNoHarm(t *testing.T) {
	t.Parallel()
	key := redact.NewKey()
	m := newMerger(key, func(Change) {})
	for _, e := range pressed(button("#go"), 1) {
		m.add(e)
	}
	many := make([]uint64, 2_000_000)
	for _, hashes := range []redact.Hashes{
		{}, {Key: redact.NewKey(), Folded: map[int][]uint64{6: {1}}}, {Key: key, Folded: map[int][]uint64{-1: {1}, 0: {2}, 1 << 40: {3}}},
		{Key: key, Joined: map[int][]uint64{6: many}},
	} {
		m.learn(event{kind: learned, hashes: hashes, field: "nothing#1", whole: 7})
	}
	m.finish()
	if len(m.entries) != 1 || len(m.entries[0].step.Selector) == 0 || len(m.omitted) > 0 {
		t.Errorf("the steps are %+v, left out are %v", m.entries, m.omitted)
	}
}

// Two fields that hold the same are one variable, as soon as that is known; what is
// edited since is another.
func TestTheSameSecretIsOneVariable(t *testing.T) {
	t.Parallel()
	m := newMerger(redact.NewKey(), func(Change) {})
	first, again, other := secretField("a"), secretField("b"), secretField("c")
	again.tokens, other.tokens = nil, nil // nothing says what they are
	for i, el := range []*element{first, again, other} {
		m.add(event{kind: input, el: el, secret: true})
		m.learn(event{kind: learned, field: el.id, whole: []uint64{1, 1, 2}[i]})
	}
	var names []string
	for _, en := range m.entries {
		names = append(names, en.step.Value.Name)
	}
	if len(names) != 3 || names[0] != names[1] || names[1] == names[2] {
		t.Errorf("the variables are %q: want the first two to be one", names)
	}
}

// What cannot do without a secret is left out, and said; the rest stays.
func TestAStepThatCannotDoWithoutASecretIsLeftOut(t *testing.T) {
	t.Parallel()
	m := newMerger(redact.NewKey(), func(Change) {})
	for _, events := range [][]event{
		addressBar("https://example.com/at/opensesame/home?q=1"), pressed(button("#go"), 1), went("https://example.com/opensesame/next?for=opensesame"),
		{{kind: choose, el: button("#list"), values: []string{"opensesame"}}}, pressed(button("#opensesame"), 1),
	} {
		for _, e := range events {
			m.add(e)
		}
	}
	m.finish()
	m.secrets.learnText("opensesame", -1)
	m.purge()
	for _, e := range addressBar("https://example.com/OPENSESAME") {
		m.add(e)
	}
	var tools []string
	for _, en := range m.entries {
		tools = append(tools, strings.TrimSpace(en.step.Tool+" "+en.step.URL))
	}
	if want := []string{"click", "waitForNav example.com/*/next"}; !slices.Equal(tools, want) {
		t.Errorf("the steps are %q, want %q", tools, want)
	}
	var left []string
	for _, o := range m.leftOut() {
		left = append(left, o.String())
	}
	want := []string{
		"navigate after step 0 was left out: its address repeats a secret",
		"select after step 2 was left out: " + choiceRepeats,
		"click after step 2 was left out: all by which its element is found repeats a secret",
		"navigate after step 2 was left out: its address repeats a secret",
	}
	if diff := cmp.Diff(want, left); diff != "" {
		t.Errorf("left out are (-want +got):\n%s", diff)
	}
}

// A text that was on its way when its field was marked is redacted like what was there:
// all of it becomes known, wherever the recording repeats it, and the mark stays what
// Undo finds.
func TestTextInFlightWhenItsFieldIsMarkedIsRedacted(t *testing.T) {
	t.Parallel()
	const secret = "opensesame"
	for _, paused := range []bool{false, true} {
		r := &Recorder{merger: newMerger(redact.NewKey(), func(Change) {}), queue: newQueue()}
		r.shaping.changed = make(chan struct{})
		field, note := fieldCalled("member", "https://example.com/"), fieldCalled("note", "https://example.com/")
		r.emit(event{kind: input, el: note, value: "not " + secret})
		r.emit(event{kind: input, el: field, value: "ope"})
		r.merger.markSecret(field)
		r.redacted(true)
		r.shaping.paused = paused
		before := r.merger.version
		r.emit(event{kind: input, el: field, value: "op"}) // shorter than what is looked for
		r.emit(event{kind: input, el: field, value: "op", late: true})
		if r.merger.version != before {
			t.Errorf("paused %v: a text in flight counts as another step", paused)
		}
		r.emit(event{kind: input, el: field, value: secret})
		if last := r.lastEdit(); last == nil || !last.marks {
			t.Errorf("paused %v: the mark is not what Undo finds", paused)
		}
		var names []string
		for _, en := range r.merger.entries {
			if strings.Contains(string(en.step.Value.Value), secret[4:]) {
				t.Errorf("paused %v: a step still holds %s", paused, en.step.Value.Value)
			}
			names = append(names, en.step.Value.Name)
		}
		if want := []string{"note", "member"}; !slices.Equal(names, want) {
			t.Errorf("paused %v: the variables are %q, want %q", paused, names, want)
		}
	}
}

// A page that renders its fields again with each key has another element where the marked
// one was, which its document does not know to be marked.
func TestAMarkFollowsAFieldThatIsRenderedAgain(t *testing.T) {
	t.Parallel()
	const secret = "opensesame"
	m := newMerger(redact.NewKey(), func(Change) {})
	first, again := field("f"), field("f")
	again.id = "another"
	m.add(event{kind: input, el: field("note"), value: "not " + secret})
	m.add(event{kind: input, el: first, value: "op"})
	m.markSecret(first)
	m.add(event{kind: input, el: again, value: secret})
	for _, en := range m.entries {
		if strings.Contains(string(en.step.Value.Value), secret) {
			t.Errorf("a step still holds %s", en.step.Value.Value)
		}
	}
	for _, v := range m.names.declared {
		if v.typed != "" {
			t.Errorf("the variable %s still has its text", v.name)
		}
	}
}

// A picture that is being made while a field is marked may show what was typed there.
func TestAPictureThatWasBegunBeforeARedactionIsDropped(t *testing.T) {
	t.Parallel()
	p := &pictures{byPress: map[string][]byte{}}
	end := p.begin()
	if p.begin() != nil {
		t.Error("two pictures are made at a time")
	}
	p.clear()
	if end("doc#1", []byte("a picture")) || p.has("doc#1") {
		t.Error("it is there")
	}
	if end := p.begin(); end == nil || !end("doc#2", []byte("a picture")) || !p.has("doc#2") {
		t.Error("the next one is not there")
	}
}
