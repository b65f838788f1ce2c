package recorder_test

import (
	"context"
	"io"
	"net/http"
	"net/http/httptest"
	"net/url"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/go-reprise/reprise/automation"
	"github.com/go-reprise/reprise/browser"
	"github.com/go-reprise/reprise/internal/browsertest"
	"github.com/go-reprise/reprise/internal/simuser"
	"github.com/go-reprise/reprise/recorder"
)

// recordHere records what a simulated user does on a page of its own.
func recordHere(t *testing.T, html string, act func(context.Context, *simuser.User, *browser.Page) error) *automation.Automation {
	t.Helper()
	page := browsertest.Page(t, "data:text/html,"+strings.NewReplacer("%", "%25", "#", "%23").Replace(html))
	r, err := recorder.Start(t.Context(), page, &recorder.Options{Name: "here"})
	if err != nil {
		t.Fatal(err)
	}
	if err := act(t.Context(), simuser.At(page.Target()), page); err != nil {
		t.Fatal(err)
	}
	a, _, err := r.Stop(t.Context())
	if a == nil {
		t.Fatal(err)
	}
	return browsertest.Literal(a)
}

func TestKeysThatOnlyMoveTheCaretAreNoSteps(t *testing.T) {
	t.Parallel()
	a := recordHere(t, `<label>City <input id=f></label>`, func(ctx context.Context, p *simuser.User, at *browser.Page) error {
		if err := p.Click(ctx, "#f"); err != nil {
			return err
		}
		if err := p.Type(ctx, "Linz an"); err != nil {
			return err
		}
		for _, key := range []string{"Home", "ArrowRight", "Control+ArrowRight", "Control+Home", "Control+End", "Shift+End", "End", "ArrowUp", "ArrowDown"} {
			if err := p.Press(ctx, key); err != nil {
				return err
			}
		}
		if err := p.Type(ctx, " der"); err != nil {
			return err
		}
		if err := p.Press(ctx, "Control+ArrowLeft"); err != nil {
			return err
		}
		return p.Press(ctx, "Control+Home")
	})
	for _, step := range a.Steps {
		if step.Tool == "keypress" {
			t.Errorf("the key %s became a step", step.Key)
		}
	}
	if last := a.Steps[len(a.Steps)-1]; last.Tool != "typeInput" || !strings.Contains(string(last.Value.Value), "Linz an der") {
		t.Errorf("the last step is %+v", last)
	}
}

func TestAPressIsHeldOnlyByThePerson(t *testing.T) {
	t.Parallel()
	const html = `<button id=b style="position:fixed;left:0;top:0" onpointerdown="for (const end = performance.now() + 900; performance.now() < end;);">Go on</button><button id=c style="position:fixed;left:0;top:90px">Hold</button>`
	a := recordHere(t, html, func(ctx context.Context, p *simuser.User, at *browser.Page) error {
		for _, kind := range []string{"mousePressed", "mouseReleased"} { // each when the page is done with the one before
			event := map[string]any{"type": kind, "x": 20, "y": 20, "button": "left", "clickCount": 1}
			if _, err := at.Target().Send("Input.dispatchMouseEvent", event).Wait(ctx); err != nil {
				return err
			}
		}
		return p.Hold(ctx, "#c", 900*time.Millisecond)
	})
	var held []bool
	for _, step := range a.Steps {
		if step.Tool == "click" {
			held = append(held, step.Hold > 0)
		}
	}
	if !slices.Equal(held, []bool{false, true}) {
		t.Errorf("held are %v, want the second alone", held)
	}
}

// A server sends who is not signed in on to its sign-in, with the way back in the query.
func TestTheAddressThatWasAskedForIsRecorded(t *testing.T) {
	t.Parallel()
	site := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if !strings.HasPrefix(r.URL.Path, "/signin") {
			http.Redirect(w, r, "/signin?back="+url.QueryEscape(r.URL.Path)+"&token=a1b2c3d4e5f6a7b8", http.StatusFound)
			return
		}
		w.Header().Set("Content-Type", "text/html")
		_, _ = io.WriteString(w, `<button id=b onclick="this.textContent = 'pressed'">Go</button>`)
	}))
	t.Cleanup(site.Close)
	for asked, want := range map[string]string{"/orders/": "/orders/", "/reset/a1b2c3d4e5f6a7b8c9d0": "/signin"} {
		a := recordHere(t, "", func(ctx context.Context, p *simuser.User, at *browser.Page) error {
			if err := at.Navigate(ctx, site.URL+asked); err != nil {
				return err
			}
			return p.Click(ctx, "#b")
		})
		if a.Steps[0].Tool != "navigate" || a.Steps[0].URL != site.URL+want {
			t.Errorf("asked for %s, and recorded is %+v", asked, a.Steps[0])
		}
		if !a.Match.MatchURL(site.URL + want) {
			t.Errorf("asked for %s, it is found by %v", asked, a.Match.URLs)
		}
	}
}

// Many sign-ins name their password a new one, so that password managers leave it alone; the vault has it as the password.
func TestThePasswordOfASignInIsNoNewOne(t *testing.T) {
	t.Parallel()
	for label, want := range map[string]string{"Password": "password", "New password": "new_password"} {
		t.Run(label, func(t *testing.T) {
			t.Parallel()
			a := recordHere(t, `<label>`+label+` <input id=f type=password autocomplete=new-password></label>`, func(ctx context.Context, p *simuser.User, at *browser.Page) error {
				return p.Fill(ctx, "#f", "some-thing")
			})
			if i := slices.IndexFunc(a.Steps, func(s automation.Step) bool { return s.Value != nil }); i < 0 || a.Steps[i].Value.Name != want {
				t.Errorf("its variable is not %q: %+v", want, a.Steps)
			}
		})
	}
}

func TestAFieldIsNamedForWhatItIs(t *testing.T) {
	t.Parallel()
	for label, want := range map[string]string{
		"Tag name": "", "Instance identifier": "", "API key label": "", "Full name": "name", "Name *": "name", "Your name": "name", "Identifier": "username",
		"API key": "secret", "User name": "username", "Access token": "secret",
	} {
		t.Run(label, func(t *testing.T) {
			t.Parallel()
			a := recordHere(t, `<label>`+label+` <input id=f></label>`, func(ctx context.Context, p *simuser.User, at *browser.Page) error {
				return p.Fill(ctx, "#f", "some-thing")
			})
			got := ""
			for _, step := range a.Steps {
				if step.Value != nil {
					got = step.Value.Name
				}
			}
			if got != want {
				t.Errorf("its variable is %q, want %q", got, want)
			}
		})
	}
}
