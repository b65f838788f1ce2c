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

// till counts what is ordered. Its pages say how the order is sent.
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
		if r.URL.Path == "/slow" { // what it says comes long after that it says something
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

// slowly is how long the till takes to say something that it says slowly.
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

// somebody answers as the test says, and keeps what they were asked.
type somebody struct {
	yes     bool
	err     error
	before  func() // the answer
	asked   []replayer.Approval
	handed  []replayer.Handoff
	taking  func()
	refuses error
}

func (s *somebody) Approve(_ context.Context, a replayer.Approval) (bool, error) {
	s.asked = append(s.asked, a)
	if s.before != nil {
		s.before()
	}
	return s.yes, s.err
}

func (s *somebody) TakeOver(_ context.Context, h replayer.Handoff) error {
	s.handed = append(s.handed, h)
	if s.taking != nil {
		s.taking()
	}
	return s.refuses
}

func TestNothingIsCommittedWithoutAYes(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		options replayer.Options
		orders  int64
	}{
		"nobody to ask":          {replayer.Options{}, 0},
		"nobody may":             {replayer.Options{Commit: replayer.RefuseCommits, Person: &somebody{yes: true}}, 0},
		"a person says no":       {replayer.Options{Person: &somebody{}}, 0},
		"a person cannot":        {replayer.Options{Person: &somebody{yes: true, err: errors.New("asleep")}}, 0},
		"a person says yes":      {replayer.Options{Person: &somebody{yes: true}}, 1},
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
	person := &somebody{yes: true, before: func() { page.Rod().MustEval(`() => { pay.textContent = "Pay 1200 €" }`) }}
	_, err := replayer.Play(t.Context(), page, placed(t, s), &replayer.Options{Person: person, Timeout: 5 * time.Second})
	wantCode(t, err, replayer.Refused, 0)
	if len(person.asked) != 1 || person.asked[0].Says != "Pay 12 €" || person.asked[0].Origin != s.URL || s.orders.Load() != 0 {
		t.Errorf("asked %+v, and %d orders were placed", person.asked, s.orders.Load())
	}
}

// A document without what follows is settled by what the server answers.
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

// ledger is a journal in memory, that can fail.
type ledger struct {
	sync.Mutex
	sent map[string]bool // run and step → seen
	fail error
}

func (l *ledger) key(run string, step int) string { return fmt.Sprint(run, " ", step) }

func (l *ledger) Sending(_ context.Context, run string, step int) error {
	l.Lock()
	defer l.Unlock()
	if l.fail != nil {
		return l.fail
	}
	if _, sent := l.sent[l.key(run, step)]; sent {
		return replayer.ErrSent
	}
	l.sent[l.key(run, step)] = false
	return nil
}

func (l *ledger) Settled(_ context.Context, run string, step int, done bool) error {
	l.Lock()
	defer l.Unlock()
	if done {
		l.sent[l.key(run, step)] = true
	} else {
		delete(l.sent, l.key(run, step))
	}
	return nil
}

func (l *ledger) Sent(_ context.Context, run string) (map[int]bool, error) {
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

func TestACommitIsWrittenDownBeforeItIsSent(t *testing.T) {
	t.Parallel()
	s := startTill(t, byForm)
	page := browsertest.Page(t, s.URL)
	l := &ledger{sent: map[string]bool{}, fail: errors.New("the disk is full")}
	_, err := replayer.Play(t.Context(), page, placed(t, s), &replayer.Options{Commit: replayer.AllowCommits, Journal: l, Timeout: 5 * time.Second})
	wantCode(t, err, replayer.Refused, 0)
	if s.orders.Load() != 0 {
		t.Error("an order was placed that nobody wrote down")
	}
	l.fail = nil
	result, err := replayer.Play(t.Context(), page, placed(t, s), &replayer.Options{Commit: replayer.AllowCommits, Journal: l, Timeout: 5 * time.Second})
	if err != nil || !l.sent[l.key(result.Run, 0)] {
		t.Errorf("%v; the journal has %v", err, l.sent)
	}
}

// An order whose consequence does not come is uncertain: no retry, no resumption and no
// other worker sends it again, until somebody has found out.
func TestWhatWasSentAndNotSeenIsNeverSentAgain(t *testing.T) {
	t.Parallel()
	s := startTill(t, byForm)
	s.answer = func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusNoContent) } // the page stays
	page := browsertest.Page(t, s.URL)
	l := &ledger{sent: map[string]bool{}}
	a := placed(t, s)
	options := &replayer.Options{Commit: replayer.AllowCommits, Journal: l, Run: "r", Timeout: time.Second}
	_, err := replayer.Play(t.Context(), page, a, options)
	e := wantCode(t, err, replayer.Uncertain, 1)
	if s.orders.Load() != 1 || e.Suggestion == nil || e.Resume == "" {
		t.Fatalf("%d orders, %+v", s.orders.Load(), e)
	}

	_, err = replayer.Play(t.Context(), page, a, options) // another worker, or the same after a crash
	wantCode(t, err, replayer.Uncertain, -1)
	for _, journal := range []replayer.Journal{l, nil} { // the token alone is enough
		_, err = replayer.Play(t.Context(), page, a, &replayer.Options{Commit: replayer.AllowCommits, Journal: journal, Resume: e.Resume, Timeout: time.Second})
		wantCode(t, err, replayer.Uncertain, -1)
	}
	if s.orders.Load() != 1 {
		t.Fatalf("%d orders", s.orders.Load())
	}

	settled, err := replayer.Settle(e.Resume, true)
	if err != nil {
		t.Fatal(err)
	}
	if err := page.Navigate(t.Context(), s.URL+"/thanks"); err != nil {
		t.Fatal(err)
	}
	again := &replayer.Options{Commit: replayer.AllowCommits, Resume: settled, Timeout: time.Second}
	if _, err := replayer.Play(t.Context(), page, a, again); err != nil || s.orders.Load() != 1 {
		t.Errorf("%v, and %d orders", err, s.orders.Load())
	}
}

func TestAnUncertainRunIsSettledByThePageThatItLedTo(t *testing.T) {
	t.Parallel()
	s := startTill(t, byForm)
	s.answer = func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusNoContent) }
	page := browsertest.Page(t, s.URL)
	a := document(t, s.URL, fmt.Sprintf(`{"tool":"click","selector":"#pay"},{"tool":"waitForNav","url":"%s/thanks"},{"tool":"extract","selector":"p","args":{"as":"said"}}`, s.URL[len("http://"):]))
	_, err := replayer.Play(t.Context(), page, a, &replayer.Options{Commit: replayer.AllowCommits, Timeout: time.Second})
	e := wantCode(t, err, replayer.Uncertain, 1)
	if err := page.Navigate(t.Context(), s.URL+"/thanks"); err != nil { // as the page would have, later
		t.Fatal(err)
	}
	result, err := replayer.Play(t.Context(), page, a, &replayer.Options{Resume: e.Resume, Timeout: 5 * time.Second})
	if err != nil || result.Outputs["said"] != "Thanks" || s.orders.Load() != 1 || result.Run == "" {
		t.Errorf("%+v, %v, %d orders", result, err, s.orders.Load())
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

// The browser gets a page's icon when it likes: nobody has clicked for that.
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

func TestARunGoesOnWhereItStopped(t *testing.T) {
	t.Parallel()
	server := serve(t, `<button id=a onclick="document.title += 'a'; b.disabled = false">A</button><button id=b disabled onclick="document.title += 'b'">B</button>
		<a id=c href="#" target=_blank>C</a><script>document.title = ""</script>`)
	page := browsertest.Page(t, server.URL)
	a := document(t, server.URL, `{"tool":"click","selector":"#a"},{"tool":"click","selector":"#gone"},{"tool":"click","selector":"#b"}`)
	_, err := replayer.Play(t.Context(), page, a, &replayer.Options{Timeout: time.Second})
	e := wantCode(t, err, replayer.Gone, 1)
	if e.Suggestion == nil || e.Suggestion.Tool != "handoff_start" {
		t.Errorf("no suggestion: %+v", e.Suggestion)
	}
	page.Rod().MustEval(`() => { const el = document.createElement("button"); el.id = "gone"; el.textContent = "x"; document.body.append(el) }`)
	result, err := replayer.Play(t.Context(), page, a, &replayer.Options{Resume: e.Resume, Timeout: 5 * time.Second})
	if err != nil || len(result.Steps) != 2 || result.Steps[0].Index != 1 {
		t.Errorf("%+v, %v", result, err)
	}
	if title := page.Rod().MustEval(`() => document.title`).Str(); title != "ab" {
		t.Errorf("the page was used as %q", title)
	}
	other := document(t, server.URL, `{"tool":"click","selector":"#a"},{"tool":"click","selector":"#b"}`)
	_, err = replayer.Play(t.Context(), page, other, &replayer.Options{Resume: e.Resume})
	wantCode(t, err, replayer.Refused, -1)
	_, err = replayer.Play(t.Context(), page, a, &replayer.Options{Resume: "r1.bm90aGluZw"})
	wantCode(t, err, replayer.Refused, -1)
}

func TestAPartOfTheStepsIsPlayed(t *testing.T) {
	t.Parallel()
	server := serve(t, `<script>document.title = ""</script>`+strings.Repeat(`<button class=b onclick="document.title += this.textContent">x</button>`, 1)+`<button id=y onclick="document.title += 'y'">y</button>`)
	page := browsertest.Page(t, server.URL)
	a := document(t, server.URL, `{"tool":"click","selector":".b"},{"tool":"click","selector":"#y"},{"tool":"click","selector":".b"}`)
	if _, err := replayer.Play(t.Context(), page, a, &replayer.Options{From: 1, Until: 2, Timeout: 5 * time.Second}); err != nil {
		t.Fatal(err)
	}
	if title := page.Rod().MustEval(`() => document.title`).Str(); title != "y" {
		t.Errorf("the page was used as %q", title)
	}
}

func TestAStepHandsOverToAPerson(t *testing.T) {
	t.Parallel()
	server := serve(t, `<script>document.title = ""</script><button id=y onclick="document.title += 'y'">y</button>`)
	page := browsertest.Page(t, server.URL)
	a := document(t, server.URL, `{"tool":"handoff","args":{"reason":"captcha","message":"please"}},{"tool":"click","selector":"#y"}`)
	_, err := replayer.Play(t.Context(), page, a, nil)
	wantCode(t, err, replayer.Blocked, 0)
	person := &somebody{taking: func() { page.Rod().MustEval(`() => { document.title += "p" }`) }}
	if _, err := replayer.Play(t.Context(), page, a, &replayer.Options{Person: person, Timeout: 5 * time.Second}); err != nil {
		t.Fatal(err)
	}
	if title := page.Rod().MustEval(`() => document.title`).Str(); title != "py" || len(person.handed) != 1 || person.handed[0].Reason != "captcha" {
		t.Errorf("%q, and handed over %+v", title, person.handed)
	}
}

func TestNobodyPaysAsSomebodyElse(t *testing.T) {
	t.Parallel()
	s := startTill(t, `<p data-email>Signed in as Ada@Example.com</p>`+byForm)
	a, err := automation.Parse(fmt.Appendf(nil, `{"format":1,"name":"test","match":{"urls":[%q]},
		"variables":{"type":"object","properties":{"email":{"type":"string"}},"required":["email"]},
		"identity":{"selector":"[data-email]","value":{"kind":"variable","name":"email"}},
		"steps":[{"tool":"click","selector":"#pay"}]}`, s.URL[len("http://"):]+"/*"))
	if err != nil {
		t.Fatal(err)
	}
	page := browsertest.Page(t, s.URL)
	_, err = replayer.Play(t.Context(), page, a, &replayer.Options{Values: replayer.Map{"email": "grace@example.com"}, Commit: replayer.AllowCommits, Timeout: 2 * time.Second})
	wantCode(t, err, replayer.OutOfScope, 0)
	if s.orders.Load() != 0 {
		t.Error("somebody else has paid")
	}
}
