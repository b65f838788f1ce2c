package render

import (
	"fmt"
	"io"
	"strings"

	"github.com/go-reprise/reprise/automation"
	"github.com/go-reprise/reprise/internal/cli/failure"
	"github.com/go-reprise/reprise/replayer"
)

// advice is what the user can do about each kind of failure.
var advice = map[replayer.Code]string{
	replayer.NotFound: "Look at the page with --headed. If it has changed, record the flow again, or replace the selector of the\n" +
		"step in its document (`reprise edit NAME`): what was recorded for the one before then counts no more. If the\n" +
		"element is not always there, set \"optional\": true in the step.",
	replayer.Ambiguous: "Look at the page with --headed, and replace the selector of the step in its document (`reprise edit NAME`)\n" +
		"with one that names one element.",
	replayer.Changed: "Nothing was done to it. Look at the page with --headed: if it is the right element, replace the selector of\n" +
		"the step in its document (`reprise edit NAME`) with one of it; if the site does this in another way now, record\n" +
		"the flow again.",
	replayer.NotActionable: "Look at the page with --headed: something may cover the element, or it may need another step before.",
	replayer.OutOfScope: "Nothing is done outside the addresses that the document names. If the page is the right one, add its\n" +
		"address to match.urls.",
	replayer.InvalidValue: "Give values with --var NAME=VALUE, secrets with --var-env NAME=VARIABLE or --vars FILE.",
	replayer.Timeout: "What should have followed was not seen. Look at the page with --headed: the values may have been refused,\n" +
		"or the site be slow today (--timeout).",
	replayer.Refused: "This step needs a person, or a version of Reprise that can play it. A commit step is\n" +
		"asked about where play has a terminal, and done without asking with --commit allow.",
	replayer.Blocked:          "Something is in the way that a person must deal with.",
	replayer.Uncertain:        "It may have been done, and it may not: it is not sent again. Find out on the site whether it was, and say so.",
	replayer.NavigationFailed: "Check the address, and whether this machine reaches it (a name, a proxy, a certificate of your own).",
	replayer.BrowserLost:      "The browser or the page went away: it was closed, or it crashed. Play again.",
}

// Failure writes why a run ended: the step, what was tried, and what to do.
func Failure(w io.Writer, s Style, a *automation.Automation, e *replayer.Error) {
	title := fmt.Sprintf("%s was not played", a.Name)
	if e.Step >= 0 && e.Step < len(a.Steps) {
		title = fmt.Sprintf("step %d of %d: %s", e.Step+1, len(a.Steps), Step(a.Steps[e.Step]))
	}
	fmt.Fprintf(w, "%s %s\n", s.Red("✗"), s.Bold(title))
	if e.Intent != "" {
		fmt.Fprintf(w, "  to %s\n", e.Intent)
	}
	fmt.Fprintf(w, "  %s: %s\n", e.Code, indent(e.Reason))
	if len(e.Tried) > 0 {
		fmt.Fprintln(w, "  what was tried:")
	}
	for _, t := range e.Tried {
		fmt.Fprintf(w, "    %-40s  %s\n", t.Selector, Found(t))
	}
	closest(w, e.Considered)
	if advice[e.Code] != "" {
		fmt.Fprintf(w, "  %s\n", indent(advice[e.Code]))
	}
}

// Advice is what the user can do about a kind of failure, "" where that is not known.
func Advice(code replayer.Code) string { return advice[code] }

// maxConsidered bounds how many elements that came close are written.
const maxConsidered = 3

// closest writes what was not taken, and why.
func closest(w io.Writer, all []replayer.Candidate) {
	if len(all) == 0 {
		return
	}
	fmt.Fprintln(w, "  what came closest:")
	for _, c := range all[:min(len(all), maxConsidered)] {
		fmt.Fprintf(w, "    %s\n", oneLine(c.Element))
		fmt.Fprintf(w, "      for it:     %s\n", or(traits(c.For), "nothing"))
		fmt.Fprintf(w, "      against it: %s\n", or(traits(c.Against), "nothing that it shows; but too little speaks for it, or as much for another"))
	}
	if more := len(all) - maxConsidered; more > 0 {
		fmt.Fprintf(w, "    and %d more\n", more)
	}
}

// evidence describes the features of an element, by the names of the page script.
var evidence = map[string]string{
	"testid": "its test id", "id": "its id", "name": "its name in the form", "href": "where it leads",
	"placeholder": "its placeholder", "label": "what it is called", "type": "its type of field", "tag": "its kind of element",
	"class": "its styles", "inner": "what is drawn in it", "other": "its other attributes",
	"row": "the words of its row", "heading": "the heading above it", "before": "the words before it", "after": "the words after it",
	"landmark": "the part of the page that it is in", "above": "what it is in", "place": "its place",
}

func traits(features []string) string {
	words := make([]string, len(features))
	for i, feature := range features {
		words[i] = or(evidence[feature], oneLine(feature))
	}
	return strings.Join(words, ", ")
}

func indent(text string) string { return strings.ReplaceAll(text, "\n", "\n  ") }

// Found describes what a selector that was tried has found.
func Found(t replayer.Attempt) string {
	text := fmt.Sprintf("names %d elements, %d can be seen", t.Count, t.Visible)
	switch {
	case t.Count == 0:
		text = "names nothing"
	case t.Count == 1 && t.Visible == 1:
		text = "names one element"
	case t.Count == 1:
		text = "names one element, which cannot be seen"
	}
	if t.Why != "" {
		text += " (" + t.Why + ")"
	}
	return text
}

// hints are what the user can do about an error of a command.
var hints = map[string]string{
	"not_found":           "`reprise list` shows what is stored, and where it looks is --data.",
	"no_match":            "`reprise list` shows for which addresses and accounts there is something.",
	"ambiguous":           "Name the one that is meant: reprise play NAME --account ACCOUNT.",
	"busy":                "`reprise runs` shows what is played; --wait waits for it.",
	"no_browser":          "`reprise doctor` checks the rest.",
	"browser_not_started": "`reprise doctor` looks at what may be wrong.",
}

// Error writes why a command failed, and what the user can do about it.
func Error(w io.Writer, s Style, command string, f failure.Failure) {
	reason := f.Reason
	if len(f.Problems) > 1 {
		reason = indent(reason)
	}
	fmt.Fprintf(w, "%s %s\n", s.Red("reprise:"), reason)
	if f.Code == "usage" {
		fmt.Fprintf(w, "`%s --help` says how it is used.\n", command)
	}
	if hint := hintFor(f); hint != "" {
		fmt.Fprintln(w, hint)
	}
}

// listedBy are the commands that list what `reprise list` does not, by the word that names it in an error.
var listedBy = map[string]string{"run": "reprise runs", "handoff": "reprise handoffs list", "approval": "reprise approvals list", "limit": "reprise limits list"}

func hintFor(f failure.Failure) string {
	kind, _, _ := strings.Cut(strings.TrimPrefix(f.Reason, "store: "), " ")
	if command := listedBy[kind]; command != "" && f.Code == "not_found" {
		return fmt.Sprintf("`%s` shows what is stored, and where it looks is --data.", command)
	}
	return hints[f.Code]
}
