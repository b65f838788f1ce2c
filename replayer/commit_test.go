package replayer_test

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/go-reprise/reprise/automation"
	"github.com/go-reprise/reprise/internal/browsertest"
	"github.com/go-reprise/reprise/replayer"
)

// till counts what is ordered. Its pages decide how the order is sent.
type till struct {
	*httptest.Server
	orders atomic.Int64
	answer func(w http.ResponseWriter, r *http.Request) // to an order; default: to /thanks
}

func startTill(t *testing.T, page string) *till {
	t.Helper()
	s := &till{answer: func(w http.ResponseWriter, r *http.Request) { http.Redirect(w, r, "/thanks", http.StatusSeeOther) }}
	s.Server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Method == http.MethodPost {
			s.orders.Add(1)
			s.answer(w, r)
			return
		}
		w.Header().Set("Content-Type", "text/html; charset=utf-8")
		if r.URL.Path == "/slow" { // the body comes long after the headers
			_ = http.NewResponseController(w).Flush()
			<-time.After(slowly)
		}
		for n := 0; n < 5 && r.URL.Path == "/parts"; n++ {
			_, _ = fmt.Fprint(w, n)
			_ = http.NewResponseController(w).Flush()
			<-time.After(slowly)
		}
		fmt.Fprint(w, "<!doctype html><title>shop</title>", map[bool]string{true: page, false: "<p>Thanks"}[r.URL.Path == "/"])
	}))
	t.Cleanup(s.Close)
	return s
}

// ledger is a journal in memory, that can fail.
type ledger struct {
	sync.Mutex
	sent map[string]bool // run and step → seen
	fail error
}

func (l *ledger) key(run string, step int) string { return fmt.Sprint(run, " ", step) }

func (l *ledger) Begin(_ context.Context, run string, step int) error {
	l.Lock()
	defer l.Unlock()
	if l.fail != nil {
		return l.fail
	}
	if _, sent := l.sent[l.key(run, step)]; sent {
		return replayer.ErrAlreadySent
	}
	l.sent[l.key(run, step)] = false
	return nil
}

func (l *ledger) Resolve(_ context.Context, run string, step int, done bool) error {
	l.Lock()
	defer l.Unlock()
	if done {
		l.sent[l.key(run, step)] = true
	} else {
		delete(l.sent, l.key(run, step))
	}
	return nil
}

func (l *ledger) Committed(_ context.Context, run string) (map[int]bool, error) {
	l.Lock()
	defer l.Unlock()
	all := map[int]bool{}
	for key, seen := range l.sent {
		var of string
		var step int
		if n, _ := fmt.Sscan(key, &of, &step); n == 2 && of == run {
			all[step] = seen
		}
	}
	return all, nil
}

// slowly is how long the till takes to send a slow body.
const slowly = 60 * time.Millisecond

const (
	byForm  = `<form method=post action=/order><input name=note><button id=pay>Pay 12 €</button></form>`
	byFetch = `<button id=pay onclick="fetch('/order', {method: 'POST'})">Pay 12 €</button>`
)

// placed is an automation that orders, and waits for the thanks.
func placed(t *testing.T, s *till) *automation.Automation {
	t.Helper()
	return document(t, s.URL, fmt.Sprintf(`{"tool":"click","selector":"#pay"},{"tool":"waitForNav","url":"%s/thanks"}`, s.URL[len("http://"):]))
}

func TestNothingIsCommittedWithoutAYes(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		options replayer.Options
		orders  int64
	}{
		"no one to ask":          {replayer.Options{}, 0},
		"no one may":             {replayer.Options{Commit: replayer.RefuseCommits, Person: &approver{yes: true}}, 0},
		"a person says no":       {replayer.Options{Person: &approver{}}, 0},
		"a person cannot":        {replayer.Options{Person: &approver{yes: true, err: errors.New("asleep")}}, 0},
		"a person says yes":      {replayer.Options{Person: &approver{yes: true}}, 1},
		"the caller has said so": {replayer.Options{Commit: replayer.AllowCommits}, 1},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := startTill(t, byForm)
			page := browsertest.Page(t, s.URL)
			test.options.Timeout = 5 * time.Second
			_, err := replayer.Play(t.Context(), page, placed(t, s), &test.options)
			if got := s.orders.Load(); got != test.orders {
				t.Errorf("%d orders were placed, want %d", got, test.orders)
			}
			if test.orders == 1 {
				if err != nil {
					t.Error(err)
				}
				return
			}
			e := wantCode(t, err, replayer.Refused, 0)
			if e.Resume == "" || !strings.Contains(e.Reason, "Pay 12 €") && !strings.Contains(e.Reason, "asleep") {
				t.Errorf("%v does not say what it was about", e)
			}
		})
	}
}

// What a document declares can only raise what a step does.
func TestTheWordsOfTheControlCountWhateverTheDocumentSays(t *testing.T) {
	t.Parallel()
	for name, steps := range map[string]string{
		"a press":                      `{"tool":"click","selector":"#pay","effect":"read"}`,
		"Enter in a field of its form": `{"tool":"keypress","selector":"[name=note]","key":"Enter","effect":"read"}`,
		"Enter on the button":          `{"tool":"keypress","selector":"#pay","key":"Enter"}`,
		"Enter where the focus is":     `{"tool":"click","selector":"[name=note]"},{"tool":"keypress","key":"Enter"}`,
		"what the document declares":   `{"tool":"check","selector":"#agree","effect":"commit"}`,
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := startTill(t, byForm+`<input type=checkbox id=agree>`)
			page := browsertest.Page(t, s.URL)
			a := document(t, s.URL, steps)
			_, err := replayer.Play(t.Context(), page, a, &replayer.Options{Timeout: 5 * time.Second})
			wantCode(t, err, replayer.Refused, len(a.Steps)-1)
			result, err := replayer.Play(t.Context(), page, a, &replayer.Options{DryRun: true, Timeout: 5 * time.Second})
			if err != nil || result.Steps[len(result.Steps)-1].Skipped == "" {
				t.Errorf("a dry run gave %+v, %v", result.Steps, err)
			}
			if n := s.orders.Load(); n != 0 {
				t.Errorf("%d orders were placed", n)
			}
		})
	}
}

func TestAnApprovalIsForWhatWasThereWhenItWasGiven(t *testing.T) {
	t.Parallel()
	s := startTill(t, byForm)
	page := browsertest.Page(t, s.URL)
	person := &approver{yes: true, before: func() { page.Rod().MustEval(`() => { pay.textContent = "Pay 1200 €" }`) }}
	_, err := replayer.Play(t.Context(), page, placed(t, s), &replayer.Options{Person: person, Timeout: 5 * time.Second})
	wantCode(t, err, replayer.Refused, 0)
	if len(person.asked) != 1 || person.asked[0].Label != "Pay 12 €" || person.asked[0].Origin != s.URL || s.orders.Load() != 0 {
		t.Errorf("asked %+v, and %d orders were placed", person.asked, s.orders.Load())
	}
}

// Without what follows in the document, the server's reply decides the outcome.
func TestWithoutARecordedConsequenceTheServersAnswerIsWaitedFor(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		page   string
		status int
		code   replayer.Code
	}{
		"an order by a form":  {byForm, http.StatusSeeOther, ""},
		"by a script":         {byFetch, http.StatusCreated, ""},
		"that is declined":    {byFetch, http.StatusPaymentRequired, replayer.Uncertain},
		"that breaks down":    {byFetch, http.StatusInternalServerError, replayer.Uncertain},
		"that asks no server": {`<button id=pay onclick="this.disabled=true">Pay 12 €</button>`, 0, ""},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := startTill(t, test.page)
			answered := make(chan struct{})
			s.answer = func(w http.ResponseWriter, _ *http.Request) {
				time.AfterFunc(100*time.Millisecond, func() { close(answered) })
				<-answered
				w.Header().Set("Location", "/thanks")
				w.WriteHeader(test.status)
			}
			page := browsertest.Page(t, s.URL)
			_, err := replayer.Play(t.Context(), page, document(t, s.URL, `{"tool":"click","selector":"#pay"}`), &replayer.Options{Commit: replayer.AllowCommits, Timeout: 5 * time.Second})
			if test.status != 0 {
				select {
				case <-answered:
				default:
					t.Error("it did not wait for the answer")
				}
			}
			if test.code != "" {
				wantCode(t, err, test.code, 0)
			} else if err != nil {
				t.Error(err)
			}
		})
	}
}

func TestACommitIsWrittenDownBeforeItIsSent(t *testing.T) {
	t.Parallel()
	s := startTill(t, byForm)
	page := browsertest.Page(t, s.URL)
	l := &ledger{sent: map[string]bool{}, fail: errors.New("the disk is full")}
	_, err := replayer.Play(t.Context(), page, placed(t, s), &replayer.Options{Commit: replayer.AllowCommits, Journal: l, Timeout: 5 * time.Second})
	wantCode(t, err, replayer.Refused, 0)
	if s.orders.Load() != 0 {
		t.Error("an order was placed that no one wrote down")
	}
	l.fail = nil
	result, err := replayer.Play(t.Context(), page, placed(t, s), &replayer.Options{Commit: replayer.AllowCommits, Journal: l, Timeout: 5 * time.Second})
	if err != nil || !l.sent[l.key(result.Run, 0)] {
		t.Errorf("%v; the journal has %v", err, l.sent)
	}
}

// A press that the page moved away from under is not sent, and not taken for sent.
func TestAPressThatDoesNotReachIsTriedAgainAndOrdersOnce(t *testing.T) {
	t.Parallel()
	s := startTill(t, byForm+`<script>let moved = 0; addEventListener("mousemove", () => { if (moved++ < 2) document.forms[0].style.marginTop = 100 * moved + "px" }, true)</script>`)
	page := browsertest.Page(t, s.URL)
	l := &ledger{sent: map[string]bool{}}
	if _, err := replayer.Play(t.Context(), page, placed(t, s), &replayer.Options{Commit: replayer.AllowCommits, Journal: l, Timeout: 10 * time.Second}); err != nil || s.orders.Load() != 1 {
		t.Errorf("%v, and %d orders", err, s.orders.Load())
	}
}

// The button goes down, the page is moved by what has just come in above it, and the
// button comes up elsewhere.
func TestAButtonThatSlipsAwayUnderThePointerIsPressedAgainAndOrdersOnce(t *testing.T) {
	t.Parallel()
	const slips = `<script>let downs = 0; pay.onmousedown = () => { if (!downs++) setTimeout(() => { document.forms[0].style.marginTop = "200px" }, 50) }</script>`
	s := startTill(t, byForm+slips)
	l := &ledger{sent: map[string]bool{}}
	a := document(t, s.URL, `{"tool":"click","selector":"#pay","hold":"200ms"}`)
	if _, err := replayer.Play(t.Context(), browsertest.Page(t, s.URL), a, &replayer.Options{Commit: replayer.AllowCommits, Journal: l, Timeout: 10 * time.Second}); err != nil || s.orders.Load() != 1 {
		t.Errorf("%v, and %d orders", err, s.orders.Load())
	}
}

// The browser gets a page's icon when it likes: no click is needed for that.
func TestAnIconIsNoSignThatWhatSlipsAwayWasPressed(t *testing.T) {
	t.Parallel()
	const slips = `<script>let downs = 0; pay.onmousedown = () => { if (downs++) return;
		document.head.insertAdjacentHTML("beforeend", '<link rel=icon href=/later.ico>');
		setTimeout(() => { document.forms[0].style.marginTop = "200px" }, 50) }</script>`
	s := startTill(t, byForm+slips)
	a := document(t, s.URL, `{"tool":"click","selector":"#pay","hold":"400ms"}`)
	if _, err := replayer.Play(t.Context(), browsertest.Page(t, s.URL), a, &replayer.Options{Commit: replayer.AllowCommits, Timeout: 10 * time.Second}); err != nil || s.orders.Load() != 1 {
		t.Errorf("%v, and %d orders", err, s.orders.Load())
	}
}

// A page may do its work when the button goes down, and move what was pressed for it.
func TestAButtonThatWorksWhenItGoesDownIsNotPressedAgain(t *testing.T) {
	t.Parallel()
	for name, works := range map[string]string{
		"and moves":       `pay.onmousedown = () => { document.forms[0].style.marginTop = "200px"; pay.dataset.n = (pay.dataset.n ?? 0) + 1 }`,
		"and moves later": `pay.onmousedown = () => { fetch("/order", {method: "POST"}); setTimeout(() => { document.forms[0].style.marginTop = "200px" }, 50) }`,
		"and hides":       `pay.onmousedown = () => { pay.hidden = true; fetch("/order", {method: "POST"}) }`,
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := startTill(t, `<form onsubmit="return false"><button id=pay>Pay 12 €</button></form><script>`+works+`; addEventListener("mousedown", () => document.title += "!")</script>`)
			page := browsertest.Page(t, s.URL)
			a := document(t, s.URL, `{"tool":"click","selector":"#pay","hold":"200ms"}`)
			if _, err := replayer.Play(t.Context(), page, a, &replayer.Options{Commit: replayer.AllowCommits, Timeout: 10 * time.Second}); err != nil {
				t.Error(err)
			}
			if title := page.Rod().MustEval(`() => document.title`).Str(); title != "shop!" {
				t.Errorf("the title is %q: it was pressed more than once, or never", title)
			}
		})
	}
}

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

func (l *lateLedger) Begin(ctx context.Context, run string, step int) error {
	l.then()
	return l.ledger.Begin(ctx, run, step)
}

func TestAnAmountThatChangesAtTheLastMomentIsNotPaid(t *testing.T) {
	t.Parallel()
	s := startTill(t, byForm)
	page := browsertest.Page(t, s.URL)
	l := &lateLedger{ledger{sent: map[string]bool{}}, func() { page.Rod().MustEval(`() => { pay.textContent = "Pay 1200 €" }`) }}
	_, err := replayer.Play(t.Context(), page, placed(t, s), &replayer.Options{Person: &approver{yes: true}, Journal: l, Timeout: 3 * time.Second})
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
	_, _ = replayer.Play(t.Context(), page, document(t, server.URL, fmt.Sprintf(`{"tool":"click","selector":"#pay"},{"tool":"waitForNav","url":"%s/thanks"}`, server.URL[len("http://"):])), &replayer.Options{Person: &approver{yes: true}, Journal: l, Timeout: 3 * time.Second})
	if deleted.Load() > 0 {
		t.Error("pressed in another document: deleted where paying was approved")
	}
}

func TestAKeyGoesToNoFrameOutOfScope(t *testing.T) {
	t.Parallel()
	in := startTill(t, `<body style="margin:0"><form method=post action=/order><input style="width:300px;height:60px"><button>Pay 12 €</button></form>`)
	outer := serve(t, fmt.Sprintf(`<body style="margin:0"><iframe src="%s" width=400 height=100 style="border:0"></iframe>`, strings.Replace(in.URL, "127.0.0.1", "localhost", 1)))
	page := browsertest.Page(t, outer.URL)
	browsertest.Until(t, "the frame to come", func() bool {
		frames := page.Target().Frames()
		return len(frames) == 2 && strings.Contains(frames[1].URL(), "localhost")
	})
	page.Rod().Mouse.MustMoveTo(50, 30).MustClick("left")
	person := &approver{yes: true}
	_, _ = replayer.Play(t.Context(), page, document(t, outer.URL, `{"tool":"keypress","key":"Enter"}`), &replayer.Options{Person: person, Timeout: 3 * time.Second})
	if in.orders.Load() > 0 {
		t.Error("a key was pressed in a frame out of scope, approved for another origin")
	}
}

// What a frame is answered with, and what the page around it does then, that orders on
// its own account.
var answers = map[string]struct{ page, around string }{
	"it sends a form at once":          {page: `<form method=post action=/order></form><script>document.forms[0].submit()</script>`},
	"it sends a form when it is there": {page: `<body onload="document.forms[0].submit()"><form method=post action=/order></form>`},
	"it sends a form a task later":     {page: `<body onload="setTimeout(() => document.forms[0].submit())"><form method=post action=/order></form>`},
	"it asks when it is there":         {page: `<body onload="fetch('/order', {method: 'POST'})">`},
	"it asks when it has been told":    {page: `<script>fetch('/told').then((r) => r.text()).then(() => fetch('/order', {method: 'POST'}))</script>`},
	"the page around it asks":          {page: `<p>Thanks`, around: `if (this.dataset.before) fetch('/order', {method: 'POST'}); this.dataset.before = 1`},
}

// framed is a shop whose form, in a frame of a host, is answered with a page.
func framed(t *testing.T, host, sandbox, answer, around string) (*till, *automation.Automation) {
	t.Helper()
	s := startTill(t, "")
	other := strings.Replace(s.URL, "127.0.0.1", host, 1)
	pages := map[string]string{
		"/":      fmt.Sprintf(`<iframe id=f src="%s/form" %s onload="%s"></iframe>`, other, sandbox, around),
		"/form":  `<form method=post action=/begin><button id=pay>Pay 12 €</button></form>`,
		"/begin": answer, "/told": "yes",
	}
	base := s.Config.Handler
	s.Config.Handler = http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if page, ok := pages[r.URL.Path]; ok {
			w.Header().Set("Content-Type", "text/html; charset=utf-8")
			fmt.Fprint(w, "<!doctype html>", page)
			return
		}
		base.ServeHTTP(w, r)
	})
	s.answer = func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusPaymentRequired) }
	a := document(t, s.URL, `{"tool":"click","frame":["#f"],"selector":"#pay"}`)
	a.Match.URLs = append(a.Match.URLs, other[len("http://"):]+"/*")
	return s, a
}

// An answer may be a page that sends what counts, as that of a bank does: the commit is
// as done as that.
func TestWhatAFrameIsAnsweredWithMayOrder(t *testing.T) {
	t.Parallel()
	for name, answer := range answers {
		for where, host := range map[string]string{"of the same site": "127.0.0.1", "of another site": "localhost"} {
			t.Run(name+" "+where, func(t *testing.T) {
				t.Parallel()
				s, a := framed(t, host, "", answer.page, answer.around)
				_, err := replayer.Play(t.Context(), browsertest.Page(t, s.URL), a, &replayer.Options{Commit: replayer.AllowCommits, Timeout: 20 * time.Second})
				wantCode(t, err, replayer.Uncertain, 0)
				if n := s.orders.Load(); n != 1 {
					t.Errorf("%d orders", n)
				}
			})
		}
	}
}

// No timer of ours runs there either.
func TestAFrameThatMayRunNoScriptsIsNotWaitedForByThem(t *testing.T) {
	t.Parallel()
	for _, sandbox := range []string{"sandbox=allow-forms", `sandbox="allow-forms allow-same-origin"`} {
		s, a := framed(t, "127.0.0.1", sandbox, "<p>Thanks", "")
		if _, err := replayer.Play(t.Context(), browsertest.Page(t, s.URL), a, &replayer.Options{Commit: replayer.AllowCommits, Timeout: 5 * time.Second}); err != nil {
			t.Errorf("%s: %v", sandbox, err)
		}
	}
}

func TestThePagesAndFramesThatAPressOpensSendOnce(t *testing.T) {
	t.Parallel()
	for name, html := range map[string]string{
		"popup": `<img src=/a><img src=/b><img src=/c>` + strings.Replace(byForm, "<form", "<form target=_blank", 1),
		"frame": `<img src=/a><img src=/b><img src=/c>` + strings.Replace(byForm, "<form", "<form target=f", 1) + `<iframe name=f></iframe>`,
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := startTill(t, html)
			s.answer = func(http.ResponseWriter, *http.Request) { panic(http.ErrAbortHandler) }
			err := try(t, s, "", `{"tool":"click","selector":"#pay"}`, &replayer.Options{Commit: replayer.AllowCommits})
			if n := s.orders.Load(); n != 1 || err == nil {
				t.Errorf("%d orders, run says %v", n, err)
			}
		})
	}
}

func TestAFrameThatAPressOpensSendsOnce(t *testing.T) {
	t.Parallel()
	s := startTill(t, "")
	other := strings.Replace(s.URL, "127.0.0.1", "localhost", 1)
	base := s.Config.Handler
	s.Config.Handler = http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Method == "GET" && r.URL.Path == "/pay" {
			w.Header().Set("Content-Type", "text/html")
			fmt.Fprint(w, `<!doctype html><script>(async()=>{ for (const x of "abc") await (await fetch("/"+x)).text(); fetch("/order",{method:"POST"}) })()</script>`)
			return
		}
		if r.Method == "GET" && r.URL.Path == "/" {
			w.Header().Set("Content-Type", "text/html")
			fmt.Fprintf(w, `<!doctype html><button id=pay onclick="const f=document.createElement('iframe');f.src='%s/pay';document.body.append(f)">Pay 12 €</button>`, other)
			return
		}
		base.ServeHTTP(w, r)
	})
	s.answer = func(http.ResponseWriter, *http.Request) { panic(http.ErrAbortHandler) }
	page := browsertest.Page(t, s.URL)
	_, _ = replayer.Play(t.Context(), page, document(t, s.URL, fmt.Sprintf(`{"tool":"click","selector":"#pay"},{"tool":"waitForNav","url":"%s/thanks"}`, s.URL[len("http://"):])), &replayer.Options{Commit: replayer.AllowCommits, Timeout: 3 * time.Second})
	if n := s.orders.Load(); n != 1 {
		t.Errorf("%d orders", n)
	}
}

func TestWhatWasDeclinedIsNotDone(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		page, steps string
	}{
		"declined at the same address":  {byForm, `{"tool":"click","selector":"#pay"},{"tool":"waitForNav","url":"HOST/order"}`},
		"declined after a GET":          {`<button id=pay onclick="fetch('/token').then(()=>fetch('/order',{method:'POST'}))">Pay 12 €</button>`, `{"tool":"click","selector":"#pay"}`},
		"declined after a slow GET":     {`<button id=pay onclick="fetch('/slow').then((r)=>r.text()).then(()=>fetch('/order',{method:'POST'}))">Pay 12 €</button>`, `{"tool":"click","selector":"#pay"}`},
		"declined after a GET in parts": {`<button id=pay onclick="fetch('/parts').then((r)=>r.text()).then(()=>fetch('/order',{method:'POST'}))">Pay 12 €</button>`, `{"tool":"click","selector":"#pay"}`},
		"declined once it was drawn":    {`<button id=pay onclick="requestAnimationFrame(()=>setTimeout(()=>fetch('/order',{method:'POST'})))">Pay 12 €</button>`, `{"tool":"click","selector":"#pay"}`},
		"waitForNav skipped by when":    {byFetch, `{"tool":"click","selector":"#pay"},{"tool":"waitForNav","url":"HOST/order","when":{"url":"HOST/never"}}`},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := startTill(t, c.page)
			s.answer = func(w http.ResponseWriter, _ *http.Request) {
				w.WriteHeader(http.StatusPaymentRequired)
				fmt.Fprint(w, "no money")
			}
			err := try(t, s, "", strings.ReplaceAll(c.steps, "HOST", s.URL[len("http://"):]), &replayer.Options{Commit: replayer.AllowCommits})
			if err == nil {
				t.Errorf("done, though declined (%d asked)", s.orders.Load())
			}
		})
	}
}

// The page's main document has long come to rest when the frame, in a process of its
// own, sends what was pressed there.
func TestWhatAFrameOfAnotherSiteSendsLateIsWaitedFor(t *testing.T) {
	t.Parallel()
	s := startTill(t, "")
	other := strings.Replace(s.URL, "127.0.0.1", "localhost", 1)
	base := s.Config.Handler
	s.Config.Handler = http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Method != "GET" {
			base.ServeHTTP(w, r)
			return
		}
		w.Header().Set("Content-Type", "text/html")
		if r.URL.Path == "/pay" {
			fmt.Fprint(w, `<!doctype html><button id=pay onclick="setTimeout(()=>{for(const t=Date.now();Date.now()-t<500;);fetch('/order',{method:'POST'})})">Pay 12 €</button>`)
			return
		}
		fmt.Fprintf(w, `<!doctype html><iframe id=f src="%s/pay"></iframe>`, other)
	})
	s.answer = func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusPaymentRequired) }
	a := document(t, s.URL, `{"tool":"click","frame":["#f"],"selector":"#pay"}`)
	a.Match.URLs = append(a.Match.URLs, other[len("http://"):]+"/*")
	_, err := replayer.Play(t.Context(), browsertest.Page(t, s.URL), a, &replayer.Options{Commit: replayer.AllowCommits, Timeout: 20 * time.Second})
	wantCode(t, err, replayer.Uncertain, 0)
}
