package target_test

import (
	"errors"
	"fmt"
	"slices"
	"testing"

	"github.com/go-reprise/reprise/internal/target"
)

// opener is a page with every way to open another. Its elements are large enough
// to be clicked in the middle of the page.
const opener = `<style>a, button, iframe { position: fixed; inset: 0; display: none; opacity: 0 } :target { display: block }</style>
	<a id=blank target=_blank href=/popped>a</a> <a id=related target=_blank rel=opener href=/popped>b</a>
	<a id=cross target=_blank href=THERE/popped>c</a> <a id=plain href=/popped>d</a>
	<form target=_blank action=/popped method=post><button id=form>e</button></form>`

func TestThePageThatOpenedAnotherIsKnown(t *testing.T) {
	t.Parallel()
	here, _ := site(t, map[string]any{
		"/": opener, "/popped": "popped",
		"/framed":  `<iframe src="/asks"></iframe>`,
		"/crossed": `<iframe src="THERE/asks"></iframe>`,
		"/asks":    `<script>open("/popped", "_blank", "noopener")</script>`,
	})
	far := "'" + here[:len("http://")] + "localhost" + here[len("http://127.0.0.1"):] + "/popped'"
	tests := map[string]func(t *testing.T, p *target.Page){
		"open":                 asks(`void open("/popped")`),
		"open of another site": asks(`void open(` + far + `)`),
		"noopener":             asks(`void open("/popped", "_blank", "noopener")`),
		"noopener far":         asks(`void open(` + far + `, "_blank", "noopener")`),
		"noreferrer":           asks(`void open("/popped", "_blank", "noreferrer")`),
		"window with features": asks(`void open("/popped", "name", "width=300,height=200")`),
		"blank, then there":    asks(`w = open(); setTimeout(() => w.location = "/popped")`),
		"link":                 clicks("blank", "left", 0),
		"link with an opener":  clicks("related", "left", 0),
		"link to another site": clicks("cross", "left", 0),
		"form":                 clicks("form", "left", 0),
		"Ctrl and a click":     clicks("plain", "left", 2),
		"Shift and a click":    clicks("plain", "left", 8),
		"the middle button":    clicks("plain", "middle", 0),
		"Ctrl on a blank link": clicks("blank", "left", 2),
		"a frame":              goes(here + "/framed"),
		"another site's frame": goes(here + "/crossed"),
	}
	for name, ask := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			p := open(t, here)
			heard := watch(t, p)
			ask(t, p)
			popup, err := p.WaitPopup(within(t), 0)
			if err != nil {
				t.Fatal(err)
			}
			if popup.Opener() != p || !slices.Equal(heard.popups(), []*target.Page{popup}) {
				t.Errorf("opened by %v; told of %v", popup.Opener(), heard.popups())
			}
			if err := popup.Main().WaitAt(within(t), endsIn("/popped")); err != nil {
				t.Fatal(err)
			}
			document(t, popup.Main())
			notClaimed(t, p)
		})
	}
}

func asks(script string) func(*testing.T, *target.Page) {
	return func(t *testing.T, p *target.Page) { eval[any](t, p, script) }
}

func goes(url string) func(*testing.T, *target.Page) {
	return func(t *testing.T, p *target.Page) {
		if err := p.Navigate(within(t), url); err != nil {
			t.Fatal(err)
		}
	}
}

// clicks shows an element and clicks in the middle of it.
func clicks(id, button string, modifiers int) func(*testing.T, *target.Page) {
	return func(t *testing.T, p *target.Page) {
		mouse := func(kind string) {
			_, err := p.Send("Input.dispatchMouseEvent", m{
				"type": kind, "x": 50, "y": 50, "button": button, "modifiers": modifiers, "clickCount": 1,
			}).Wait(within(t))
			if err != nil {
				t.Fatal(err)
			}
		}
		const shown = "new Promise(done => requestAnimationFrame(() => requestAnimationFrame(() => done())))"
		const note = "onclick = onauxclick = onmousedown = e => { window[e.type] = e.target.id }"
		eval[any](t, p, fmt.Sprintf("location.hash = %q; %s; %s", id, note, shown))
		saw := func(event string) bool {
			return eval[string](t, p, shown+".then(() => window."+event+" ?? '')") == id
		}
		until(t, "the element to be clicked", func() bool { // what is pressed in a page not shown yet is lost, a part of it or all
			mouse("mousePressed")
			if !saw("mousedown") {
				return false
			}
			mouse("mouseReleased")
			return saw("click") || saw("auxclick")
		})
	}
}

// notClaimed checks that a page which others open in the same context is no one's.
func notClaimed(t *testing.T, p *target.Page) {
	t.Helper()
	before := len(p.Popups())
	other, err := p.Tree().Open(within(t), "", &target.OpenOptions{ContextID: p.ContextID()})
	if err != nil {
		t.Fatal(err)
	}
	if other.Opener() != nil || len(p.Popups()) != before {
		t.Errorf("a page of others is claimed as a popup")
	}
}

func TestWhatOpensNoPageClaimsNone(t *testing.T) {
	t.Parallel()
	here, _ := site(t, map[string]any{"/": opener, "/popped": "popped"})
	p := open(t, here)
	eval[any](t, p, `open("/popped", "name", "width=300,height=200"), void open("/popped", "name")`) // one window, asked for twice
	popup, err := p.WaitPopup(within(t), 0)
	if err != nil {
		t.Fatal(err)
	}
	notClaimed(t, p)
	if err := popup.Close(within(t)); err != nil {
		t.Fatal(err)
	}
	notClaimed(t, p)
	if got := len(p.Popups()); got != 1 {
		t.Errorf("%d popups, want 1", got)
	}
}

func TestATabThatIsAskedForInAnotherIsNotClaimed(t *testing.T) {
	t.Parallel()
	here, _ := site(t, map[string]any{"/": opener, "/popped": "popped"})
	p := open(t, here)
	other, err := p.Tree().Open(within(t), here, &target.OpenOptions{ContextID: p.ContextID()})
	if err != nil {
		t.Fatal(err)
	}
	for i := range 4 {
		clicks("plain", "left", 2)(t, other)
		popup, err := other.WaitPopup(within(t), i)
		if err != nil || popup.Opener() != other || len(p.Popups()) > 0 {
			t.Fatalf("tab %d: %v, opened by %v; %d are claimed by another", i, err, popup.Opener(), len(p.Popups()))
		}
	}
}

func TestABlankPopupIsKnownBeforeItGoesAnywhere(t *testing.T) {
	t.Parallel()
	here, _ := site(t, map[string]any{"/": opener})
	p := open(t, here)
	eval[any](t, p, `w = open(), w.document.write("<p>written"), void w.document.close()`)
	popup, err := p.WaitPopup(within(t), 0)
	if err != nil {
		t.Fatal(err)
	}
	if err := popup.Main().Settled(within(t)); err != nil {
		t.Fatal(err)
	}
	document(t, popup.Main())
	if got := eval[string](t, popup, "document.body.innerText"); got != "written" {
		t.Errorf("the popup shows %q", got)
	}
}

func TestAPopupThatItsOpenerClosesIsClosed(t *testing.T) {
	t.Parallel()
	here, _ := site(t, map[string]any{"/": opener, "/popped": "popped"})
	p := open(t, here)
	for i := range 5 {
		eval[any](t, p, `w = open("/popped"), 0`)
		popup, err := p.WaitPopup(within(t), i)
		if err != nil {
			t.Fatal(err)
		}
		eval[any](t, p, `w.close()`)
		if _, err := popup.Main().WaitURL(within(t), target.Mark{}, func(string) bool { return false }); !errors.Is(err, target.ErrClosed) {
			t.Errorf("waiting in it: %v, want ErrClosed", err)
		}
		if err := popup.Main().Call(within(t), nil, "flush"); !errors.Is(err, target.ErrClosed) {
			t.Errorf("calling into it: %v, want ErrClosed", err)
		}
		if err := popup.Close(within(t)); err != nil {
			t.Errorf("closing it again: %v", err)
		}
	}
	remembers(t, p, target.Counts{Pages: 1, Sessions: 1, Frames: 1})
}

func TestAPopupOutlivesItsOpener(t *testing.T) {
	t.Parallel()
	here, _ := site(t, map[string]any{"/": opener, "/popped": "popped"})
	p := open(t, here)
	eval[any](t, p, `void open("/popped")`)
	popup, err := p.WaitPopup(within(t), 0)
	if err != nil {
		t.Fatal(err)
	}
	if err := p.Close(within(t)); err != nil {
		t.Fatal(err)
	}
	document(t, popup.Main())
	if popup.Opener() != p || popup.Err() != nil {
		t.Errorf("opener %v, %v", popup.Opener(), popup.Err())
	}
}
