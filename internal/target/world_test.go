package target_test

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/go-reprise/reprise/internal/browsertest"
	"github.com/go-reprise/reprise/internal/target"
)

func TestACallNeverRunsInAnotherDocument(t *testing.T) {
	t.Parallel()
	here, there := site(t, map[string]any{"/": ``, "/next": ``})
	for name, load := range map[string]bool{"script there": true, "script not there": false} {
		for to, url := range map[string]string{"same site": here + "/next", "other site": there + "/next"} {
			t.Run(name+", "+to, func(t *testing.T) {
				t.Parallel()
				p := open(t, here)
				f := p.Main()
				if load {
					document(t, f)
				}
				world, err := target.Enter(within(t), f)
				if err != nil {
					t.Fatal(err)
				}
				if err := p.Navigate(within(t), url); err != nil {
					t.Fatal(err)
				}
				before := document(t, f)
				// As if it had been sent a moment ago and had arrived only now, at a
				// document whose worlds happen to have the same numbers.
				for number := range 20 {
					err := world.CallAs(within(t), number, "record", "stray")
					if !target.IsLeft(err) {
						t.Fatalf("context %d: %v, want ErrNavigated", number, err)
					}
				}
				if got := eval[string](t, p, `Object.getOwnPropertyNames(globalThis).filter(n => /reprise/i.test(n)).join()`); got != "" {
					t.Errorf("it has left %s in the page", got)
				}
				var said struct {
					Doc string
					Seq int
				}
				for said.Doc == "" {
					if err := f.Call(within(t), &said, "flush"); err != nil && !target.IsLeft(err) {
						t.Fatal(err)
					}
				}
				if said.Doc != before || said.Seq != 0 {
					t.Errorf("the next document was called: %+v", said)
				}
			})
		}
	}
}

// As if the number were that of a world of ours, and had become one of the page's own
// on the way.
func TestTheScriptIsPutIntoNoWorldOfThePage(t *testing.T) {
	t.Parallel()
	here, _ := site(t, map[string]any{"/": `<iframe src=/in></iframe>`, "/in": `in`})
	p := open(t, here)
	refused := 0
	for number := range 20 {
		world, err := target.Enter(within(t), p.Main())
		if err != nil {
			t.Fatal(err)
		}
		if err := world.CallAs(within(t), number, "flush"); target.IsLeft(err) {
			refused++
		} else if err != nil {
			t.Fatal(err)
		}
	}
	if refused == 0 {
		t.Error("no number was one of another world")
	}
	const names = `[globalThis, frames[0]].flatMap(w => Object.getOwnPropertyNames(w)).filter(n => /reprise/i.test(n)).join()`
	if got := eval[string](t, p, names); got != "" {
		t.Errorf("it has left %s in the page", got)
	}
}

func TestACallForADocumentThatWasLeftIsNotMade(t *testing.T) {
	t.Parallel()
	here, _ := site(t, map[string]any{"/": ``, "/next": ``})
	p := open(t, here)
	mark := p.Main().Mark()
	if err := p.Main().CallAt(within(t), mark, nil, "flush"); err != nil {
		t.Errorf("for the document that is there: %v", err)
	}
	if err := p.Navigate(within(t), here+"/next"); err != nil {
		t.Fatal(err)
	}
	if err := p.Main().CallAt(within(t), mark, nil, "flush"); !errors.Is(err, target.ErrNavigated) {
		t.Errorf("for one that was left: %v, want ErrNavigated", err)
	}
	document(t, p.Main())
}

func TestACallInFlightEndsWithItsDocument(t *testing.T) {
	t.Parallel()
	here, there := site(t, map[string]any{
		"/": `<iframe id=f src=/child></iframe>`, "/far": `<iframe id=f src=THERE/child></iframe>`, "/child": `child`, "/next": `next`,
	})
	// It waits in vain for an element.
	wait := map[string]any{"paths": [][]string{{"#never"}}, "use": "see", "timeout": patience.Milliseconds()}
	tests := map[string]struct{ start, frame, leave string }{
		"the page":               {"/", "/", `location = "/next"`},
		"the page, other site":   {"/", "/", fmt.Sprintf(`location = %q`, there+"/next")},
		"a frame":                {"/", "/child", `f.src = "/next"`},
		"a frame, other site":    {"/", "/child", fmt.Sprintf(`f.src = %q`, there+"/next")},
		"a frame, and back":      {"/far", "/child", `f.src = "/next"`},
		"a far frame":            {"/far", "/child", fmt.Sprintf(`f.src = %q`, there+"/next")},
		"a frame is removed":     {"/", "/child", `f.remove()`},
		"a far frame is removed": {"/far", "/child", `f.remove()`},
		"the page of a frame":    {"/far", "/child", fmt.Sprintf(`location = %q`, there+"/next")},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			p := open(t, here+test.start)
			f := frameAt(t, p, test.frame)
			document(t, f)
			waiting := make(chan error)
			go func() { waiting <- f.Call(within(t), nil, "act", wait) }()
			document(t, f) // the call was sent before this one
			eval[any](t, p, "{"+test.leave+"}")
			if err := <-waiting; !target.IsLeft(err) {
				t.Errorf("got %v, want ErrNavigated", err)
			}
			if !strings.Contains(test.leave, "remove") && test.frame == "/" {
				document(t, f)
			}
		})
	}
}

func TestAClosedPageEndsWhatWaitsInIt(t *testing.T) {
	t.Parallel()
	here, _ := site(t, map[string]any{"/": ``})
	p := open(t, here)
	document(t, p.Main())
	wait := map[string]any{"paths": [][]string{{"#never"}}, "use": "see", "timeout": patience.Milliseconds()}
	waiting := make(chan error, 2)
	go func() { waiting <- p.Main().Call(within(t), nil, "act", wait) }()
	go func() {
		_, err := p.WaitPopup(within(t), 0)
		waiting <- err
	}()
	document(t, p.Main())
	if err := p.Close(within(t)); err != nil {
		t.Fatal(err)
	}
	for range 2 {
		if err := <-waiting; !errors.Is(err, target.ErrClosed) {
			t.Errorf("got %v, want ErrClosed", err)
		}
	}
}

// hostile breaks what a script in the page's own world would need.
const hostile = `<script>
	window.touched = ""
	const { defineProperty, getOwnPropertyNames } = Object
	const breakIt = (o, name) => {
		try { defineProperty(o, name, { get() { touched += name + " "; throw new Error("hostile " + name) }, set() {} }) } catch {}
	}
	const all = [JSON, Array.prototype, String.prototype, Promise, Promise.prototype, Map.prototype, WeakMap.prototype, Reflect, crypto,
		console, Function.prototype, Event.prototype, MouseEvent.prototype, Node.prototype, Element.prototype, HTMLElement.prototype,
		Document.prototype, EventTarget.prototype, MutationObserver.prototype, Object]
	for (let i = 0; i < all.length; i++) {
		const names = getOwnPropertyNames(all[i])
		for (let j = 0; j < names.length; j++) if (names[j] !== "constructor") breakIt(all[i], names[j])
	}
	const names = ["MutationObserver", "WeakMap", "Map", "JSON", "Array", "Promise", "requestAnimationFrame", "setTimeout",
		"addEventListener", "getComputedStyle", "crypto", "__reprise", "__repriseSend"]
	for (let i = 0; i < names.length; i++) breakIt(window, names[i])
	window.broken = true
</script><button>Go</button>`

func TestAPageCannotBreakOrSeeTheScript(t *testing.T) {
	t.Parallel()
	strict := func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Security-Policy", "default-src 'none'; script-src 'none'; sandbox; require-trusted-types-for 'script'; trusted-types 'none'")
		w.Header().Set("Content-Type", "text/html")
		_, _ = fmt.Fprint(w, "<button>Go</button>")
	}
	here, _ := site(t, map[string]any{"/hostile": hostile, "/strict": strict, "/none": `<button>Go</button>`})
	find := map[string]any{"paths": [][]string{{"button"}}, "use": "click", "timeout": patience.Milliseconds()}
	for _, path := range []string{"/hostile", "/strict", "/none"} {
		t.Run(path, func(t *testing.T) {
			t.Parallel()
			p := open(t, "")
			heard := watch(t, p)
			if err := p.Record(within(t), &target.Recording{Key: "key"}); err != nil {
				t.Fatal(err)
			}
			if err := p.Navigate(within(t), here+path); err != nil {
				t.Fatal(err)
			}
			if err := p.Loaded(within(t)); err != nil { // without scripts no timer runs by which a look could wait
				t.Fatal(err)
			}
			var found struct {
				OK   bool
				X, Y float64
				Why  string
			}
			browsertest.Until(t, "the button to be found", func() bool { // once the page is drawn: the look of one without scripts does not wait
				ctx, cancel := context.WithTimeout(within(t), time.Second)
				defer cancel()
				return p.Main().Call(ctx, &found, "act", find) == nil && found.OK
			})
			mouse := func(kind string) {
				if _, err := p.Send("Input.dispatchMouseEvent", m{"type": kind, "x": found.X, "y": found.Y, "button": "left", "clickCount": 1}).Wait(within(t)); err != nil {
					t.Fatal(err)
				}
				document(t, p.Main()) // what the page has to tell of it has come
			}
			until(t, "the button to go down", func() bool { mouse("mousePressed"); return heard.heardOf("down") > 0 })
			mouse("mouseReleased")
			err := p.Tree().Wait(within(t), func() (bool, error) { return heard.heardOf("click") > 0, nil })
			if err != nil {
				t.Errorf("the click was not told: %v", err)
			}
			p.StopRecording(within(t))
			if path != "/strict" {
				if got := eval[string](t, p, `window.touched ?? ""`); got != "" {
					t.Errorf("the page noticed the use of %v", got)
				}
				if got := eval[any](t, p, `window.broken`); (got != nil) != (path == "/hostile") {
					t.Errorf("broken: %v", got)
				}
			}
			shows := `Object.getOwnPropertyNames(globalThis).filter(n => /reprise/i.test(n) && n !== "__reprise" && n !== "__repriseSend").join()`
			if path == "/none" {
				shows = strings.Replace(shows, ` && n !== "__reprise" && n !== "__repriseSend"`, "", 1)
			}
			if path != "/hostile" {
				if got := eval[string](t, p, shows); got != "" {
					t.Errorf("the page sees %s", got)
				}
			}
		})
	}
}

func TestRecordingHearsEveryKindOfFrameAndStops(t *testing.T) {
	t.Parallel()
	here, there := site(t, map[string]any{
		"/":     `<iframe src=/same></iframe><iframe src=THERE/far></iframe><iframe srcdoc=hello></iframe><iframe sandbox src=/sandboxed></iframe>`,
		"/same": `<iframe src=/inner></iframe>`, "/inner": `inner`, "/far": `<iframe src=/farther></iframe>`, "/farther": `farther`, "/sandboxed": `no scripts`,
	})
	p := open(t, here) // frames that are there before
	ends := []string{here + "/", "/same", "/inner", "/far", "/farther", "about:srcdoc", "/sandboxed"}
	for _, end := range ends {
		frameAt(t, p, end)
	}
	heard := watch(t, p)
	if err := p.Record(within(t), &target.Recording{Key: "key"}); err != nil {
		t.Fatal(err)
	}
	greeted := func(what string, want int) {
		t.Helper()
		err := p.Tree().Wait(within(t), func() (bool, error) { return heard.heardOf("hello") == want, nil })
		if err != nil {
			t.Fatalf("%s: %d documents were heard, want %d", what, heard.heardOf("hello"), want)
		}
	}
	greeted("at first", len(ends))
	if err := p.Navigate(within(t), here); err != nil { // and those that come later
		t.Fatal(err)
	}
	greeted("after a reload", 2*len(ends))
	eval[any](t, p, fmt.Sprintf(`void open(%q)`, there+"/farther"))
	greeted("with a popup", 2*len(ends)+1)

	p.StopRecording(within(t))
	if err := p.Navigate(within(t), there); err != nil {
		t.Fatal(err)
	}
	for _, end := range []string{"/same", "/far", "/sandboxed"} {
		if seq := sequence(t, frameAt(t, p, end)); seq != 0 {
			t.Errorf("%s is still recorded", end)
		}
	}
	greeted("after the end", 2*len(ends)+1)
	if err := p.Record(within(t), &target.Recording{Key: "other"}); err != nil {
		t.Fatal(err)
	}
	greeted("once more", 3*len(ends)+1)
}

// sequence is how many events a document has had to tell.
func sequence(t *testing.T, f *target.Frame) int {
	t.Helper()
	for {
		var said struct{ Seq int }
		if err := f.Call(within(t), &said, "flush"); err == nil {
			return said.Seq
		} else if !target.IsLeft(err) {
			t.Fatal(err)
		}
	}
}

func TestNothingIsLostThatHappensJustBeforeADocumentIsLeft(t *testing.T) {
	t.Parallel()
	next := `<body onclick="location.href = location.href.replace(/\?.*/, '') + '?' + Math.random()" style="height:100vh">`
	cross := `<body onclick="location.href = location.hostname === '127.0.0.1' ? 'THERE/cross' : 'HERE/cross'" style="height:100vh">`
	here, _ := site(t, map[string]any{"/same": next, "/cross": cross})
	for _, path := range []string{"/same", "/cross"} {
		t.Run(path, func(t *testing.T) {
			t.Parallel()
			p := open(t, here+path)
			heard := watch(t, p)
			if err := p.Record(within(t), &target.Recording{Key: "key"}); err != nil {
				t.Fatal(err)
			}
			const clicks = 15
			for i := range clicks {
				mark := p.Main().Mark()
				for _, kind := range []string{"mousePressed", "mouseReleased"} {
					p.Send("Input.dispatchMouseEvent", m{"type": kind, "x": 50, "y": 50, "button": "left", "clickCount": 1})
				}
				if _, err := p.Main().WaitURL(within(t), mark, func(string) bool { return true }); err != nil {
					t.Fatalf("click %d: %v", i, err)
				}
				document(t, p.Main())
			}
			if got := heard.heardOf("click"); got != clicks {
				t.Errorf("%d clicks were told of %d", got, clicks)
			}
			documents := map[string]bool{}
			for _, r := range heard.told() {
				documents[r.Doc] = true
			}
			if len(documents) != clicks+1 {
				t.Errorf("%d documents spoke of %d", len(documents), clicks+1)
			}
		})
	}
}

func TestManyCallersOfOnePageShareItsWorld(t *testing.T) {
	t.Parallel()
	here, _ := site(t, map[string]any{"/": `<iframe src=/child></iframe>`, "/child": `child`})
	p := open(t, here)
	f := frameAt(t, p, "/child")
	seen := make(chan string, 40)
	var callers sync.WaitGroup
	for range cap(seen) {
		callers.Go(func() { seen <- document(t, f) })
	}
	callers.Wait()
	close(seen)
	first := <-seen
	for doc := range seen {
		if doc != first {
			t.Fatalf("callers were answered by %s and %s", first, doc)
		}
	}
	remembers(t, p, target.Counts{Pages: 1, Sessions: 1, Worlds: 1, Frames: 2})
}
