package recorder_test

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/go-reprise/reprise/automation"
	"github.com/go-reprise/reprise/internal/browsertest"
	"github.com/go-reprise/reprise/internal/cdp"
	"github.com/go-reprise/reprise/internal/simuser"
	"github.com/go-reprise/reprise/recorder"
)

// instants are pages where the first thing that is done ends the document.
// Steps are told as tool and address or selector.
var instants = map[string]struct {
	page string
	act  func(ctx context.Context, p *simuser.User) error
	want []string // after the navigation that everything begins with
}{
	"a form that is sent": {
		`<form method=post action=/next><button id=p>Go</button></form>`, pressing("#p"), []string{"click Go", "waitForNav"},
	},
	"a script that goes elsewhere": {
		`<button id=p onclick="location = '/next'">Go</button>`, pressing("#p"), []string{"click Go", "waitForNav"},
	},
	"another site": {
		`<button id=p onclick="location = 'THERE/next'">Go</button>`, pressing("#p"), []string{"click Go", "waitForNav"},
	},
	"a form that a script sends on the press": {
		`<form method=post action=/next></form><button id=p onpointerdown="document.forms[0].submit()">Go</button>`, pressing("#p"), []string{"click Go", "waitForNav"},
	},
	"Enter after a text": {
		`<form action=/next><input id=p name=q aria-label=Search></form>`,
		func(ctx context.Context, p *simuser.User) error {
			return errors.Join(p.Fill(ctx, "#p", "x\n"), p.See(ctx, "/next"))
		}, []string{"typeInput Search", "keypress Search Enter", "waitForNav"},
	},
	"a frame that leads the page elsewhere": {
		`<iframe id=f srcdoc="<form method=post action=/next target=_top><button id=p>Go</button></form>"></iframe>`, pressing("#f >>> #p"), []string{"click Go", "waitForNav"},
	},
	"a tab that closes itself": {
		`<button id=p onclick="window.open('/tab')">Open</button>`,
		func(ctx context.Context, p *simuser.User) error {
			if err := p.Click(ctx, "#p"); err != nil {
				return err
			}
			tab, err := p.NewTab(ctx)
			if err != nil {
				return err
			}
			if err := tab.Click(ctx, "#c"); err != nil && !errors.Is(err, cdp.ErrSessionGone) {
				return err // the press is not answered where the tab is gone
			}
			return nil
		}, []string{"click Open", "click Close"},
	},
	"a document that comes back from the cache": {
		`<button id=p onclick="location = 'THERE/back'">Go</button><button id=q onclick="location = '/next'">On</button>`,
		func(ctx context.Context, p *simuser.User) error {
			return errors.Join(p.Click(ctx, "#p"), p.See(ctx, "/back"), p.Click(ctx, "#b"), p.See(ctx, "/start"), p.Click(ctx, "#q"), p.See(ctx, "/next"))
		}, []string{"click Go", "waitForNav", "click Back", "navigate", "click On", "waitForNav"},
	},
}

func pressing(path string) func(context.Context, *simuser.User) error {
	return func(ctx context.Context, p *simuser.User) error {
		return errors.Join(p.Click(ctx, path), p.See(ctx, "/next"))
	}
}

// A few of each, side by side: how soon a document can be heard depends on how
// busy the machine is.
func TestWhatEndsADocumentAtOnceIsRecorded(t *testing.T) {
	t.Parallel()
	const each = 4
	for name, instant := range instants {
		site := startInstant(t, instant.page)
		for i := range each {
			t.Run(fmt.Sprint(name, " ", i), func(t *testing.T) {
				t.Parallel()
				ctx, cancel := context.WithTimeout(t.Context(), 100*time.Second)
				defer cancel()
				tab := browsertest.Page(t, "")
				r, err := recorder.Start(ctx, tab, &recorder.Options{Name: "instant"})
				if err != nil {
					t.Fatal(err)
				}
				if err := errors.Join(tab.Navigate(ctx, site+"/start"), instant.act(ctx, simuser.At(tab.Target()))); err != nil {
					t.Fatal(err)
				}
				a, integrity, err := r.Stop(ctx)
				if len(integrity.Unwatched) > 0 && strings.Contains(name, "frame") {
					return // the element of the frame was gone before it was described: that is said
				}
				if err != nil {
					t.Fatal(err)
				}
				if got := told(a.Steps); !slices.Equal(got, append([]string{"navigate"}, instant.want...)) {
					t.Errorf("recorded %q", got)
				}
			})
		}
	}
}

// startInstant serves a page at /start, and answers the rest as fast as can be.
func startInstant(t *testing.T, page string) string {
	t.Helper()
	var there string
	site := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "text/html; charset=utf-8")
		switch r.URL.Path {
		case "/start":
			fmt.Fprint(w, "<!doctype html>", strings.ReplaceAll(page, "THERE", there))
		case "/tab":
			fmt.Fprint(w, `<!doctype html><button id=c onclick="window.close()">Close</button>`)
		case "/back":
			fmt.Fprint(w, `<!doctype html><button id=b onclick="history.back()">Back</button>`)
		default:
			fmt.Fprint(w, "next")
		}
	}))
	t.Cleanup(site.Close)
	there = strings.Replace(site.URL, "127.0.0.1", "localhost", 1)
	return site.URL
}

func told(steps []automation.Step) []string {
	var all []string
	for _, s := range steps {
		line := s.Tool
		if first := s.Selector.String(); first != "" {
			name, _, _ := strings.Cut(strings.TrimPrefix(first, "aria/"), "[")
			line += " " + name
		}
		if s.Key != "" {
			line += " " + s.Key
		}
		all = append(all, line)
	}
	return all
}
