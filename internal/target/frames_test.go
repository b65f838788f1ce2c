package target_test

import (
	"errors"
	"fmt"
	"maps"
	"slices"
	"testing"

	"github.com/go-reprise/reprise/internal/cdp"
	"github.com/go-reprise/reprise/internal/target"
)

func TestEveryKindOfFrameIsKnownAndAnswers(t *testing.T) {
	t.Parallel()
	here, _ := site(t, map[string]any{
		"/": `<iframe src=/same></iframe><iframe src=THERE/cross></iframe><iframe srcdoc="<p>srcdoc"></iframe>
			<iframe name=blank></iframe><iframe sandbox src=/sandboxed></iframe><iframe src="data:text/html,data"></iframe>`,
		"/same":      `<iframe src=/inner></iframe>`,
		"/inner":     `<iframe src=THERE/innermost></iframe>`,
		"/innermost": `inmost`,
		"/cross":     `<iframe src=HERE/back></iframe><iframe src=/sibling></iframe>`,
		"/back":      `back home`,
		"/sibling":   `sibling`,
		"/sandboxed": `no scripts here`,
	})
	p := open(t, here)
	parents := map[string]string{
		"/same": here + "/", "/inner": here + "/same", "/innermost": here + "/inner",
		"/cross": here + "/", "/back": "/cross", "/sibling": "/cross",
		"about:srcdoc": here + "/", "about:blank": here + "/", "/sandboxed": here + "/", "data:text/html,data": here + "/",
	}
	documents := map[string]string{}
	for end, parent := range parents {
		f := frameAt(t, p, end)
		if got := f.Parent(); got == nil || got != frameAt(t, p, parent) {
			t.Errorf("%s is in %v, want %s", end, got.URL(), parent)
		}
		doc := document(t, f)
		if other := documents[doc]; other != "" {
			t.Errorf("%s and %s answer as one document", end, other)
		}
		documents[doc] = end
	}
	if got := len(p.Frames()); got != len(parents)+1 {
		t.Errorf("%d frames, want %d", got, len(parents)+1)
	}
	if main := p.Frames()[0]; main != p.Main() || main.Parent() != nil {
		t.Error("the first frame is not the main one")
	}
}

// The end of such a document is told to the frame's own process, if anyone hears of it.
func TestTheDocumentOfAFrameElsewhereIsNotWaitedFor(t *testing.T) {
	t.Parallel()
	here, there := site(t, map[string]any{"/": `<button>Press</button>`, "/far": `far`})
	p := open(t, here)
	traffic, err := p.WatchTraffic(within(t))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(traffic.Stop)
	eval[any](t, p, fmt.Sprintf("void(document.body.append(Object.assign(document.createElement('iframe'), {src: %q})))", there+"/far"))
	document(t, frameAt(t, p, "/far"))
	if asked := traffic.Requests(0); !slices.ContainsFunc(asked, func(e target.Exchange) bool { return e.Type == "Document" }) {
		t.Fatalf("the frame's document was not asked for: %+v", asked)
	}
	if target.AwaitsScripts(traffic) {
		t.Error("a page is waited for whose frame alone is on its way")
	}
}

func TestAFrameMovesBetweenProcesses(t *testing.T) {
	t.Parallel()
	here, there := site(t, map[string]any{
		"/":  `<iframe id=f src=/a></iframe>`,
		"/a": `a<iframe src=/child></iframe>`, "/b": `b<iframe src=/child></iframe>`, "/child": `child`,
	})
	p := open(t, here)
	f := frameAt(t, p, "/a")
	seen := map[string]bool{}
	for i, to := range []string{there + "/b", here + "/a", there + "/a", there + "/b", here + "/b"} {
		mark := f.Mark()
		eval[any](t, p, fmt.Sprintf("void(document.getElementById('f').src = %q)", to))
		if _, err := f.WaitURL(within(t), mark, func(url string) bool { return url == to }); err != nil {
			t.Fatalf("move %d to %s: %v", i, to, err)
		}
		doc := document(t, f)
		if seen[doc] || f.URL() != to || f.Gone() {
			t.Errorf("move %d: document %s (seen: %v) at %s, want a new one at %s", i, doc, seen[doc], f.URL(), to)
		}
		seen[doc] = true
		child := frameAt(t, p, "/child")
		if document(t, child); child.Parent() != f {
			t.Errorf("move %d: the child is not in the frame", i)
		}
	}
	eval[any](t, p, "document.getElementById('f').remove()")
	if err := p.Tree().Wait(within(t), func() (bool, error) { return len(target.FramesOf(p)) == 1, nil }); err != nil {
		t.Errorf("the removed frame is still there: %v", err)
	}
	if err := f.Call(within(t), nil, "flush"); !errors.Is(err, target.ErrNavigated) || !f.Gone() {
		t.Errorf("a removed frame says %v", err)
	}
	remembers(t, p, target.Counts{Pages: 1, Sessions: 1, Worlds: 0, Frames: 1})
}

func TestADocumentThatIsRewrittenStillAnswers(t *testing.T) {
	t.Parallel()
	here, _ := site(t, map[string]any{"/": `<iframe id=f src=/a></iframe>`, "/a": `a`})
	p := open(t, here)
	f := frameAt(t, p, "/a")
	before := document(t, p.Main())
	document(t, f)
	eval[any](t, p, `document.getElementById('f').contentDocument.open(), document.getElementById('f').contentDocument.write('new'), document.getElementById('f').contentDocument.close()`)
	document(t, f)
	eval[any](t, p, `document.open(), document.write('<p id=new>new'), document.close()`)
	if after := document(t, p.Main()); after != before {
		t.Errorf("document.open made another document of it: %s, %s", before, after)
	}
	if err := p.Tree().Wait(within(t), func() (bool, error) { return len(target.FramesOf(p)) == 1, nil }); err != nil {
		t.Errorf("a frame of the old document is still there: %v", err)
	}
}

func TestAPageComesBackFromTheCacheWithItsFrames(t *testing.T) {
	t.Parallel()
	here, there := site(t, map[string]any{
		"/":     `<iframe src=/child></iframe><iframe src=THERE/far></iframe>`,
		"/next": `next`, "/child": `child`, "/far": `<iframe src=/farther></iframe>`, "/farther": `farther`,
	})
	p := open(t, here)
	frames := []string{"/child", "/far", "/farther"}
	documents := map[string]string{"": document(t, p.Main())}
	for _, end := range frames {
		documents[end] = document(t, frameAt(t, p, end))
	}
	heard := watch(t, p)
	if err := p.Navigate(within(t), there+"/next"); err != nil {
		t.Fatal(err)
	}
	document(t, p.Main())
	mark := p.Main().Mark()
	back(t, p, here+"/")
	if _, err := p.Main().WaitURL(within(t), mark, func(url string) bool { return url == here+"/" }); err != nil {
		t.Fatal(err)
	}
	restored := false
	for _, n := range heard.navigations() {
		restored = restored || n.Restored
	}
	if !restored {
		t.Fatal("this browser did not restore the page: nothing is tested")
	}
	if doc := document(t, p.Main()); doc != documents[""] {
		t.Errorf("the main document is %s, was %s", doc, documents[""])
	}
	for _, end := range frames {
		if doc := document(t, frameAt(t, p, end)); doc != documents[end] {
			t.Errorf("%s is document %s, was %s", end, doc, documents[end])
		}
	}
}

func TestACrashedPageSaysSoAtOnceAndRecovers(t *testing.T) {
	t.Parallel()
	here, _ := site(t, map[string]any{"/": `<iframe src=/child></iframe>`, "/child": ``, "/next": `next`})
	p := open(t, here)
	f := p.Main()
	document(t, f)
	pending := p.Send("Runtime.evaluate", m{"expression": "new Promise(() => 0)", "awaitPromise": true})
	go func() { _ = p.Navigate(t.Context(), "chrome://crash") }()
	if _, err := pending.Wait(within(t)); !errors.Is(err, cdp.ErrCrashed) {
		t.Errorf("a call in flight: %v, want ErrCrashed", err)
	}
	if err := p.Err(); !errors.Is(err, cdp.ErrCrashed) {
		t.Errorf("Err: %v", err)
	}
	if err := f.Call(within(t), nil, "flush"); !errors.Is(err, cdp.ErrCrashed) {
		t.Errorf("Call: %v, want ErrCrashed", err)
	}
	if _, err := f.WaitURL(within(t), f.Mark(), func(string) bool { return false }); !errors.Is(err, cdp.ErrCrashed) {
		t.Errorf("WaitURL: %v, want ErrCrashed", err)
	}
	for range 3 {
		if err := p.Navigate(within(t), here+"/next"); err != nil {
			t.Fatal(err)
		}
	}
	document(t, f)
	if got := len(p.Frames()); got != 1 || p.Err() != nil {
		t.Errorf("after it was navigated: %d frames, %v", got, p.Err())
	}
}

func TestAFrameWithoutAnAddressBelongsToWhoMadeIt(t *testing.T) {
	t.Parallel()
	here, there := site(t, map[string]any{
		"/": `<iframe srcdoc="<iframe></iframe>"></iframe><iframe src=THERE/far></iframe>
			<iframe src="THERE/turns"></iframe><iframe sandbox srcdoc=stranger></iframe>`,
		"/far":   `<iframe srcdoc=theirs></iframe>`,
		"/turns": `<script>location = "about:blank"</script>`, // it stays theirs, though it is in a page of ours
	})
	p := open(t, here)
	turned := frameAt(t, p, "/turns")
	if err := turned.WaitAt(within(t), endsIn("about:blank")); err != nil {
		t.Fatal(err)
	}
	if got := turned.Address(); got != "about:blank" {
		t.Errorf("a frame of another site that went to about:blank is said to be %s", got)
	}
	far := frameAt(t, p, "/far")
	want := map[string]int{here + "/": 2, there + "/far": 1, "about:srcdoc": 1}
	got := map[string]int{}
	err := p.Tree().Wait(within(t), func() (bool, error) {
		frames := target.FramesOf(p)
		isNew := func(f *target.Frame) bool { return target.URLOf(f) == "" }
		return len(frames) == 7 && !slices.ContainsFunc(frames, isNew), nil
	})
	if err != nil {
		t.Fatalf("%d frames: %v", len(p.Frames()), err)
	}
	for _, f := range p.Frames() {
		if f != p.Main() && f != turned && f != far {
			got[f.Address()]++
		}
	}
	if !maps.Equal(got, want) {
		t.Errorf("the frames without an address belong to %v, want %v", got, want)
	}
}
