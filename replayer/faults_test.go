package replayer_test

import (
	"bufio"
	"context"
	"errors"
	"flag"
	"fmt"
	"math/rand/v2"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/go-reprise/reprise/automation"
	"github.com/go-reprise/reprise/browser"
	"github.com/go-reprise/reprise/internal/browsertest"
	"github.com/go-reprise/reprise/internal/demosite"
	"github.com/go-reprise/reprise/replayer"
)

// soak runs the long form of what takes long.
var soak = flag.Bool("soak", false, "inject 300 faults into payments, and play the demo 1,000 times")

// fault is something that breaks while a bill is paid.
type fault string

const (
	browserKilled fault = "the browser is killed"
	pageCrashed   fault = "the page crashes"
	pageClosed    fault = "the page is closed"
	offline       fault = "the network is gone"
	callerLeaves  fault = "the caller gives up"
	processKilled fault = "the process is killed"
	requestLost   fault = "the payment does not reach the server"
	replyLost     fault = "the server's reply is lost"
	serverBreaks  fault = "the server pays and answers 500"
	serverStalls  fault = "the server pays and does not answer"
	declined      fault = "the server declines"
)

var faults = []fault{browserKilled, pageCrashed, pageClosed, offline, callerLeaves, processKilled, requestLost, replyLost, serverBreaks, serverStalls, declined}

// mishap is a fault at a moment of a run.
type mishap struct {
	fault
	way
	step  int           // at which it happens
	after time.Duration // the step began
}

// billTimeout is a step's: what is lost is known to be lost after it.
const billTimeout = 2 * time.Second

func billOptions(url, reference, dir string) *replayer.Options {
	return &replayer.Options{
		Automations: paysFor{url}, Values: replayer.Map{"reference": reference, "card": "4111111111111111"}, Commit: replayer.AllowCommits,
		Run: reference, Journal: fileLedger(dir), Timeout: billTimeout,
	}
}

// fileLedger is a journal of files: one for each step that was sent.
type fileLedger string

func (l fileLedger) path(run string, step int) string {
	return filepath.Join(string(l), fmt.Sprintf("%s.%d", run, step))
}

func (l fileLedger) Begin(_ context.Context, run string, step int) error {
	f, err := os.OpenFile(l.path(run, step), os.O_CREATE|os.O_EXCL|os.O_WRONLY, 0o600)
	if errors.Is(err, os.ErrExist) {
		return replayer.ErrAlreadySent
	}
	if err != nil {
		return err
	}
	return errors.Join(f.Sync(), f.Close())
}

func (l fileLedger) Resolve(_ context.Context, run string, step int, done bool) error {
	if !done {
		return os.Remove(l.path(run, step))
	}
	return os.WriteFile(l.path(run, step), []byte("done"), 0o600)
}

func (l fileLedger) Committed(_ context.Context, run string) (map[int]bool, error) {
	prefix := strings.TrimSuffix(l.path(run, 0), "0")
	all, err := filepath.Glob(prefix + "*")
	sent := map[int]bool{}
	for _, name := range all {
		step, err := strconv.Atoi(strings.TrimPrefix(name, prefix))
		if err != nil {
			continue // of an automation that the run has played
		}
		data, err := os.ReadFile(name)
		if err != nil {
			return nil, err
		}
		sent[step] = string(data) == "done"
	}
	return sent, err
}

// bank is the demo site, reached over a network that breaks.
type bank struct {
	*demosite.Site
	url string
	mu  sync.Mutex
	now map[string]fault // by the reference's visitor: what becomes of the next payment
	hit chan struct{}    // closed when the test ends: what stalls may end
}

func openBank(t *testing.T) *bank {
	b := &bank{Site: demosite.New(&demosite.Options{NoBanner: true}), hit: make(chan struct{})}
	server := httptest.NewServer(http.HandlerFunc(b.serve))
	t.Cleanup(server.Close)
	t.Cleanup(func() { close(b.hit) })
	b.url = server.URL
	return b
}

func (b *bank) breakNext(f fault) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.now = map[string]fault{"/bill/pay": f}
}

func (b *bank) serve(w http.ResponseWriter, r *http.Request) {
	b.mu.Lock()
	f := b.now[r.URL.Path]
	b.mu.Unlock()
	if f != "" && f != declined && f != requestLost {
		b.Site.ServeHTTP(httptest.NewRecorder(), r)
	}
	switch f {
	case requestLost, replyLost:
		panic(http.ErrAbortHandler)
	case serverBreaks:
		http.Error(w, "broken", http.StatusInternalServerError)
	case declined:
		http.Error(w, "no money", http.StatusPaymentRequired)
	case serverStalls:
		select {
		case <-b.hit:
		case <-r.Context().Done():
		}
	default:
		b.show(w, r)
	}
}

func (b *bank) paid(reference string) int {
	n := 0
	for _, p := range b.Payments() {
		if p.Reference == reference {
			n++
		}
	}
	return n
}

// However a payment breaks, it is made once or not at all, and the run reports which, or
// that it does not know. A second worker that takes the run up changes nothing of that.
func TestNoBillIsPaidTwiceWhateverBreaks(t *testing.T) {
	t.Parallel()
	count := 33
	if *soak {
		count = 330
	}
	dir := t.TempDir()
	said := map[string]map[string]int{}
	var mu sync.Mutex
	var all sync.WaitGroup
	next := make(chan int)
	for range atOnce {
		b := openBank(t)
		all.Go(func() {
			for i := range next {
				m := mishapOf(i)
				first, last := b.endure(t, dir, fmt.Sprintf("F-%d", i+1), m)
				mu.Lock()
				for _, of := range []string{string(m.fault), m.way.name} {
					if said[of] == nil {
						said[of] = map[string]int{}
					}
					said[of][first+", then "+last]++
				}
				mu.Unlock()
			}
		})
	}
	for i := range count {
		next <- i
	}
	close(next)
	all.Wait()
	for _, f := range faults {
		t.Logf("%-42s %v", f, said[string(f)])
	}
	for _, w := range ways {
		t.Logf("%-42s %v", w.name, said[w.name])
	}
}

// atOnce is how many bills are paid at the same time, each to a bank of its own: most of
// the time is spent waiting for what does not come.
const atOnce = 4

// mishapOf is the same for the same number: each fault in turn, each way in turn, half of
// them where something is at stake.
func mishapOf(i int) mishap {
	random := rand.New(rand.NewPCG(uint64(i), 5))
	w := ways[(i+2*(i/len(faults)))%len(ways)]
	m := mishap{faults[i%len(faults)], w, random.IntN(w.steps), time.Duration(random.IntN(int(w.takes)))}
	if random.IntN(2) == 0 {
		m.step = min(w.pays+random.IntN(2), w.steps-1)
	}
	return m
}

// endure pays a bill while something breaks, has another worker take the run up, and
// judges both by what the bank knows.
func (b *bank) endure(t *testing.T, dir, reference string, m mishap) (first, last string) {
	t.Helper()
	switch m.fault {
	case requestLost, replyLost, serverBreaks, serverStalls, declined:
		b.breakNext(m.fault)
	}
	if m.fault == processKilled {
		first = b.killed(t, dir, reference, m)
	} else {
		first = b.attempt(t, dir, reference, m.way, &m)
	}
	b.judge(t, reference, m, first)
	b.breakNext("")
	before := b.paid(reference)
	last = b.attempt(t, dir, reference, m.way, nil)
	b.judge(t, reference, m, last)
	if before > 0 && b.paid(reference) != before {
		t.Errorf("%s, %s, %s at step %d: it was paid %d times", reference, m.name, m.fault, m.step+1, b.paid(reference))
	}
	return first, last
}

// The guard of a commit ends with it, and that of the next commit begins right after.
func TestABillIsPaidOnceRightBehindAnotherCommit(t *testing.T) {
	t.Parallel()
	count := 12
	if *soak {
		count = 120
	}
	inFrame := ways[slices.IndexFunc(ways, func(w way) bool { return w.name == "in a frame" })]
	dir := t.TempDir()
	var all sync.WaitGroup
	for worker := range atOnce {
		b := openBank(t)
		b.breakNext(replyLost)
		all.Go(func() {
			for i := range count / atOnce {
				reference := fmt.Sprintf("C-%d", worker+i*atOnce)
				a, err := inFrame.document(b.url)
				if err != nil {
					t.Error(err)
					return
				}
				a.Steps[inFrame.pays-1].Effect = automation.Commit
				page := browsertest.Page(t, "")
				o := billOptions(b.url, reference, dir)
				o.Timeout = 10 * billTimeout // nothing is lost by it: each step is seen to succeed or fail
				result, err := replayer.Play(t.Context(), page, a, o)
				said := outcome(result, err)
				leavePage(page, nil)
				if said != "uncertain" || b.paid(reference) > 1 {
					t.Errorf("%s: the run says %s (%v), and it was paid %d times", reference, said, err, b.paid(reference))
				}
			}
		})
	}
	all.Wait()
}

// judge compares what a run reports with what the bank knows.
func (b *bank) judge(t *testing.T, reference string, m mishap, said string) {
	t.Helper()
	paid := b.paid(reference)
	ok := map[string]bool{"done": paid == 1, "failed": paid == 0, "failed after it": paid == 1, "uncertain": paid <= 1, "killed": paid <= 1}[said]
	if !ok {
		t.Errorf("%s, %s, %s %v into step %d: the run says %s, and it was paid %d times", reference, m.name, m.fault, m.after, m.step+1, said, paid)
	}
}

// attempt plays the payment once; a mishap may strike.
func (b *bank) attempt(t *testing.T, dir, reference string, w way, m *mishap) string {
	t.Helper()
	ctx, leave := context.WithCancel(t.Context())
	defer leave()
	page := browsertest.Page(t, "")
	if m != nil && m.fault == browserKilled {
		page = ownPage(t)
	}
	a, err := w.document(b.url)
	if err != nil {
		t.Fatal(err)
	}
	o := billOptions(b.url, reference, dir)
	o.OnStart = func(i int, _ automation.Step) {
		if m != nil && i == m.step {
			time.AfterFunc(m.after, func() { m.strike(page, leave) })
		}
	}
	result, err := replayer.Play(ctx, page, a, o)
	leavePage(page, m)
	return outcome(result, err)
}

// leavePage closes what an attempt has used: hundreds follow it.
func leavePage(page *browser.Page, m *mishap) {
	ctx, cancel := context.WithTimeout(context.Background(), billTimeout)
	defer cancel()
	_ = page.Close(ctx) // it may be lost, or crashed
	if m != nil && m.fault == browserKilled {
		_ = page.Browser().Close()
	}
}

func ownPage(t *testing.T) *browser.Page {
	t.Helper()
	own, err := browser.Launch(t.Context(), nil)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { own.Close() })
	page, err := own.NewPage(t.Context(), "")
	if err != nil {
		t.Fatal(err)
	}
	return page
}

// outcome is what a run reports. One that ended early reports of each step whether
// it was done: what commits counts as done when its consequence was seen.
func outcome(result *replayer.Result, err error) string {
	var e *replayer.Error
	switch {
	case err == nil:
		return "done"
	case errors.As(err, &e) && e.Code == replayer.Uncertain:
		return "uncertain"
	case committed(result.Steps) || errors.As(err, &e) && committed(e.Steps):
		return "failed after it"
	}
	return "failed"
}

func committed(steps []replayer.StepResult) bool {
	return slices.ContainsFunc(steps, func(s replayer.StepResult) bool { return s.Effect == automation.Commit || committed(s.Steps) })
}

func (m *mishap) strike(page *browser.Page, leave func()) {
	p := page.Target()
	if popups := p.Popups(); len(popups) > 0 && m.fault != browserKilled {
		p = popups[0]
	}
	switch m.fault {
	case browserKilled:
		p.Tree().Client().Send("", "Browser.crash", nil)
	case pageCrashed:
		p.Send("Page.crash", nil)
	case pageClosed:
		p.Tree().Client().Send("", "Target.closeTarget", map[string]any{"targetId": p.ID()})
	case offline:
		p.Send("Network.enable", nil)
		p.Send("Network.emulateNetworkConditions", map[string]any{"offline": true, "latency": 0, "downloadThroughput": 0, "uploadThroughput": 0})
	case callerLeaves:
		leave()
	}
}

// The child of a test that kills it: it pays, and reports which step it is at.
const (
	childURL = "REPRISE_TEST_BILL_URL"
	childRef = "REPRISE_TEST_BILL_REFERENCE"
	childDir = "REPRISE_TEST_BILL_JOURNAL"
	childWay = "REPRISE_TEST_BILL_WAY"
)

func isChild() bool { return os.Getenv(childURL) != "" }

// payAsChild is the whole program of the child.
func payAsChild() error {
	ctx := context.Background()
	b, err := browser.Launch(ctx, nil)
	if err != nil {
		return err
	}
	defer b.Close()
	page, err := b.NewPage(ctx, "")
	if err != nil {
		return err
	}
	w := ways[slices.IndexFunc(ways, func(w way) bool { return w.name == os.Getenv(childWay) })]
	a, err := w.document(os.Getenv(childURL))
	if err != nil {
		return err
	}
	o := billOptions(os.Getenv(childURL), os.Getenv(childRef), os.Getenv(childDir))
	o.OnStart = func(i int, _ automation.Step) { fmt.Println(i) }
	result, err := replayer.Play(ctx, page, a, o)
	fmt.Println(outcome(result, err))
	return nil
}

// killed has another process pay, and kills it.
func (b *bank) killed(t *testing.T, dir, reference string, m mishap) string {
	t.Helper()
	child := exec.CommandContext(t.Context(), os.Args[0], "-test.run=^$")
	child.Env = append(os.Environ(), childURL+"="+b.url, childRef+"="+reference, childDir+"="+dir, childWay+"="+m.way.name)
	child.Stderr = os.Stderr
	out, err := child.StdoutPipe()
	if err == nil {
		err = child.Start()
	}
	if err != nil {
		t.Fatal(err)
	}
	said := "killed"
	for lines := bufio.NewScanner(out); lines.Scan(); {
		switch line := lines.Text(); {
		case line == fmt.Sprint(m.step):
			time.AfterFunc(m.after, func() { _ = child.Process.Kill() })
		case line == "done", line == "failed", line == "failed after it", line == "uncertain":
			said = line
		}
	}
	_ = child.Wait() // it was killed, or had ended
	return said
}

// way is where a bill is paid.
type way struct {
	name  string
	doc   string // its steps: %[1]s is the site, %[2]s that without its scheme
	steps int
	pays  int           // the step that does
	takes time.Duration // in which something may happen after a step began
}

var ways = []way{
	{"on a page", `{"tool":"navigate","url":"%[1]s/bill"},` + billSteps("", true), 8, 5, 60 * time.Millisecond},
	{"in a frame", `{"tool":"navigate","url":"%[1]s/framed"},` + billSteps(`"frame":["#bank"],`, false), 6, 4, 60 * time.Millisecond},
	{"in a tab that it opens", `
		{"tool":"navigate","url":"%[1]s/opening"},
		{"tool":"click","selector":"#open","expect":[{"kind":"popup","page":"bank"}]},` + billSteps(`"page":"bank",`, true), 9, 6, 60 * time.Millisecond},
	{"by another automation", `{"tool":"navigate","url":"%[1]s/opening"},{"tool":"run","args":{"name":"pay-bill"}}`, 2, 1, time.Second},
}

// billSteps pay the bill that is shown, somewhere.
func billSteps(where string, navigates bool) string {
	steps := `
		{"tool":"typeInput",WHERE"selector":"#reference","value":{"kind":"variable","name":"reference"}},
		{"tool":"typeInput",WHERE"selector":"#card","value":{"kind":"variable","name":"card"}},
		{"tool":"click",WHERE"selector":"#continue"},
		{"tool":"waitForNav",WHERE"url":"%[2]s/bill/review"},
		{"tool":"click",WHERE"selector":"#pay"},
		{"tool":"waitForNav",WHERE"url":"%[2]s/bill/paid"},
		{"tool":"extract",WHERE"selector":"#reference","args":{"as":"paid"}}`
	if !navigates {
		steps = strings.NewReplacer(`
		{"tool":"waitForNav",WHERE"url":"%[2]s/bill/review"},`, "", `
		{"tool":"waitForNav",WHERE"url":"%[2]s/bill/paid"},`, "").Replace(steps)
	}
	return strings.ReplaceAll(steps, "WHERE", where)
}

// document is the automation that pays this way.
func (w way) document(url string) (*automation.Automation, error) {
	host := strings.TrimPrefix(url, "http://")
	return automation.Parse(fmt.Appendf(nil, `{"format":1,"name":"pay-bill","match":{"urls":["%[2]s/*"]},
		"variables":{"type":"object","properties":{"reference":{"type":"string"},"card":{"type":"string","writeOnly":true}},"required":["reference","card"]},
		"steps":[`+w.doc+`]}`, url, host))
}

// paysFor is the automation that others play.
type paysFor struct{ url string }

func (p paysFor) Get(context.Context, string, string) (*automation.Automation, error) {
	return ways[0].document(p.url)
}

// show is the site, with pages of others around it: one that has the bill in a frame, and
// one that opens it.
func (b *bank) show(w http.ResponseWriter, r *http.Request) {
	around := map[string]string{
		"/framed":  `<iframe id=bank src=/bill width=900 height=500></iframe>`,
		"/opening": `<a id=open href=/bill target=_blank>See the bill</a>`,
	}
	if html, ok := around[r.URL.Path]; ok {
		w.Header().Set("Content-Type", "text/html; charset=utf-8")
		fmt.Fprint(w, "<!doctype html><title>shop</title>", html)
		return
	}
	shown := httptest.NewRecorder()
	b.Site.ServeHTTP(shown, r)
	for name, values := range shown.Header() {
		w.Header()[name] = values
	}
	policy := w.Header().Get("Content-Security-Policy")
	w.Header().Set("Content-Security-Policy", strings.Replace(policy, "frame-ancestors 'none'", "frame-ancestors 'self'", 1))
	w.WriteHeader(shown.Code)
	_, _ = w.Write(shown.Body.Bytes()) // fails only when the browser has gone
}

// The browser that a program launched ends with it, and with what was held.
func TestWhatIsHeldIsNotSentByABrowserThatEnds(t *testing.T) {
	t.Parallel()
	for _, way := range []string{"fetch", "form"} {
		b := startBox(t, map[string]string{"/": senders[way]})
		own, err := browser.Launch(t.Context(), &browser.Options{})
		if err != nil {
			t.Fatal(err)
		}
		page, err := own.NewPage(t.Context(), b.URL)
		if err != nil {
			t.Fatal(err)
		}
		person := &approver{yes: true, before: func() { _ = own.Close() }}
		_, err = replayer.Play(context.Background(), page, document(t, b.URL, `{"tool":"click","selector":"#go"}`), &replayer.Options{Person: person, Timeout: 5 * time.Second})
		if err == nil || len(person.asked) != 1 {
			t.Errorf("%s: %v, asked %+v", way, err, person.asked)
		}
		if got := b.all(); len(got) != 0 {
			t.Errorf("%s: %v arrived", way, got)
		}
	}
}
