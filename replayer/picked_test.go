package replayer_test

import (
	"context"
	"encoding/json"
	"net/url"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/go-reprise/reprise/automation"
	"github.com/go-reprise/reprise/internal/browsertest"
	"github.com/go-reprise/reprise/internal/simuser"
	"github.com/go-reprise/reprise/replayer"
)

// choosing does what a person does in a field of the browser's own, in the English
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
				test.want = strings.Trim(string(a.Steps[1].Value.Value), `"`)
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
				eventually(t, said, func() bool {
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
