package replayer_test

import (
	"context"
	"fmt"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/go-reprise/reprise/automation"
	"github.com/go-reprise/reprise/internal/browsertest"
	"github.com/go-reprise/reprise/internal/simuser"
	"github.com/go-reprise/reprise/recorder"
	"github.com/go-reprise/reprise/replayer"
)

// inPopup does something in the tab that was opened last.
func inPopup(acts ...act) act {
	return func(ctx context.Context, p *simuser.User) error {
		tab, err := p.NewTab(ctx)
		if err != nil {
			return err
		}
		for _, act := range acts {
			if err := act(ctx, tab); err != nil {
				return err
			}
		}
		return nil
	}
}

func TestNewTabsAreFollowed(t *testing.T) {
	t.Parallel()
	for _, opener := range []string{"#link", "#button", "#child"} {
		t.Run(opener, func(t *testing.T) {
			t.Parallel()
			site := startSite(t)
			a := record(t, site.URL+"/popup",
				clickOn(opener),
				inPopup(fill("#message", "hello"), clickOn("#send")),
			)
			browsertest.Until(t, "the recorded message", func() bool { return len(site.Seen()) == 1 })
			site.Reset()
			got := steps(site, a)
			if len(got) < 4 || got[2] != `typeInput "hello" @popup1` {
				t.Fatalf("recorded steps: %q", got)
			}
			play(t, a, nil)
			browsertest.Until(t, "the replayed message", func() bool { return len(site.Seen()) == 1 })
		})
	}
}

// Each page puts what it was answered into its fragment.
func TestDialogsAreAnsweredAsThePersonDid(t *testing.T) {
	t.Parallel()
	yes, no := simuser.Answer{Accept: true}, simuser.Answer{}
	for name, test := range map[string]struct {
		script  string
		answers []simuser.Answer
		want    []string // steps after the navigation
		expect  int      // dialogs of the click
		values  replayer.Map
		played  string
	}{
		"an alert":                {`alert("hi"); said("done")`, []simuser.Answer{yes}, []string{"click #b"}, 1, nil, "done"},
		"a confirmation":          {`said(confirm("Sure?"))`, []simuser.Answer{yes}, []string{`dialog {"accept":true}`, "click #b"}, 1, nil, "true"},
		"one that was declined":   {`said(confirm("Sure?"))`, []simuser.Answer{no}, []string{`dialog {"accept":false}`, "click #b"}, 1, nil, "false"},
		"a prompt":                {`said(prompt("Colour?", "red"))`, []simuser.Answer{{Accept: true, Text: "blue"}}, []string{`dialog {"accept":true} "blue"`, "click #b"}, 1, nil, "blue"},
		"a prompt for a secret":   {`said(prompt("Your password").length)`, []simuser.Answer{{Accept: true, Text: "sesame-open"}}, []string{`dialog {"accept":true} ${password}`, "click #b"}, 1, replayer.Map{"password": "four"}, "4"},
		"a prompt for an address": {`said(prompt("Your e-mail"))`, []simuser.Answer{{Accept: true, Text: "ada@example.com"}}, []string{`dialog {"accept":true} ${email}`, "click #b"}, 1, replayer.Map{"email": "grace@example.com"}, "grace@example.com"},
		"a prompt that was left":  {`said(prompt("Colour?", "red"))`, []simuser.Answer{no}, []string{`dialog {"accept":false}`, "click #b"}, 1, nil, "null"},
		"several":                 {`alert("!"); said([confirm("1?"), confirm("2?"), prompt("3?")])`, []simuser.Answer{yes, yes, no, {Accept: true, Text: "x"}}, []string{`dialog {"accept":true}`, `dialog {"accept":false}`, `dialog {"accept":true} "x"`, "click #b"}, 4, nil, "true,false,x"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			server := serve(t, `<button id=b onclick='`+test.script+`'></button><script>const said = (what) => { location.hash = what }</script>`)
			a := recordWith(t, &recorder.Options{Name: "flow", LeaveDialogs: true}, server.URL+"/", func(ctx context.Context, p *simuser.User) error {
				return p.ClickAndAnswer(ctx, "#b", test.answers...)
			})
			got := dialogsOf(a)[1:]
			if !slices.Equal(got, test.want) || len(a.Steps[len(a.Steps)-1].Expect) != test.expect {
				t.Fatalf("recorded %q, expecting %+v", got, a.Steps[len(a.Steps)-1].Expect)
			}
			data, err := automation.Marshal(a)
			if err != nil || strings.Contains(string(data), "sesame") || strings.Contains(string(data), "ada@") {
				t.Errorf("the document holds what was typed: %s, %v", data, err)
			}
			page := browsertest.Page(t, "")
			if _, err := replayer.Play(t.Context(), page, a, &replayer.Options{Commit: replayer.AllowCommits, Values: test.values, Timeout: 10 * time.Second}); err != nil {
				t.Fatal(err)
			}
			browsertest.Until(t, test.played, func() bool { return strings.HasSuffix(page.URL(), "#"+test.played) })
		})
	}
}

// dialogsOf lists the steps in short, with what is said to dialogs.
func dialogsOf(a *automation.Automation) []string {
	all := toolsOf(a)
	for i, s := range a.Steps {
		if s.Tool == "dialog" {
			all[i] = strings.Replace(all[i], "dialog", "dialog "+string(s.Args), 1)
		}
	}
	return all
}

func TestADialogThatDoesNotComeIsMissed(t *testing.T) {
	t.Parallel()
	server := serve(t, `<button id=b onclick="alert('hi')">Go</button>`)
	a := document(t, server.URL, `{"tool": "navigate", "url": "`+server.URL+`/"}, {"tool": "click", "selector": "#b", "expect": [{"kind": "dialog", "method": "confirm"}]}`)
	page := browsertest.Page(t, "")
	_, err := replayer.Play(t.Context(), page, a, &replayer.Options{Commit: replayer.AllowCommits, Timeout: time.Second})
	failed := wantCode(t, err, replayer.Timeout, 1)
	if !strings.Contains(failed.Reason, `no confirm dialog was shown that fits, only ["alert"]`) {
		t.Errorf("the reason: %s", failed.Reason)
	}
}

// Someone who stays on a page declines; the page would be left otherwise.
func TestAPageThatWasNotLeftIsNotLeft(t *testing.T) {
	t.Parallel()
	server := serve(t, `<input id=f aria-label=Text><a id=l href="/elsewhere">Leave</a><button id=b onclick="location.hash='stayed'">Stay</button><script>onbeforeunload = (e) => e.preventDefault()</script>`)
	a := recordWith(t, &recorder.Options{Name: "flow", LeaveDialogs: true}, server.URL+"/", fill("#f", "x"), func(ctx context.Context, p *simuser.User) error {
		return p.ClickAndAnswer(ctx, "#l", simuser.Answer{})
	}, clickOn("#b"))
	want := []string{"navigate " + server.URL + "/", `typeInput "x"`, `dialog {"accept":false}`, `click aria/Leave[role="link"]`, `click aria/Stay[role="button"]`}
	if got := dialogsOf(a); !slices.Equal(got, want) {
		t.Fatalf("recorded %q", got)
	}
	page := browsertest.Page(t, "")
	if _, err := replayer.Play(t.Context(), page, a, &replayer.Options{Commit: replayer.AllowCommits, Timeout: 10 * time.Second}); err != nil {
		t.Fatal(err)
	}
	browsertest.Until(t, "staying", func() bool { return strings.HasSuffix(page.URL(), "/#stayed") })
}

func TestTabsAreOpenedUsedAndClosed(t *testing.T) {
	t.Parallel()
	server := serve(t, `<button id=a onclick="document.title='pressed'">Go</button>`)
	page := browsertest.Page(t, server.URL)
	a := document(t, server.URL, fmt.Sprintf(`
		{"tool":"tab","page":"second","url":"%s/second","args":{"action":"open"}},
		{"tool":"click","page":"second","selector":"#a"},
		{"tool":"extract","page":"second","selector":"title","args":{"as":"title"}},
		{"tool":"tab","page":"second","args":{"action":"close"}},
		{"tool":"click","page":"second","selector":"#a"}`, server.URL))
	result, err := replayer.Play(t.Context(), page, a, &replayer.Options{Timeout: 5 * time.Second})
	wantCode(t, err, replayer.NotFound, 4)
	if result.Outputs["title"] != "pressed" {
		t.Errorf("the second tab gave %v", result.Outputs)
	}
	if title := page.Rod().MustEval(`() => document.title`).Str(); title == "pressed" {
		t.Error("the first tab was used for the second")
	}
}

// A tab that a sign-in opens is closed by its own page, at any moment of the press or key that
// ends it. The first page has the result.
func TestAStepMayCloseItsTab(t *testing.T) {
	t.Parallel()
	click, enter := `{"tool":"click","page":"popup1","selector":"#b"}`, `{"tool":"keypress","page":"popup1","selector":"#f","key":"Enter"}`
	for name, way := range map[string]struct{ tab, step string }{
		"as the button goes down":     {`<button id=b onmousedown="end()">In</button>`, click},
		"by its click":                {`<button id=b onclick="end()">In</button>`, click},
		"after its click":             {`<button id=b onclick="setTimeout(end, 5)">In</button>`, click},
		"by its click, which commits": {`<button id=b onclick="end()">Pay 5 now</button>`, click},
		"by what a form leads to":     {`<form action=/end><button id=b>In</button></form>`, click},
		"by a key":                    {`<input id=f onkeydown="end()">`, enter},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				w.Header().Set("Content-Type", "text/html")
				fmt.Fprint(w, `<!doctype html><script>function end() { opener.document.body.id = "in"; window.close() }</script>`, map[string]string{
					"/":    `<button id=open onclick="window.open('/tab')">Open</button>`,
					"/tab": way.tab,
					"/end": `<script>end()</script>`,
				}[r.URL.Path])
			}))
			t.Cleanup(server.Close)
			a := document(t, server.URL, `{"tool":"click","selector":"#open","expect":[{"kind":"popup","page":"popup1"}]},`+way.step+`,
				{"tool":"waitFor","selector":"#in"}`)
			for _, human := range []bool{false, true} {
				options := &replayer.Options{Humanize: human, Commit: replayer.AllowCommits, Timeout: 20 * time.Second}
				if _, err := replayer.Play(browsertest.Context(t), browsertest.Page(t, server.URL), a, options); err != nil {
					t.Errorf("human %v: %v", human, err)
				}
			}
		})
	}
}

func TestACommitWhoseTabClosedBeforeItsAnswerIsUncertain(t *testing.T) {
	t.Parallel()
	asked := make(chan struct{})
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "text/html")
		switch r.URL.Path {
		case "/":
			fmt.Fprint(w, `<button id=open onclick="window.open('/tab')">Open</button>`)
		case "/tab":
			fmt.Fprint(w, `<button id=b onclick="fetch('/pay', {method: 'POST', keepalive: true}); fetch('/asked').then(() => window.close())">Pay 5 now</button>`)
		case "/pay":
			close(asked)
			<-r.Context().Done()
		case "/asked":
			<-asked
		}
	}))
	t.Cleanup(server.Close)
	a := document(t, server.URL, `{"tool":"click","selector":"#open","expect":[{"kind":"popup","page":"popup1"}]},{"tool":"click","page":"popup1","selector":"#b"}`)
	_, err := replayer.Play(browsertest.Context(t), browsertest.Page(t, server.URL), a, &replayer.Options{Commit: replayer.AllowCommits, Timeout: 20 * time.Second})
	wantCode(t, err, replayer.Uncertain, 1)
}
