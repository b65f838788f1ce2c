package target_test

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"testing"
	"time"

	"github.com/go-reprise/reprise/internal/target"
)

// slowly serves a page after a while.
func slowly(w http.ResponseWriter, r *http.Request) {
	timer := time.NewTimer(300 * time.Millisecond)
	defer timer.Stop()
	select {
	case <-timer.C:
	case <-r.Context().Done():
	}
	w.Header().Set("Content-Type", "text/html")
	_, _ = fmt.Fprint(w, "slow")
}

func nothing(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusNoContent) }

func attachment(w http.ResponseWriter, _ *http.Request) {
	w.Header().Set("Content-Disposition", "attachment; filename=file.zip")
	_, _ = fmt.Fprint(w, "zip")
}

func TestNavigateReturnsWhenTheDocumentIsThere(t *testing.T) {
	t.Parallel()
	here, there := site(t, map[string]any{
		"/a": `a`, "/b": `b`, "/slow": slowly, "/nothing": nothing, "/file": attachment,
		"/moved": func(w http.ResponseWriter, r *http.Request) { http.Redirect(w, r, "/b", http.StatusFound) },
	})
	p := open(t, "")
	for _, step := range []struct{ to, at string }{
		{here + "/a", here + "/a"}, {there + "/b", there + "/b"}, {there + "/slow", there + "/slow"}, {here + "/moved", here + "/b"},
		{here + "/b#x", here + "/b#x"}, {here + "/b#x", here + "/b#x"}, {here + "/b#y", here + "/b#y"}, {here + "/file", here + "/b#y"}, {"data:text/html,hello", "data:text/html,hello"}, {"about:blank", "about:blank"},
	} {
		if err := p.Navigate(within(t), step.to); err != nil {
			t.Fatalf("to %s: %v", step.to, err)
		}
		if got := p.URL(); got != step.at {
			t.Errorf("after %s at %s, want %s", step.to, got, step.at)
		}
	}
	for _, to := range []string{"http://127.0.0.1:1/", "http://no-such-host.invalid/", here + "/nothing", "not an address"} {
		err := p.Navigate(within(t), to)
		var failed *target.NavigationError
		if !errors.As(err, &failed) || failed.URL != to {
			t.Errorf("to %s: %v, want a NavigationError", to, err)
		}
	}
	if err := p.Navigate(within(t), here+"/a"); err != nil {
		t.Errorf("after failures: %v", err)
	}
	if _, err := p.Tree().Open(within(t), "http://127.0.0.1:1/", &target.OpenOptions{ContextID: p.ContextID()}); err == nil {
		t.Error("a page at an address that cannot be reached was opened")
	}
}

func TestNavigateGetsThereAlthoughThePageIsAboutToGoBack(t *testing.T) {
	t.Parallel()
	here, _ := site(t, map[string]any{"/": `first`, "/second": `second`, "/next": `next`})
	p := open(t, "")
	for n := range 40 {
		for _, to := range []string{"/", "/second"} {
			if err := p.Navigate(within(t), here+to); err != nil {
				t.Fatal(err)
			}
		}
		p.Send("Runtime.evaluate", map[string]any{"expression": `setTimeout(() => history.back())`, "userGesture": true})
		for range n % 20 * 5 { // some of them take until it has begun to
			_, _ = p.Send("Page.getNavigationHistory", nil).Wait(within(t))
		}
		mark := p.Main().Mark()
		if err := p.Navigate(within(t), here+"/next"); err != nil {
			t.Fatal(err)
		}
		if _, err := p.Main().WaitURL(within(t), mark, endsIn("/next")); err != nil {
			t.Error(err)
		}
	}
}

func TestTwoHundredQuickNavigationsLeaveNothingBehind(t *testing.T) {
	t.Parallel()
	here, there := site(t, map[string]any{"/": `<iframe src=/child></iframe>`, "/child": `child`, "/mixed": `<iframe src=THERE/child></iframe>`})
	p := open(t, here)
	stop := make(chan struct{})
	called := make(chan error)
	go func() { // calls that have documents pulled away from under them
		for {
			select {
			case <-stop:
				close(called)
				return
			default:
			}
			for _, f := range p.Frames() {
				if err := f.Call(t.Context(), nil, "flush"); err != nil && !target.IsLeft(err) {
					called <- fmt.Errorf("%s: %w", f.URL(), err)
					return
				}
			}
		}
	}()
	for i := range 200 {
		url := fmt.Sprintf("%s/?%d", here, i)
		switch i % 20 {
		case 9:
			url = fmt.Sprintf("%s/?%d", there, i)
		case 19:
			url = fmt.Sprintf("%s/mixed?%d", here, i)
		}
		if err := p.Navigate(within(t), url); err != nil {
			t.Fatal(err)
		}
		if p.URL() != url {
			t.Fatalf("at %s, want %s", p.URL(), url)
		}
	}
	close(stop)
	if err := <-called; err != nil {
		t.Error(err)
	}
	if err := p.Navigate(within(t), "about:blank"); err != nil {
		t.Fatal(err)
	}
	document(t, p.Main())
	remembers(t, p, target.Counts{Pages: 1, Sessions: 1, Worlds: 1, Frames: 1})
}

func TestAPageThatChangesItsAddressForeverIsNotRemembered(t *testing.T) {
	t.Parallel()
	here, _ := site(t, map[string]any{"/": ``})
	p := open(t, here)
	mark := p.Main().Mark()
	eval[any](t, p, `for (let i = 1; i <= 150; i++) history.replaceState(0, "", "/?" + i)`)
	after, err := p.Main().WaitURL(within(t), mark, endsIn("/?7"))
	if err != nil {
		t.Fatal(err)
	}
	if _, err := p.Main().WaitURL(within(t), after, endsIn("/?8")); err != nil {
		t.Errorf("the mark is not right after the address: %v", err)
	}
	for range 5 { // Chrome lets a page do so 200 times in 10 s
		p.Tree().Do(func() {
			for i := range 1000 {
				target.Went(p.Main(), fmt.Sprint(i))
			}
		})
	}
	if got := target.Places(p.Main()); got > 500 {
		t.Errorf("%d places are remembered", got)
	}
	mark = p.Main().Mark()
	eval[any](t, p, `history.replaceState(0, "", "/?end")`)
	if _, err := p.Main().WaitURL(within(t), mark, endsIn("/?end")); err != nil {
		t.Error(err)
	}
}

func TestWaitingSeesAddressesThatWereThereForAMoment(t *testing.T) {
	t.Parallel()
	here, there := site(t, map[string]any{
		"/": ``, "/1": `<script>location.replace("THERE/2")</script>`, "/2": `<script>history.pushState(0, "", "/3")</script>`,
	})
	p := open(t, here)
	mark := p.Main().Mark()
	eval[any](t, p, `void(location = "/1")`)
	if err := p.Main().WaitAt(within(t), endsIn("/3")); err != nil {
		t.Fatal(err)
	}
	for _, url := range []string{here + "/1", there + "/2", there + "/3"} {
		var err error
		if mark, err = p.Main().WaitURL(within(t), mark, func(u string) bool { return u == url }); err != nil {
			t.Errorf("%s: %v", url, err)
		}
		if left := p.Main().Left(mark); left != (url == here+"/1") { // /2 and /3 are one document
			t.Errorf("%s was left: %v", url, left)
		}
	}
	short, cancel := context.WithTimeoutCause(t.Context(), 50*time.Millisecond, errors.New("enough"))
	defer cancel()
	if _, err := p.Main().WaitURL(short, mark, endsIn("/3")); err == nil || err.Error() != "enough" {
		t.Errorf("waiting for what was before the mark: %v", err)
	}
}

func TestSettledWaitsForWhatTheDocumentHasAskedFor(t *testing.T) {
	t.Parallel()
	here, _ := site(t, map[string]any{
		"/": `<iframe src=/child></iframe>`, "/child": `child`, "/slow": slowly, "/next": `next`, "/nothing": nothing, "/file": attachment,
	})
	tests := []struct{ name, script, at string }{
		{"a slow page", `location = "/slow"`, "/slow"},
		{"a slow page in a frame", `frames[0].location = "/slow"`, "/"},
		{"a reload", `location.reload()`, "/"},
		{"another page after all", `location = "/slow"; location = "/next"`, "/next"},
		{"a change of the address on the way", `location = "/slow"; history.pushState(0, "", "/pushed")`, "/slow"},
		{"a fragment on the way", `location = "/slow"; location = "#there"`, "/slow"},
		{"a fragment", `location = "#there"`, "/#there"},
		{"no content", `location = "/nothing"`, "/"},
		{"a download", `location = "/file"`, "/"},
		{"another program", `location = "mailto:a@example.com"`, "/"},
		{"a script", `location = "javascript:void 0"`, "/"},
		{"stopped", `location = "/slow"; stop()`, "/"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			p := open(t, here)
			f := frameAt(t, p, "/child")
			document(t, f)
			eval[any](t, p, "{"+test.script+"}")
			start := time.Now()
			if err := f.Settled(within(t)); err != nil {
				t.Fatal(err)
			}
			if took := time.Since(start); took > 4*time.Second {
				t.Errorf("it took %v", took)
			}
			if !endsIn(test.at)(p.URL()) {
				t.Errorf("settled at %s, want %s", p.URL(), test.at)
			}
			if test.name == "a slow page in a frame" && !endsIn("/slow")(f.URL()) {
				t.Errorf("the frame settled at %s", f.URL())
			}
		})
	}
}

func TestSettledDoesNotWaitTwiceForWhatDoesNotHappen(t *testing.T) {
	t.Parallel()
	here, _ := site(t, map[string]any{"/": ``, "/next": ``})
	p := open(t, here)
	p.SetDialogs(func(target.Dialog) (bool, string, bool) { return false, "", true }) // stay
	eval[any](t, p, `addEventListener("beforeunload", e => e.preventDefault()); void(location = "/next")`)
	for i, limit := range []time.Duration{25 * time.Second, time.Second} {
		start := time.Now()
		if err := p.Main().Settled(within(t)); err != nil {
			t.Fatal(err)
		}
		if took := time.Since(start); took > limit {
			t.Errorf("wait %d took %v", i, took)
		}
	}
}

func TestAPageClosesWhateverItIsDoing(t *testing.T) {
	t.Parallel()
	here, there := site(t, map[string]any{"/": `<iframe src=THERE/far></iframe>`, "/far": `far`, "/slow": slowly})
	for name, busy := range map[string]string{
		"going elsewhere":  fmt.Sprintf(`location = %q`, there),
		"loading":          `location = "/slow"`,
		"asking to stay":   `addEventListener("beforeunload", e => e.preventDefault())`,
		"showing a dialog": `setTimeout(() => confirm("?"))`,
		"doing nothing":    ``,
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			p := open(t, here)
			p.SetDialogs(func(target.Dialog) (bool, string, bool) { return false, "", false })
			frameAt(t, p, "/far")
			eval[any](t, p, "{"+busy+"}")
			for range 2 {
				if err := p.Close(within(t)); err != nil {
					t.Errorf("Close: %v", err)
				}
			}
			select {
			case <-p.Done():
			default:
				t.Error("Done is open")
			}
			if err := p.Err(); !errors.Is(err, target.ErrClosed) {
				t.Errorf("Err: %v", err)
			}
			p.Tree().Do(func() {
				if got := p.Tree().Count(p); got.Pages+got.Sessions+got.Worlds != 0 {
					t.Errorf("the tree remembers %+v", got)
				}
			})
			if err := p.Navigate(within(t), here); !errors.Is(err, target.ErrClosed) {
				t.Errorf("Navigate: %v", err)
			}
		})
	}
}

func TestClosingRightAfterANavigation(t *testing.T) {
	t.Parallel()
	here, there := site(t, map[string]any{"/": `x`})
	id, err := tree(t).NewContext(within(t), nil)
	if err != nil {
		t.Fatal(err)
	}
	for i := range 20 {
		p, err := tree(t).Open(within(t), []string{here, there}[i%2], &target.OpenOptions{ContextID: id})
		if err != nil {
			t.Fatal(err)
		}
		if err := p.Navigate(within(t), []string{there, here}[i%2]); err != nil {
			t.Fatal(err)
		}
		if err := p.Close(within(t)); err != nil {
			t.Fatalf("close %d: %v", i, err)
		}
	}
	if err := tree(t).CloseContext(within(t), id); err != nil {
		t.Error(err)
	}
}
