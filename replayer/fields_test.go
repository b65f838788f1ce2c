package replayer_test

import (
	"context"
	"encoding/json"
	"errors"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/go-reprise/reprise/automation"
	"github.com/go-reprise/reprise/internal/browsertest"
	"github.com/go-reprise/reprise/internal/simuser"
	"github.com/go-reprise/reprise/recorder"
	"github.com/go-reprise/reprise/replayer"
)

func TestKeysArePressedWhereThePageListensToThem(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		script, value string
		keys          bool
	}{
		"a field that no one listens to": {`field.addEventListener("input", () => out(field.value))`, "Linz", false},
		"a field that listens to keyup":  {`field.addEventListener("keyup", () => out(field.value))`, "Linz", true},
		"a field that takes its keys":    {`field.onkeydown = (e) => { if (e.key.length === 1) { e.preventDefault(); field.value += e.key.toUpperCase(); out(field.value) } }`, "LINZ", true},
		"a field that formats":           {`field.oninput = () => { field.value = field.value.replaceAll("-", ""); out(field.value) }`, "Linz", false},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			server := serve(t, `<input id=f aria-label=Place><p id=o></p><button id=b>Next</button><script>
				const field = document.getElementById("f"), out = (text) => { document.getElementById("o").textContent = text; location.hash = text };`+test.script+`</script>`)
			page := browsertest.Page(t, server.URL)
			r, err := recorder.Start(t.Context(), page, nil)
			if err != nil {
				t.Fatal(err)
			}
			p := simuser.At(page.Target())
			if err := p.Fill(t.Context(), "#f", "Li-nz"[:2]+"nz"); err != nil {
				t.Fatal(err)
			}
			if err := p.Click(t.Context(), "#b"); err != nil {
				t.Fatal(err)
			}
			a, _, err := r.Stop(t.Context())
			if err != nil {
				t.Fatal(err)
			}
			step := browsertest.Literal(a).Steps[1]
			t.Log(toolsOf(a))
			if step.Value == nil || step.Keys != test.keys || string(step.Value.Value) != `"`+test.value+`"` {
				t.Fatalf("recorded keys %v, value %+v; want %v, %q", step.Keys, step.Value, test.keys, test.value)
			}
			again := browsertest.Page(t, "")
			if _, err := replayer.Play(t.Context(), again, a, &replayer.Options{Commit: replayer.AllowCommits, Timeout: 5 * time.Second}); err != nil {
				t.Fatal(err)
			}
			if got, want := again.URL(), server.URL+"/#"+test.value; got != want {
				t.Errorf("the page heard %q, want %q", got, want)
			}
		})
	}
}

// choosing does what a user does in a field of the browser's own, in the English
// of the United States.
func choosing(keys ...string) act {
	return func(ctx context.Context, p *simuser.User) error {
		if err := p.Click(ctx, "#f"); err != nil {
			return err
		}
		for _, key := range keys {
			if err := p.Press(ctx, key); err != nil {
				return err
			}
		}
		return nil
	}
}

// byIcon opens the picker of a date, and chooses the day after.
func byIcon(ctx context.Context, p *simuser.User) error {
	if err := p.ClickAt(ctx, "#f", 88, 0); err != nil {
		return err
	}
	if err := p.Press(ctx, "ArrowRight"); err != nil {
		return err
	}
	return p.Press(ctx, "Enter")
}

// byColor chooses another colour than the first: the picker opens in its own time.
func byColor(ctx context.Context, p *simuser.User) error {
	if err := p.Click(ctx, "#f"); err != nil {
		return err
	}
	for chosen := false; !chosen; {
		if err := p.Press(ctx, "ArrowUp"); err != nil {
			return err
		}
		look, cancel := context.WithTimeout(ctx, 100*time.Millisecond)
		chosen = p.See(look, "input") == nil
		cancel()
		if err := ctx.Err(); err != nil {
			return err
		}
	}
	return p.Press(ctx, "Enter")
}

// The page puts into its fragment what it hears of the field, as a framework would
// that has put a property of its own in the way of the field's value.
const heardOfField = `<form onsubmit="return false"><input id=f aria-label=When style="width:200px" ATTRIBUTES></form><button id=b>Next</button><script>
	const own = Object.getOwnPropertyDescriptor(HTMLInputElement.prototype, "value"); let tracked = f.value, heard = [];
	Object.defineProperty(f, "value", {get() { return own.get.call(this) }, set(v) { tracked = v; own.set.call(this, v) }});
	for (const type of ["input", "change"]) f.addEventListener(type, (e) => {
		const value = own.get.call(f);
		if (type === "input" && value === tracked) return;
		tracked = value; heard.push(type); location.hash = value + " " + heard.slice(-2);
	});
	f.onkeydown = () => {};
</script>`

func TestWhatHasAPickerIsRecordedAsWhatWasChosen(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		attributes  string
		act         act
		want, other string
	}{
		"a date":                 {`type=date`, fill("#f", "12312026"), "2026-12-31", "2027-02-28"},
		"a date, field by field": {`type=date value=2025-05-05`, choosing("Backspace", "1", "Tab", "2", "Tab", "2", "0", "2", "6"), "2026-01-02", "2027-02-28"},
		"a date in the picker":   {`type=date value=2026-12-30`, byIcon, "2026-12-31", "2027-02-28"},
		"a time":                 {`type=time`, fill("#f", "0930AM"), "09:30", "17:45"},
		"a date with a time":     {`type=datetime-local value=2026-01-01T00:00`, choosing("ArrowUp", "Tab", "ArrowUp"), "2026-02-02T00:00", "2027-02-28T17:45"},
		"a month":                {`type=month value=2026-01`, choosing("ArrowUp"), "2027-01", "2027-12"},
		"a week":                 {`type=week value=2026-W01`, choosing("ArrowUp"), "2027-W01", "2027-W30"},
		"a colour":               {`type=color value=#808080`, byColor, "", "#123456"},
		"a range":                {`type=range min=0 max=10 value=2`, choosing("ArrowRight"), "6", "9"},
		"a range of halves":      {`type=range min=0 max=1 step=0.5 value=1`, choosing("ArrowLeft"), "0", "0.5"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			server := serve(t, strings.ReplaceAll(heardOfField, "ATTRIBUTES", test.attributes))
			a := record(t, server.URL+"/", test.act, clickOn("#b"))
			if test.want == "" && len(a.Steps) > 1 && a.Steps[1].Value != nil {
				test.want = strings.Trim(string(browsertest.Literal(a).Steps[1].Value.Value), `"`)
			}
			want := []string{"navigate " + server.URL + "/", `typeInput "` + test.want + `"`, `click aria/Next[role="button"]`}
			if got := toolsOf(a); !slices.Equal(got, want) || a.Steps[1].Keys {
				t.Fatalf("recorded %q with keys %v", got, a.Steps[1].Keys)
			}
			for _, value := range []string{test.want, test.other} {
				setValue(t, a, value)
				page := browsertest.Page(t, "")
				if _, err := replayer.Play(t.Context(), page, a, &replayer.Options{Commit: replayer.AllowCommits, Timeout: 10 * time.Second}); err != nil {
					t.Fatal(err)
				}
				said := strings.TrimPrefix(value, "#") + " input,change"
				browsertest.Until(t, said, func() bool {
					_, fragment, _ := strings.Cut(page.URL(), "#")
					got, _ := url.PathUnescape(fragment)
					return got == said
				})
			}
		})
	}
}

func setValue(t *testing.T, a *automation.Automation, value string) {
	t.Helper()
	data, err := json.Marshal(value)
	if err != nil {
		t.Fatal(err)
	}
	a.Steps[1].Value = &automation.Value{Kind: automation.Literal, Value: data}
}

// files makes files in a folder, each holding its own name.
func files(t *testing.T, names ...string) []string {
	t.Helper()
	dir := t.TempDir()
	paths := make([]string, len(names))
	for i, name := range names {
		paths[i] = filepath.Join(dir, name)
		if err := os.WriteFile(paths[i], []byte(name), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	return paths
}

func TestFilesThatCannotBeGivenAreSaidBeforeAnythingIsDone(t *testing.T) {
	t.Parallel()
	there := files(t, "a.txt", "b.txt")
	link := filepath.Join(t.TempDir(), "link.txt")
	if err := os.Symlink(there[0], link); err != nil {
		t.Fatal(err)
	}
	server := serve(t, `<input id=f type=file>`)
	variable := automation.Value{Kind: automation.Variable, Name: "file"}
	named := automation.Value{Kind: automation.Literal, Value: []byte(strconv.Quote(there[0]))}
	for name, test := range map[string]struct {
		value automation.Value
		given any
		from  []string
		want  replayer.Code
		step  int
	}{
		"a file that is not there":       {variable, filepath.Join(t.TempDir(), "none"), nil, replayer.InvalidValue, -1},
		"a folder":                       {variable, filepath.Dir(there[0]), nil, replayer.InvalidValue, -1},
		"two where there is one":         {variable, []any{there[0], there[1]}, nil, replayer.InvalidValue, 1},
		"one that the document names":    {named, nil, nil, replayer.Refused, -1},
		"one out of the allowed folders": {variable, there[0], []string{t.TempDir()}, replayer.Refused, -1},
		"a link out of them":             {variable, link, []string{filepath.Dir(link)}, replayer.Refused, -1},
		"one that the document may name": {named, nil, []string{filepath.Dir(there[0])}, "", 0},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			a := document(t, server.URL, `{"tool": "navigate", "url": "`+server.URL+`/"}, {"tool": "upload", "selector": "#f", "value": {"kind": "literal", "value": "x"}}`)
			a.Steps[1].Value = &test.value
			a.Variables = []byte(`{"type": "object", "properties": {"file": {}}}`)
			values := replayer.Map{}
			if test.given != nil {
				values["file"] = test.given
			}
			page := browsertest.Page(t, "")
			_, err := replayer.Play(t.Context(), page, a, &replayer.Options{Commit: replayer.AllowCommits, Values: values, UploadFrom: test.from, Timeout: 5 * time.Second})
			var failed *replayer.Error
			if test.want == "" && err == nil {
				return
			}
			if !errors.As(err, &failed) || failed.Code != test.want || failed.Step != test.step {
				t.Errorf("got %v, want %s at step %d", err, test.want, test.step)
			}
		})
	}
}

func TestFieldsOfAFormAreFilledByWhatTheyAre(t *testing.T) {
	t.Parallel()
	server := serve(t, `<input id=name><select id=size><option>S<option>M</select><input id=agree type=checkbox><textarea id=note></textarea>`)
	page := browsertest.Page(t, server.URL)
	a := document(t, server.URL, `{"tool":"fillForm","args":{"fields":[
		{"selector":"#name","value":{"kind":"literal","value":"Ada"}},
		{"selector":"#size","value":{"kind":"literal","value":"M"}},
		{"selector":"#agree","value":{"kind":"literal","value":true}},
		{"selector":"#note","value":{"kind":"literal","value":"x"}}]}},
		{"tool":"assert","selector":"#name","value":{"kind":"literal","value":"Ada"},"args":{"attribute":"value"}},
		{"tool":"assert","selector":"#size","value":{"kind":"literal","value":"M"},"args":{"attribute":"label"}},
		{"tool":"assert","selector":"#agree","args":{"state":"checked"}},
		{"tool":"assert","selector":"#note","value":{"kind":"literal","value":"x"}}`)
	if _, err := replayer.Play(t.Context(), page, a, &replayer.Options{Timeout: 5 * time.Second}); err != nil {
		t.Fatal(err)
	}
	broken := document(t, server.URL, `{"tool":"fillForm","args":{"fields":[{"selector":"#name","value":{"kind":"literal","value":"Ada"}},{"selector":"#none","value":{"kind":"literal","value":"x"}}]}}`)
	_, err := replayer.Play(t.Context(), page, broken, &replayer.Options{Timeout: time.Second})
	if e := wantCode(t, err, replayer.NotFound, 0); e.Reason[:8] != "field 2:" {
		t.Errorf("%v does not say which field", e)
	}
}
