package replayer_test

import (
	"slices"
	"testing"
	"time"

	"github.com/go-reprise/reprise/automation"
	"github.com/go-reprise/reprise/internal/browsertest"
	"github.com/go-reprise/reprise/replayer"
	"github.com/go-reprise/reprise/selectors"
)

func BenchmarkHoldingForReads(b *testing.B) {
	for name, html := range map[string]string{
		"sends nothing": `<button id=go>Fiksu</button>`,
		"reads":         `<button id=go onclick="fetch('/x/1')">Fiksu</button>`,
	} {
		server := serve(b, html)
		for _, policy := range []replayer.CommitPolicy{replayer.AllowCommits, replayer.AskCommits} {
			b.Run(name+"/"+string(policy), func(b *testing.B) {
				page := browsertest.Page(b, server.URL)
				s := replayer.Begin(page, &replayer.Options{Commit: policy, Timeout: 5 * time.Second})
				defer s.Close()
				selector, _ := selectors.Parse("#go")
				step := automation.Step{Tool: "click", Selector: selectors.Path{selector}}
				var took []time.Duration
				for b.Loop() {
					started := time.Now()
					if _, err := s.Do(b.Context(), step); err != nil {
						b.Fatal(err)
					}
					took = append(took, time.Since(started))
				}
				slices.Sort(took)
				b.ReportMetric(float64(took[len(took)/2].Microseconds()), "µs/median")
			})
		}
	}
}
