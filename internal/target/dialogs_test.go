package target_test

import (
	"fmt"
	"slices"
	"testing"

	"github.com/go-reprise/reprise/internal/target"
)

func TestDialogsAreAnsweredAndTold(t *testing.T) {
	t.Parallel()
	here, there := site(t, map[string]any{
		"/": `<iframe src=THERE/far></iframe>`, "/next": `next`,
		"/far": `<script>onmessage = () => { const said = confirm("far?"); parent.postMessage(said, "*") }</script>`,
	})
	ask := func(t *testing.T, p *target.Page) string {
		return eval[string](t, p, `JSON.stringify([alert("a"), confirm("c"), prompt("p", "default")])`)
	}
	p := open(t, here)
	heard := watch(t, p)
	frameAt(t, p, "/far")
	eval[any](t, p, `new Promise(done => document.readyState === "complete" ? done(0) : addEventListener("load", () => done(0)))`) // it listens
	if got := ask(t, p); got != `[null,false,null]` {
		t.Errorf("alert, confirm and prompt gave %s", got)
	}
	p.SetDialogs(func(d target.Dialog) (bool, string, bool) { return true, "text", true })
	if got := ask(t, p); got != `[null,true,"text"]` {
		t.Errorf("with another policy they gave %s", got)
	}
	p.SetDialogs(nil)
	if got := ask(t, p); got != `[null,false,null]` {
		t.Errorf("with the default again they gave %s", got)
	}
	eval[any](t, p, `new Promise(done => { onmessage = done; frames[0].postMessage("", "*") })`)
	eval[any](t, p, `addEventListener("beforeunload", e => e.preventDefault()), 0`)
	if err := p.Navigate(within(t), there+"/next"); err != nil {
		t.Errorf("leaving: %v", err)
	}
	var kinds []string
	for _, d := range heard.asked() {
		kinds = append(kinds, d.Type+" "+d.Message)
	}
	three := []string{"alert a", "confirm c", "prompt p"}
	want := slices.Concat(three, three, three, []string{"confirm far?", "beforeunload "})
	if !slices.Equal(kinds, want) {
		t.Errorf("told of %q, want %q", kinds, want)
	}
}

func TestADialogThatIsLeftOpenWaitsForAPerson(t *testing.T) {
	t.Parallel()
	here, _ := site(t, map[string]any{"/": ``})
	p := open(t, here)
	heard := watch(t, p)
	p.SetDialogs(func(target.Dialog) (bool, string, bool) { return false, "", false })
	eval[any](t, p, `setTimeout(() => document.title = String(confirm("?")))`)
	if err := p.Tree().Wait(within(t), func() (bool, error) { return len(heard.dialogs) == 1, nil }); err != nil {
		t.Fatal(err)
	}
	if _, err := p.Send("Page.handleJavaScriptDialog", m{"accept": true}).Wait(within(t)); err != nil {
		t.Fatalf("there is no dialog: %v", err)
	}
	if got := eval[string](t, p, "document.title"); got != "true" {
		t.Errorf("the page heard %q", got)
	}
}

func TestHowADialogWasAnsweredIsTold(t *testing.T) {
	t.Parallel()
	here, _ := site(t, map[string]any{"/": ``})
	p := open(t, here)
	heard := watch(t, p)
	p.SetDialogs(target.LeaveDialogs)
	eval[any](t, p, `void setTimeout(() => { document.title = prompt("?", "d") + confirm("!") })`)
	answered := func(n int) {
		t.Helper()
		if err := p.Tree().Wait(within(t), func() (bool, error) { return len(heard.answers) == n, nil }); err != nil {
			t.Fatal(err)
		}
	}
	if err := p.Tree().Wait(within(t), func() (bool, error) { return len(heard.dialogs) == 1, nil }); err != nil {
		t.Fatal(err)
	}
	if _, err := p.Send("Page.handleJavaScriptDialog", m{"accept": true, "promptText": "typed"}).Wait(within(t)); err != nil {
		t.Fatal(err)
	}
	answered(1)
	p.SetDialogs(nil) // answers the next, be it there already or not
	answered(2)
	if got := eval[string](t, p, "document.title"); got != "typedfalse" {
		t.Errorf("the page heard %q", got)
	}
	if want := []string{"prompt true typed", "confirm false "}; !slices.Equal(heard.answers, want) {
		t.Errorf("told of %q, want %q", heard.answers, want)
	}
}

func TestAPopupTakesOverWhatItsOpenerHas(t *testing.T) {
	t.Parallel()
	here, _ := site(t, map[string]any{"/": ``, "/asks": `<script>document.title = String(confirm("?"))</script>`})
	p := open(t, here)
	p.SetDialogs(func(target.Dialog) (bool, string, bool) { return true, "", true })
	heard := &ear{}
	remove := p.Watch(heard)
	for i := range 2 {
		eval[any](t, p, `void open("/asks")`)
		popup, err := p.WaitPopup(within(t), i)
		if err != nil {
			t.Fatal(err)
		}
		if err := popup.Main().WaitAt(within(t), endsIn("/asks")); err != nil {
			t.Fatal(err)
		}
		if got := eval[string](t, popup, loaded+`.then(() => document.title)`); got != "true" {
			t.Errorf("popup %d was answered %q", i, got)
		}
		remove() // from the first popup too
	}
	if got := fmt.Sprint(len(heard.popups()), len(heard.asked())); got != "1 1" {
		t.Errorf("told of popups and dialogs: %s, want 1 1", got)
	}
}
