package render

import (
	"fmt"
	"strings"

	"github.com/go-reprise/reprise/agent/autonomy"
	"github.com/go-reprise/reprise/internal/plaintext"
	"github.com/go-reprise/reprise/store"
)

// GuardCounts describes how often an agent stopped to ask, and how that was handled.
func GuardCounts(g *store.GuardCounts) string {
	words := fmt.Sprintf("asked in %d of %d answers", g.Asking, g.Answers)
	for _, part := range []struct {
		n     int
		words string
	}{{g.Continued, "told to go on"}, {g.NeedsPerson, "handed to a person"}, {g.Reported, "ended with a report"}} {
		if part.n > 0 {
			words += fmt.Sprintf(", %d %s", part.n, part.words)
		}
	}
	if g.LogOnly {
		words += " (only noted, nothing was done)"
	}
	return words
}

// Verdict is the guard's verdict on an answer as guard --json prints it.
type Verdict struct {
	Message int `json:"message"` // of the transcript, from 1 on
	autonomy.Verdict
	Would *autonomy.Response `json:"would,omitempty"`
	Text  string             `json:"-"` // of the answer
}

// Guarded are the verdicts on a transcript as guard --json prints them.
type Guarded struct {
	Answers []Verdict      `json:"answers"`
	Stats   autonomy.Stats `json:"stats"`
}

// Summary describes the answers that ask, or with verbose all of them and all reasons.
func (g Guarded) Summary(s Style, verbose bool) string {
	var b strings.Builder
	for _, v := range g.Answers {
		switch {
		case v.Asking:
			fmt.Fprintf(&b, "%s message %d asks a person, confidence %.2f\n", s.Red("✗"), v.Message, v.Confidence)
		case verbose:
			fmt.Fprintf(&b, "%s message %d goes on, confidence %.2f that it asks\n", s.Green("✓"), v.Message, v.Confidence)
		default:
			continue
		}
		for i, r := range v.Reasons {
			if i > 0 && !verbose {
				break
			}
			fmt.Fprintf(&b, "    %s %.2f: %s\n", r.Feature, r.Weight, plaintext.Line(v.Text[r.Span.Start:r.Span.End]))
		}
		if !v.Asking {
			continue
		}
		if v.Topic != autonomy.None {
			fmt.Fprintf(&b, "    about: %s\n", v.Topic)
		}
		if v.Likely != "" {
			fmt.Fprintf(&b, "    if told yes: %s\n", plaintext.Printable(v.Likely))
		}
		if v.Would != nil {
			fmt.Fprintf(&b, "    %s: %s\n", v.Would.Action, plaintext.Printable(strings.ReplaceAll(v.Would.Text, "\n", " ")))
		}
	}
	fmt.Fprintf(&b, "%d of %d answers ask, %d of them what only a person may decide\n", g.Stats.Asking, g.Stats.Answers, g.Stats.NeedsPerson)
	return b.String()
}
