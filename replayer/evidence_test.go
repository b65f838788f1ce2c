package replayer_test

import (
	"errors"
	"testing"
	"time"

	"github.com/go-reprise/reprise/automation"
	"github.com/go-reprise/reprise/internal/browsertest"
	"github.com/go-reprise/reprise/replayer"
	"github.com/go-reprise/reprise/selectors"
)

const (
	twoLinks = `<title>menu</title><h1>Menu</h1><ul><li><a id=news href=#news onclick="told.textContent += 'news '">News</a></li>
		<li><a id=shop class=other href=#shop onclick="told.textContent += 'shop '">Shop</a></li></ul><p id=told></p>`
	newMenu = `<title>menu</title><h1>Menu</h1><nav><button class=a onclick="told.textContent += 'first '">Read all news</button>
		<button class=b onclick="told.textContent += 'second '">Read old news</button></nav><p id=told></p>`
)

// edited records a press of #news and sets its selector, as a user does in the document.
func edited(t *testing.T, url, selector string) *automation.Automation {
	t.Helper()
	recorded := record(t, url, clickOn("#news"))
	data, err := automation.Marshal(recorded)
	if err != nil {
		t.Fatal(err)
	}
	a, err := automation.Parse(data)
	if err != nil {
		t.Fatal(err)
	}
	for i := range a.Steps {
		if a.Steps[i].Tool != "click" {
			continue
		}
		if a.Steps[i].Fingerprint == nil || a.Steps[i].Fingerprint.Of == "" {
			t.Fatalf("what was recorded has no bound evidence: %s", data)
		}
		if a.Steps[i].Selector, err = selectors.ParsePath(selector); err != nil {
			t.Fatal(err)
		}
	}
	return a
}

func TestASelectorThatIsSetByHandWins(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct{ page, selector, want string }{
		"over the recorded element that is still there": {twoLinks, "#shop", "shop "},
		"on a page that has changed":                    {newMenu, "nav > .b", "second "},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			site, release := serveReleases(t, twoLinks, test.page)
			a := edited(t, site, test.selector)
			release()
			tab := browsertest.Page(t, "")
			result, err := replayer.Play(t.Context(), tab, a, &replayer.Options{Timeout: 5 * time.Second})
			if err != nil {
				t.Fatal(err)
			}
			if got := tab.Rod().Context(t.Context()).MustElement("#told").MustText() + " "; got != test.want {
				t.Errorf("pressed %q, want %q: %+v", got, test.want, result.Steps)
			}
		})
	}
}

func TestASelectorThatIsSetByHandIsNotReplacedByOldOnes(t *testing.T) {
	t.Parallel()
	site := serve(t, twoLinks).URL
	for selector, code := range map[string]replayer.Code{"#nothing": replayer.NotFound, "li > a": replayer.Ambiguous} {
		_, err := replayer.Play(t.Context(), browsertest.Page(t, ""), edited(t, site, selector), &replayer.Options{Timeout: 2 * time.Second})
		var failed *replayer.Error
		if !errors.As(err, &failed) || failed.Code != code {
			t.Errorf("%s: %v, want %s", selector, err, code)
		}
	}
}
