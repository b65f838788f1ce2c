package render

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/go-reprise/reprise/automation"
	"github.com/go-reprise/reprise/recorder"
	"github.com/go-reprise/reprise/selectors"
)

// changes are those of a person who tabs into a field, types, and presses a button.
var changes = []recorder.Change{
	{Op: recorder.Add, Index: 0, Step: automation.Step{Tool: "navigate", URL: "http://localhost/"}},
	{Op: recorder.Add, Index: 1, Step: automation.Step{Tool: "click", Selector: css("#city")}},
	{Op: recorder.Add, Index: 2, Step: automation.Step{Tool: "keypress", Key: "Tab"}},
	{Op: recorder.Remove, Index: 2},
	{Op: recorder.Remove, Index: 1},
	{Op: recorder.Add, Index: 1, Step: typed(`"L"`)},
	{Op: recorder.Update, Index: 1, Step: typed(`"Li"`)},
	{Op: recorder.Update, Index: 1, Step: typed(`"Linz"`)},
	{Op: recorder.Add, Index: 2, Step: automation.Step{Tool: "click", Selector: css("#go")}},
	{Op: recorder.Update, Index: 0, Step: automation.Step{Tool: "navigate", URL: "http://localhost/de"}},
}

func css(body string) selectors.Path { return selectors.Path{{Kind: selectors.CSS, Body: body}} }

func typed(literal string) automation.Step {
	return automation.Step{Tool: "typeInput", Selector: css("#city"), Value: &automation.Value{Kind: automation.Literal, Value: []byte(literal)}}
}

func TestALogHoldsEachStepOnceItIsCertain(t *testing.T) {
	t.Parallel()
	var b strings.Builder
	r := NewRecording(&b, Style{}, nil)
	for _, c := range changes {
		r.Change(c)
	}
	r.End()
	want := `   1  navigate http://localhost/
   2  click #city
   2 was taken back, or is a part of what follows
   2  typeInput #city = "Linz"
   1  navigate http://localhost/de
   3  click #go
`
	if diff := cmp.Diff(want, b.String()); diff != "" {
		t.Errorf("the log (-want +got):\n%s", diff)
	}
}

func TestOnATerminalTheLinesAreTheSteps(t *testing.T) {
	t.Parallel()
	var b strings.Builder
	r := NewRecording(&b, Style{}, func() int { return 31 })
	for _, c := range changes {
		r.Change(c)
	}
	r.Change(recorder.Change{Op: recorder.Add, Index: 3, Step: automation.Step{Tool: "click", Selector: css("#" + strings.Repeat("long", 20))}})
	r.End()
	want := []string{
		"   1  navigate http://localho…", // cut, so that a line is one line
		`   2  typeInput #city = "Linz"`,
		"   3  click #go",
		"   4  click #longlonglonglong…",
	}
	if diff := cmp.Diff(want, screen(b.String())); diff != "" {
		t.Errorf("the terminal (-want +got):\n%s", diff)
	}
}

// screen is what a terminal shows in the end: lines, and ESC[nA ESC[J for going up
// and clearing.
func screen(output string) []string {
	var lines []string
	for output != "" {
		if after, ok := strings.CutPrefix(output, "\x1b["); ok {
			up := int(after[0] - '0')
			lines = lines[:len(lines)-up]
			output = strings.TrimPrefix(after[2:], "\x1b[J")
			continue
		}
		line, rest, _ := strings.Cut(output, "\n")
		lines, output = append(lines, line), rest
	}
	return lines
}
