package main

import (
	"maps"
	"strings"
	"testing"
)

func TestEveryApplicationSaysWhatItNeedsAndTypesOtherValuesInEachRun(t *testing.T) {
	t.Parallel()
	names, held := map[string]bool{}, 0
	for _, a := range apps() {
		if a.name == "" || a.about == "" || len(a.needs) == 0 || names[a.name] {
			t.Errorf("%q has no name of its own, or does not say what it is or needs", a.name)
		}
		names[a.name] = true
		if a.held {
			held++
		}
		first, second := a.values(0), a.values(1)
		for key, text := range first {
			if text == "" || text == second[key] {
				t.Errorf("%s types %q as its %s in both runs: a judge could not tell them apart", a.name, text, key)
			}
		}
		made := state{}
		a.want(made, account{user: "ada"}, first)
		before := maps.Clone(made)
		a.want(made, account{user: "grace"}, second)
		if differ(made, before) == "" {
			t.Errorf("%s wants nothing else of a second run", a.name)
		}
	}
	if held*3 < len(names) {
		t.Errorf("%d of %d applications are held out", held, len(names))
	}
}

func TestAStateDiffersByWhatIsMissingWrongOrThereTwice(t *testing.T) {
	t.Parallel()
	got := state{"kept": "a", "changed": "b"}
	add(got, "twice", "c")
	add(got, "twice", "c")
	want := state{"kept": "a", "changed": "x", "twice": "c", "missing": "d"}
	const differs = `changed is "b", want "x"; missing is missing: want "d"; twice is "c; and c", want "c"`
	if d := differ(got, want); d != differs {
		t.Errorf("the difference is %s\nwant %s", d, differs)
	}
	if d := differ(want, want); d != "" {
		t.Errorf("a state differs from itself: %s", d)
	}
	if d := differ(state{"more": "e"}, state{}); d != `more is not wanted: "e"` {
		t.Errorf("what no one wanted is %q", d)
	}
}

func TestWhatIsNotAnApplicationOrAModeIsRefused(t *testing.T) {
	t.Parallel()
	if s, err := choose("fossil,radicale", "strict"); err != nil || len(s.apps) != 2 || len(s.modes) != 1 {
		t.Errorf("choosing two applications gave %+v, %v", s, err)
	}
	for _, c := range [][2]string{{"nothing", "strict"}, {"", "fast"}} {
		if _, err := choose(c[0], c[1]); err == nil {
			t.Errorf("-only %q -modes %q was taken", c[0], c[1])
		}
	}
}

func TestAModeThatIsPlayedSeveralTimesHidesNoneOfThem(t *testing.T) {
	t.Parallel()
	r := row{app: &app{name: "one"}}
	for _, v := range []verdict{wrong, right, right} {
		r.add("strict", outcome{verdict: v})
	}
	var b strings.Builder
	printTable(&b, []mode{{name: "strict"}, {name: "strict"}, {name: "strict"}}, []row{r})
	for _, want := range []string{"| recorded | strict |\n", "| 2 done-right, 1 DONE-WRONG |", "tuned: 2 runs done-right, 0 failed-clearly, 1 DONE-WRONG"} {
		if !strings.Contains(b.String(), want) {
			t.Errorf("%q is not in\n%s", want, b.String())
		}
	}
}
