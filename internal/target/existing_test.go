package target_test

import (
	"errors"
	"testing"

	"github.com/go-reprise/reprise/internal/cdp"
	"github.com/go-reprise/reprise/internal/target"
)

// These tests connect a second time, and run before the parallel ones: each
// connection holds every new page until it has let it go.

func TestAPageThatWasOpenBeforeIsTakenIntoUseWithAllItsFrames(t *testing.T) {
	here, there := site(t, map[string]any{
		"/":     `<iframe src=/same></iframe><iframe src=THERE/far></iframe>`,
		"/same": `<iframe src=THERE/nested></iframe>`, "/nested": `nested`,
		"/far": `<iframe src=/within></iframe>`, "/within": `<iframe src=HERE/home></iframe>`, "/home": `home`,
	})
	p := open(t, here)
	parents := map[string]string{"/same": here + "/", "/nested": "/same", "/far": here + "/", "/within": "/far", "/home": "/within"}
	for end := range parents {
		document(t, frameAt(t, p, end))
	}
	second := another(t)
	page := pageOf(t, second, p.ID())
	if got := page.URL(); got != here+"/" {
		t.Errorf("it is at %s", got)
	}
	heard := watch(t, page)
	if err := page.Record(within(t), &target.Recording{Key: "key"}); err != nil {
		t.Fatal(err)
	}
	for end, parent := range parents {
		f := frameAt(t, page, end)
		if got, want := f.Parent(), frameAt(t, page, parent); got != want {
			t.Errorf("%s is in %s, want %s", end, got.URL(), want.URL())
		}
		document(t, f)
	}
	if err := second.Wait(within(t), func() (bool, error) { return heard.heardOf("hello") == len(parents)+1, nil }); err != nil {
		t.Errorf("%d documents are recorded, want %d", heard.heardOf("hello"), len(parents)+1)
	}
	if len(heard.navigations()) > 0 {
		t.Errorf("told of navigations that were before: %v", heard.navigations())
	}
	if err := page.Navigate(within(t), there); err != nil {
		t.Error(err)
	}
}

func TestPagesThatNoOneAskedForAreLeftAlone(t *testing.T) {
	here, there := site(t, map[string]any{"/": `<a id=a target=_blank href=/popped>a</a>`, "/popped": `popped`, "/next": `next`})
	p, other := open(t, here), open(t, here)
	for _, page := range []*target.Page{p, other} {
		page.SetDialogs(func(target.Dialog) (bool, string, bool) { return false, "", false }) // a person's
	}
	second := another(t)
	page := pageOf(t, second, p.ID())
	heard := watch(t, page)
	if err := page.Navigate(within(t), here+"/next"); err != nil {
		t.Fatal(err)
	}
	if err := other.Navigate(within(t), there+"/next"); err != nil {
		t.Fatal(err)
	}
	ctx := within(t)
	for pageOf(t, second, other.ID()).URL() != there+"/next" { // Chrome tells a moment later
		if ctx.Err() != nil {
			t.Fatalf("the other page is said to be at %s", pageOf(t, second, other.ID()).URL())
		}
	}
	told := watch(t, other)
	eval[any](t, other, `void open("/popped"), setTimeout(() => document.title = String(confirm("?")))`)
	if err := p.Tree().Wait(within(t), func() (bool, error) { return len(told.dialogs) == 1, nil }); err != nil {
		t.Fatal(err)
	}
	if _, err := other.Send("Page.handleJavaScriptDialog", m{"accept": true}).Wait(within(t)); err != nil {
		t.Errorf("the dialog of another page was answered: %v", err)
	}
	if _, err := other.WaitPopup(within(t), 0); err != nil {
		t.Fatal(err)
	}
	if len(heard.popups())+len(page.Popups()) > 0 {
		t.Error("another page's popup was claimed")
	}
}

func TestAPageThatHadCrashedBeforeCanBeNavigated(t *testing.T) {
	here, _ := site(t, map[string]any{"/": ``})
	p := open(t, here)
	p.Send("Page.crash", nil)
	if err := p.Tree().Wait(within(t), func() (bool, error) { return target.Crashed(p), nil }); err != nil {
		t.Fatal(err)
	}
	page := pageOf(t, another(t), p.ID())
	if err := page.Navigate(within(t), here); err != nil {
		t.Fatal(err)
	}
	document(t, page.Main())
}

func TestAConnectionThatEndsEndsWhatWaits(t *testing.T) {
	here, _ := site(t, map[string]any{"/": ``})
	p := open(t, here)
	second := another(t)
	page := pageOf(t, second, p.ID())
	page.Use()
	waiting := make(chan error)
	go func() { waiting <- page.Main().WaitAt(within(t), endsIn("/never")) }()
	document(t, page.Main())
	if err := second.Client().Close(); err != nil {
		t.Fatal(err)
	}
	<-page.Done()
	for _, err := range []error{<-waiting, page.Err(), page.Main().Call(within(t), nil, "flush"), page.Navigate(within(t), here), page.Close(within(t))} {
		if !errors.Is(err, cdp.ErrClosed) {
			t.Errorf("got %v, want the end of the connection", err)
		}
	}
	if _, err := second.Pages(within(t)); !errors.Is(err, cdp.ErrClosed) {
		t.Errorf("Pages: %v", err)
	}
	document(t, p.Main()) // the page goes on
}

func pageOf(t *testing.T, tr *target.Tree, id string) *target.Page {
	t.Helper()
	var page *target.Page
	for page == nil { // it is attached a moment after the connection
		pages, err := tr.Pages(within(t))
		if err != nil {
			t.Fatal(err)
		}
		for _, p := range pages {
			if p.ID() == id {
				page = p
			}
		}
	}
	return page
}
