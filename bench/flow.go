package bench

import (
	"context"
)

// act is what a step does.
type act string

const (
	goTo   act = "goto"   // text is a path of the site
	fill   act = "fill"   // a field that text is typed into
	choose act = "choose" // a list that the option named text is chosen in
	set    act = "set"    // a field with a picker of the browser's own
	press  act = "press"
	tick   act = "tick"   // a box or a button of a group that is to be on, and is off
	arrive act = "arrive" // at the path text, whose page shows css
	see    act = "see"    // until it is visible
)

// step is one thing to do, in terms that every client has.
type step struct {
	Do   act    `json:"do"`
	CSS  string `json:"css,omitempty"`
	Text string `json:"text,omitempty"`
	// Frames lead to the document, outermost first; Cross is whether the first of them is
	// of another site. Host has the element in its shadow root.
	Frames []string `json:"frames,omitempty"`
	Cross  bool     `json:"cross,omitempty"`
	Host   string   `json:"host,omitempty"`
	// Moves is whether the page brings the element in on its own, and is not done
	// with it when it is there.
	Moves bool `json:"moves,omitempty"`
	// Variable names the text in documents that are not recorded.
	Variable string `json:"variable,omitempty"`
}

// script is what all clients are to do.
type script struct {
	Name  string `json:"name"`
	Steps []step `json:"steps"`
	// Scripted is whether the page does nothing right before its scripts have run.
	Scripted bool `json:"scripted,omitempty"`
}

// flow is a script that the server judges.
type flow struct {
	script
	// done asks the server what became of the flow: it is called before a run,
	// and what it returns, after it.
	done func(*stage) (verdict func(context.Context) error)
}

// values are what its variables are played with.
func (s script) values() map[string]string {
	values := map[string]string{}
	for _, step := range s.Steps {
		if step.Variable != "" {
			values[step.Variable] = step.Text
		}
	}
	return values
}

// flows are all that are compared.
func flows() []flow {
	return []flow{formFlow(), signInFlow(), todoFlow(), stockFlow(), framesFlow()}
}
