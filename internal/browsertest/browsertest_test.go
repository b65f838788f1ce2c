package browsertest_test

import (
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"slices"
	"testing"

	"github.com/go-rod/rod"

	"github.com/go-reprise/reprise/browser"
	"github.com/go-reprise/reprise/internal/browsertest"
	"github.com/go-reprise/reprise/internal/target"
)

func TestMain(m *testing.M) {
	if os.Getenv(holdsSlot) != "" {
		holdSlot()
		return
	}
	browsertest.Main(m)
}

func TestTheBrowserIsSharedAndReplacedWhenItIsLost(t *testing.T) {
	first := browsertest.Browser(t)
	if browsertest.Browser(t) != first {
		t.Error("a second test gets another browser")
	}
	if err := first.Close(); err != nil {
		t.Fatal(err)
	}
	if second := browsertest.Browser(t); second == first || second.Err() != nil {
		t.Error("a lost browser is not replaced")
	}
}

func TestAPageIsLeftToTheNextTestWithNothingInIt(t *testing.T) {
	site := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { _, _ = io.WriteString(w, "<h1>Here</h1>") }))
	defer site.Close()
	type found struct {
		Cookie, Local, Session, Name string
		Length                       int
	}
	first := ""
	for _, which := range []string{"first", "second"} {
		t.Run(which, func(t *testing.T) {
			p := browsertest.Page(t, site.URL)
			if first == "" {
				first = p.ID()
			} else if p.ID() != first {
				t.Error("it is not the page that was left")
			}
			var is found
			got, err := p.Rod().Context(browsertest.Context(t)).Eval(`() => {
				const is = { Cookie: document.cookie, Local: localStorage.a ?? "", Session: sessionStorage.a ?? "", Name: name, Length: history.length };
				document.cookie = "a=1; max-age=1000";
				localStorage.a = sessionStorage.a = name = "1";
				history.pushState(null, "", "#there");
				return is;
			}`)
			if err == nil {
				err = got.Value.Unmarshal(&is)
			}
			if want := (found{Length: 1}); err != nil || is != want && is != (found{Length: 2}) {
				t.Errorf("there is %+v in it, %v", is, err)
			}
		})
	}
	for name, use := range map[string]func(p *browser.Page) error{
		"watched": func(p *browser.Page) error { return p.Target().Record(t.Context(), &target.Recording{}) },
		"next to another": func(p *browser.Page) error {
			_, err := p.Rod().Evaluate(rod.Eval(`() => void open("/", "_blank", "noopener")`).ByUser())
			browsertest.Until(t, "another page", func() bool {
				open, err := p.Target().Tree().Pages(t.Context())
				return err != nil || slices.ContainsFunc(open, func(other *target.Page) bool { return other != p.Target() && other.SharesContext(p.Target()) })
			})
			return err
		},
	} {
		t.Run(name, func(t *testing.T) {
			p := browsertest.Page(t, site.URL)
			if err := use(p); err != nil {
				t.Fatal(err)
			}
			first = p.ID()
		})
		t.Run("after "+name, func(t *testing.T) {
			if p := browsertest.Page(t, ""); p.ID() == first {
				t.Errorf("a page is left that is %s", name)
			}
		})
	}
}
