package messenger_test

import (
	"fmt"
	"slices"
	"testing"
	"time"

	"github.com/go-reprise/reprise/automation"
	"github.com/go-reprise/reprise/handoff"
	"github.com/go-reprise/reprise/internal/browsertest"
)

// BenchmarkTold measures how long after a blocker stands its person has the text, and the picture, from a server on this
// machine.
func BenchmarkTold(b *testing.B) {
	s := begin(b)
	s.takeover(b, person)
	page := browsertest.Page(b, s.site)
	var texts, pictures []time.Duration
	for b.Loop() {
		n := len(s.chat.Sent())
		began := time.Now()
		h, err := s.desk.Start(b.Context(), handoff.Request{Page: page, Reason: automation.Reason2FA, Step: -1})
		if err != nil {
			b.Fatal(err)
		}
		all := s.sent(b, n+2)
		texts, pictures = append(texts, all[n].At.Sub(began)), append(pictures, all[n+1].At.Sub(began))
		h.Cancel()
		s.sent(b, n+3)
	}
	report(b, "text", texts)
	report(b, "picture", pictures)
}

// BenchmarkRelay measures how long after a poll has returned a text stands in the field of the page. A page that looks
// all the time sees it.
func BenchmarkRelay(b *testing.B) {
	s := begin(b)
	s.takeover(b, person)
	page := browsertest.Page(b, s.site)
	s.start(b, page, handoff.Request{})
	var took []time.Duration
	n := 0
	for b.Loop() {
		n++
		value(b, page, `code.value = "", code.focus(), window.seen = new Promise((done) => code.addEventListener("input", () => done(Date.now()), { once: true })), 1`)
		s.chat.Say(person, person, fmt.Sprintf("type: %06d", n), nil)
		is, err := page.Rod().Context(browsertest.Context(b)).Eval(`() => window.seen`)
		if err != nil {
			b.Fatal(err)
		}
		_, polled := s.chat.Confirmed()
		took = append(took, max(0, time.UnixMilli(int64(is.Value.Num())).Sub(polled)))
		browsertest.Until(b, "the message to be deleted", func() bool { return len(s.chat.Deleted()) == n })
	}
	report(b, "field", took)
}

func report(b *testing.B, what string, took []time.Duration) {
	slices.Sort(took)
	b.ReportMetric(float64(took[len(took)/2].Microseconds())/1000, "ms-"+what+"/median")
	b.ReportMetric(float64(took[len(took)*95/100].Microseconds())/1000, "ms-"+what+"/p95")
}
