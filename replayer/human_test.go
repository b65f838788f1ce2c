package replayer_test

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/go-reprise/reprise/automation"
	"github.com/go-reprise/reprise/browser"
	"github.com/go-reprise/reprise/internal/browsertest"
	"github.com/go-reprise/reprise/replayer"
)

// watched reports each input event in it.
const watched = `<body style="margin:0;height:3000px"><input id=name value="old"><input id=pass type=password><input type=date id=day><br>
	<button id=go style="margin:200px;width:120px;height:40px">Go</button><button id=low style="position:absolute;top:2000px;left:300px">Low</button>
	<script>const told = []; for (const type of ["pointermove", "pointerdown", "pointerup", "keydown", "keyup", "wheel", "click"])
		addEventListener(type, (e) => told.push([type, e.key ?? "", e.clientX ?? 0, e.clientY ?? 0, Math.round(e.timeStamp)]), {capture: true, passive: true})</script>`

func humanSteps(t *testing.T, url string) *automation.Automation {
	t.Helper()
	a, err := automation.Parse(fmt.Appendf(nil, `{"format":1,"name":"test","match":{"urls":[%q]},
		"variables":{"type":"object","properties":{"pass":{"type":"string","writeOnly":true}},"required":["pass"]},"steps":[
		{"tool":"typeInput","selector":"#name","value":{"kind":"literal","value":"Ada Lovelace"}},
		{"tool":"typeInput","selector":"#pass","value":{"kind":"variable","name":"pass"}},
		{"tool":"typeInput","selector":"#day","value":{"kind":"literal","value":"2026-12-31"}},
		{"tool":"click","selector":"#go"},{"tool":"click","selector":"#low"}]}`, url[len("http://"):]+"/*"))
	if err != nil {
		t.Fatal(err)
	}
	return a
}

type told struct {
	Type string
	Key  string
	X, Y float64
	At   float64
}

func toldBy(t *testing.T, page *browser.Page) []told {
	t.Helper()
	var all []told
	var raw [][5]any
	if err := json.Unmarshal([]byte(page.Rod().MustEval(`() => JSON.stringify(told)`).Str()), &raw); err != nil {
		t.Fatal(err)
	}
	for _, r := range raw {
		all = append(all, told{r[0].(string), r[1].(string), r[2].(float64), r[3].(float64), r[4].(float64)})
	}
	return all
}

func TestAHumanRunMovesPressesScrollsAndTypesLikeAPerson(t *testing.T) {
	t.Parallel()
	server := serve(t, watched)
	page := browsertest.Page(t, server.URL)
	result, err := replayer.Play(t.Context(), page, humanSteps(t, server.URL), &replayer.Options{
		Humanize: true, Seed: 7, Values: replayer.Map{"pass": "s3cret-word"}, Timeout: 10 * time.Second,
	})
	if err != nil || result.Seed != 7 {
		t.Fatalf("%v, seed %d", err, result.Seed)
	}
	fields := page.Rod().MustEval(`() => [document.getElementById("name").value, pass.value, day.value].join()`).Str()
	if fields != "Ada Lovelace,s3cret-word,2026-12-31" {
		t.Errorf("the fields hold %q", fields)
	}
	count := map[string]int{}
	for _, e := range toldBy(t, page) {
		count[e.Type]++
		if e.Type == "pointerdown" && e.X == 260 && e.Y == 242 {
			t.Error("it pressed the very middle")
		}
	}
	if count["pointermove"] < 40 || count["wheel"] < 3 || count["keydown"] < len("Ada Lovelace")+len("s3cret-word") || count["click"] < 4 {
		t.Errorf("the page was told of %v", count)
	}
}

func TestAHumanRunTurnsTheWheelNotchByNotch(t *testing.T) {
	t.Parallel()
	server := serve(t, watched)
	for name, scroll := range map[string]string{"over the page": `{"tool":"scroll","args":{"dy":800}}`, "over an element": `{"tool":"scroll","selector":"#go","args":{"dy":800}}`} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			page := browsertest.Page(t, server.URL)
			if _, err := replayer.Play(t.Context(), page, document(t, server.URL, scroll), &replayer.Options{Humanize: true, Seed: 7, Timeout: 30 * time.Second}); err != nil {
				t.Fatal(err)
			}
			browsertest.Until(t, "the page to have scrolled", func() bool { return page.Rod().MustEval(`() => scrollY`).Num() >= 700 })
			var moves, turns []told
			for _, one := range toldBy(t, page) {
				switch one.Type {
				case "pointermove":
					moves = append(moves, one)
				case "wheel": // a busy page receives several notches at once
					turns = append(turns, one)
				}
			}
			if len(moves) == 0 || len(turns) < 2 || turns[len(turns)-1].At-turns[0].At < 100 {
				t.Errorf("told of %d moves and then of the turns %+v: no finger is as fast", len(moves), turns)
			}
		})
	}
}

func TestASeedRepeatsAHumanRun(t *testing.T) {
	t.Parallel()
	server := serve(t, watched)
	run := func(seed uint64) []string {
		page := browsertest.Page(t, server.URL)
		o := &replayer.Options{Humanize: true, Seed: seed, Values: replayer.Map{"pass": "s3cret-word"}, Timeout: 10 * time.Second, Until: 1}
		if _, err := replayer.Play(t.Context(), page, humanSteps(t, server.URL), o); err != nil {
			t.Fatal(err)
		}
		var all []string
		for _, e := range toldBy(t, page) {
			if e.Type != "pointermove" { // moves that come in one frame are reported together
				all = append(all, fmt.Sprint(e.Type, e.Key, e.X, e.Y))
			}
		}
		return all
	}
	first := run(11)
	if diff := cmp.Diff(first, run(11)); diff != "" {
		t.Errorf("the same seed gives something else (-first +second):\n%s", diff)
	}
	if cmp.Equal(first, run(12)) {
		t.Error("another seed gives the same")
	}
}

func TestASecretIsTypedNoFurtherWhenTheFocusLeaves(t *testing.T) {
	t.Parallel()
	server := serve(t, `<input id=pass type=password oninput="if (this.value.length == 3) other.focus()"><input id=other>`)
	page := browsertest.Page(t, server.URL)
	a, err := automation.Parse(fmt.Appendf(nil, `{"format":1,"name":"test","match":{"urls":[%q]},
		"variables":{"type":"object","properties":{"pass":{"type":"string","writeOnly":true}},"required":["pass"]},
		"steps":[{"tool":"typeInput","selector":"#pass","value":{"kind":"variable","name":"pass"}}]}`, server.URL[len("http://"):]+"/*"))
	if err != nil {
		t.Fatal(err)
	}
	_, err = replayer.Play(t.Context(), page, a, &replayer.Options{Humanize: true, Values: replayer.Map{"pass": "s3cret-word"}, Timeout: 10 * time.Second})
	wantCode(t, err, replayer.NotActionable, 0)
	if other := page.Rod().MustEval(`() => other.value`).Str(); other != "" || strings.Contains(err.Error(), "s3cret") {
		t.Errorf("%q was typed elsewhere; %v", other, err)
	}
}

func TestAHumanRunTypesWhatIsGivenWhateverThePageAdds(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct{ page, selector, typed string }{
		"it begins lines itself": {`<textarea id=n></textarea><script>
			n.onkeydown = (e) => { if (e.key === "Enter") { e.preventDefault(); n.setRangeText("\n* ", n.selectionStart, n.selectionEnd, "end") } };
		</script>`, "#n", "* one\n* two"},
		"it names fields by their focus": {`<input><input class=idle><script>
			addEventListener("focusin", (e) => document.querySelectorAll("input").forEach((field) => { field.className = field === e.target ? "" : "idle" }));
		</script>`, ".idle", "given"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			server := serve(t, c.page)
			page := browsertest.Page(t, server.URL)
			step, err := json.Marshal(map[string]any{"tool": "typeInput", "selector": c.selector, "value": map[string]any{"kind": "literal", "value": c.typed}})
			if err != nil {
				t.Fatal(err)
			}
			a := document(t, server.URL, string(step))
			if _, err := replayer.Play(t.Context(), page, a, &replayer.Options{Humanize: true, Seed: 3, Timeout: 5 * time.Second}); err != nil {
				t.Fatal(err)
			}
			if got := page.Rod().MustEval(`() => [...document.querySelectorAll("input, textarea")].map((f) => f.value).at(-1)`).Str(); got != c.typed {
				t.Errorf("the field holds %q, want %q", got, c.typed)
			}
		})
	}
}
