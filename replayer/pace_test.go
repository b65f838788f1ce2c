package replayer_test

import (
	"flag"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/go-reprise/reprise/automation"
	"github.com/go-reprise/reprise/browser"
	"github.com/go-reprise/reprise/internal/browsertest"
	"github.com/go-reprise/reprise/replayer"
)

// nodesOfRow is how many elements are in a row of largePage.
const nodesOfRow = 7

// largePage is a page of about so many elements, with text of its own below.
func largePage(nodes int, below string) string {
	var rows strings.Builder
	for i := range nodes / nodesOfRow {
		fmt.Fprintf(&rows, `<tr class=row><td><input type=checkbox name=pick value=%[1]d></td><td><a href="/orders/%[1]d">Order %[1]d</a></td><td><button class="btn">Open</button></td></tr>`, i)
	}
	return `<style>table{table-layout:fixed;width:600px}</style><h1>Orders</h1><table>` + rows.String() + `</table>` + below
}

// ticking counts what a page's own timer gets done.
const ticking = `<p id=clock></p><script>let ticks = 0; const began = performance.now(); setInterval(() => { clock.textContent = ++ticks }, 10)</script>`

const goneButton = `<p><button id=go class=go onclick="location.hash='hit'">Send them all</button></p>`

var pace = flag.Bool("pace", false, "measure what a waiting step leaves to its page, on a machine that does nothing else")

// onlyMeasured skips what holds on a machine that does nothing else, and is no promise elsewhere.
func onlyMeasured(t *testing.T) {
	t.Helper()
	if !*pace {
		t.Skip("measured with -pace, on a quiet machine")
	}
}

// While a step waits for an element of a large page, the page's own timers go on nearly
// as they do without a run.
func TestAPageRunsOnWhileAStepWaits(t *testing.T) {
	onlyMeasured(t)
	server := late(t, largePage(10_000, goneButton), largePage(10_000, ticking))
	a := record(t, server.URL+"/", clickOn("#go"))
	rate := func(page *browser.Page) float64 {
		return page.Rod().MustEval("() => ticks / (performance.now() - began)").Num()
	}
	alone := browsertest.Page(t, server.URL+"/")
	alone.Rod().MustEval("() => new Promise((done) => setTimeout(done, 3000))")
	idle := rate(alone)
	if err := alone.Close(t.Context()); err != nil {
		t.Fatal(err)
	}
	page := browsertest.Page(t, "")
	_, err := replayer.Play(t.Context(), page, a, &replayer.Options{Commit: replayer.AllowCommits, Timeout: 5 * time.Second})
	wantCode(t, err, replayer.NotFound, len(a.Steps)-1)
	waiting := rate(page)
	t.Logf("the timer ran at %.0f %% of what it does on its own", 100*waiting/idle)
	if waiting < 0.8*idle {
		t.Errorf("the page's timer ran %.1f times a second while a step waited, and %.1f without", 1000*waiting, 1000*idle)
	}
}

// A look that finds nothing takes longer on a larger page; the time of the step stays. What
// comes after that is the picture of the failure, and whether something blocks the page.
func TestATimeoutIsKeptOnALargePage(t *testing.T) {
	onlyMeasured(t)
	const timeout = 6 * time.Second
	server := late(t, largePage(50_000, goneButton), largePage(50_000, ticking))
	a := record(t, server.URL+"/", clickOn("#go"))
	page := browsertest.Page(t, "")
	var started time.Time
	_, err := replayer.Play(t.Context(), page, a, &replayer.Options{
		Commit: replayer.AllowCommits, Timeout: timeout, OnStart: func(int, automation.Step) { started = time.Now() },
	})
	took := time.Since(started)
	wantCode(t, err, replayer.NotFound, len(a.Steps)-1)
	t.Logf("the step took %v of %v", took, timeout)
	if over := took - timeout; over > 500*time.Millisecond {
		t.Errorf("the step took %v longer than it had", over)
	}
}
