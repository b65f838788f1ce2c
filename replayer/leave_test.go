package replayer_test

import (
	"context"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/go-reprise/reprise/internal/browsertest"
	"github.com/go-reprise/reprise/replayer"
)

func try(t *testing.T, s *till, path, steps string, o *replayer.Options) error {
	t.Helper()
	page := browsertest.Page(t, s.URL+path)
	if o.Timeout == 0 {
		o.Timeout = 3 * time.Second
	}
	_, err := replayer.Play(t.Context(), page, document(t, s.URL, steps), o)
	return err
}

func TestNoWayToPressIsWithoutLeave(t *testing.T) {
	t.Parallel()
	long := `Pay 1,234.56 € to Meadow Water Company now with the card that ends in 4242`
	for name, c := range map[string]struct{ page, steps string }{
		"check on a button":      {byForm, `{"tool":"check","selector":"#pay"}`},
		"drag on a button":       {byForm, `{"tool":"drag","selector":"#pay","args":{"to":"#pay"}}`},
		"typed newline, keys":    {byForm, `{"tool":"typeInput","selector":"[name=note]","keys":true,"value":{"kind":"literal","value":"x\n"}}`},
		"typed newline, insert":  {byForm, `{"tool":"typeInput","selector":"[name=note]","value":{"kind":"literal","value":"x\n"}}`},
		"image button Enter":     {`<form method=post action=/order><input name=note><input type=image alt="Pay 12 €" id=pay></form>`, `{"tool":"keypress","selector":"[name=note]","key":"Enter"}`},
		"button form= Enter":     {`<form method=post action=/order><input name=note><button type="">Pay 12 €</button></form>`, `{"tool":"keypress","selector":"[name=note]","key":"Enter"}`},
		"long label":             {strings.Replace(byForm, "Pay 12 €", long, 1), `{"tool":"click","selector":"#pay"}`},
		"in an onclick ancestor": {`<main onclick="void 0"><p>` + strings.Repeat("some text ", 30) + `<div id=pay>Pay 12 €</div></main><script>pay.addEventListener("click",()=>fetch("/order",{method:"POST"}))</script>`, `{"tool":"click","selector":"#pay"}`},
		"label of a button":      {byForm + `<label for=pay id=l>Pay it</label>`, `{"tool":"click","selector":"#l"}`},
		"aria-label":             {strings.Replace(byForm, "id=pay", `id=pay aria-label="Next"`, 1), `{"tool":"click","selector":"#pay"}`},
		"press field by hand":    {byForm, `{"tool":"click","selector":"[name=note]"},{"tool":"keypress","key":"Shift+Enter"}`},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := startTill(t, c.page)
			err := try(t, s, "", c.steps, &replayer.Options{Timeout: 2 * time.Second})
			if n := s.orders.Load(); n != 0 {
				t.Errorf("%d orders without leave; err %v", n, err)
			}
		})
	}
}

func TestADeclaredCommitIsDoneWhereItMay(t *testing.T) {
	t.Parallel()
	for name, steps := range map[string]string{
		"check":    `{"tool":"check","selector":"#agree","effect":"commit"}`,
		"fillForm": `{"tool":"fillForm","effect":"commit","args":{"fields":[{"selector":"#agree","value":{"kind":"literal","value":true}}]}}`,
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := startTill(t, `<input type=checkbox id=agree>`)
			if err := try(t, s, "", steps, &replayer.Options{Commit: replayer.AllowCommits}); err != nil {
				t.Error(err)
			}
		})
	}
}

type lateLedger struct {
	ledger
	then func()
}

func (l *lateLedger) Sending(ctx context.Context, run string, step int) error {
	l.then()
	return l.ledger.Sending(ctx, run, step)
}

func TestAnAmountThatChangesAtTheLastMomentIsNotPaid(t *testing.T) {
	t.Parallel()
	s := startTill(t, byForm)
	page := browsertest.Page(t, s.URL)
	l := &lateLedger{ledger{sent: map[string]bool{}}, func() { page.Rod().MustEval(`() => { pay.textContent = "Pay 1200 €" }`) }}
	_, err := replayer.Play(t.Context(), page, placed(t, s), &replayer.Options{Person: &somebody{yes: true}, Journal: l, Timeout: 3 * time.Second})
	if s.orders.Load() != 0 {
		t.Errorf("1200 € were paid where 12 were approved: %v", err)
	}
}

func TestNothingIsPressedInAnotherDocumentThanWasApproved(t *testing.T) {
	t.Parallel()
	var deleted, paid atomic.Int64
	button := func(what, path string) string {
		return fmt.Sprintf(`<!doctype html><body style="margin:0"><form method=post action=%s><button id=pay style="width:300px;height:200px">%s</button></form>`, path, what)
	}
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "text/html")
		switch {
		case r.Method == "POST" && r.URL.Path == "/delete":
			deleted.Add(1)
			http.Redirect(w, r, "/thanks", http.StatusSeeOther)
		case r.Method == "POST":
			paid.Add(1)
			http.Redirect(w, r, "/thanks", http.StatusSeeOther)
		case r.URL.Path == "/other":
			fmt.Fprint(w, button("Delete account", "/delete"))
		case r.URL.Path == "/thanks":
			fmt.Fprint(w, "<p>Thanks")
		default:
			fmt.Fprint(w, button("Pay 12", "/order"))
		}
	}))
	t.Cleanup(server.Close)
	page := browsertest.Page(t, server.URL)
	l := &lateLedger{ledger{sent: map[string]bool{}}, func() { _ = page.Navigate(context.Background(), server.URL+"/other") }}
	_, _ = replayer.Play(t.Context(), page, document(t, server.URL, fmt.Sprintf(`{"tool":"click","selector":"#pay"},{"tool":"waitForNav","url":"%s/thanks"}`, server.URL[len("http://"):])), &replayer.Options{Person: &somebody{yes: true}, Journal: l, Timeout: 3 * time.Second})
	if deleted.Load() > 0 {
		t.Error("pressed in another document: deleted where paying was approved")
	}
}

func TestAKeyGoesToNoFrameOutOfScope(t *testing.T) {
	t.Parallel()
	in := startTill(t, `<body style="margin:0"><form method=post action=/order><input style="width:300px;height:60px"><button>Pay 12 €</button></form>`)
	outer := serve(t, fmt.Sprintf(`<body style="margin:0"><iframe src="%s" width=400 height=100 style="border:0"></iframe>`, strings.Replace(in.URL, "127.0.0.1", "localhost", 1)))
	page := browsertest.Page(t, outer.URL)
	eventually(t, "the frame to come", func() bool {
		frames := page.Target().Frames()
		return len(frames) == 2 && strings.Contains(frames[1].URL(), "localhost")
	})
	page.Rod().Mouse.MustMoveTo(50, 30).MustClick("left")
	person := &somebody{yes: true}
	_, _ = replayer.Play(t.Context(), page, document(t, outer.URL, `{"tool":"keypress","key":"Enter"}`), &replayer.Options{Person: person, Timeout: 3 * time.Second})
	if in.orders.Load() > 0 {
		t.Error("a key was pressed in a frame out of scope, approved for another origin")
	}
}
