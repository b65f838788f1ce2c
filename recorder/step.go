package recorder

import (
	"slices"

	"github.com/go-reprise/reprise/automation"
)

// Op is what happened to a step.
type Op string

// The changes of a recording.
const (
	Add    Op = "add"
	Update Op = "update"
	Remove Op = "remove"
)

// Change tells how the steps changed: a step has come to stand at Index, the one
// that stands there has changed, or it was taken away. A step that is moved is
// taken away and added again.
type Change struct {
	Op    Op
	Index int
	Step  automation.Step
	ID    int // of the step, as in Step.ID
}

// Step is a step of a recording that is being made.
type Step struct {
	ID      int             // names it for as long as the recording lasts, wherever it stands
	Step    automation.Step // as it would be kept now
	On      string          // what the page calls its element; "" for none
	Kind    string          // of its element: a role, or a tag; "" for none
	Typed   bool            // its value was typed, and can be made a variable or a secret
	Secret  bool            // its value is a secret
	Picture bool            // there is a picture of its element
}

// State is a recording as it is at one moment.
type State struct {
	Name     string // "" for one that is still to be made
	Steps    []Step
	Paused   bool
	Pointing Pointing // "" while nothing is to be pointed at
	Ended    bool
}

// State is the recording as it is now. changed is closed when it has become another
// one. It must not be called from OnChange.
func (r *Recorder) State() (now State, changed <-chan struct{}) {
	r.shaping.mu.Lock()
	defer r.shaping.mu.Unlock()
	now = State{Name: r.shaping.name, Paused: r.shaping.paused, Pointing: r.shaping.pointing}
	select {
	case <-r.ended:
		now.Ended = true
	default:
	}
	for i := range r.merger.entries {
		now.Steps = append(now.Steps, r.stepOf(&r.merger.entries[i]))
	}
	return now, r.shaping.changed
}

func (r *Recorder) stepOf(en *entry) Step {
	s := Step{ID: en.id, Step: en.shown(), Typed: en.typed()}
	r.unquote(&s.Step, en.el)
	for _, name := range valueNames(en.step.Value) {
		s.Secret = s.Secret || r.merger.names.isSecret(name)
	}
	if en.el != nil {
		s.Kind = en.el.kind()
		if !r.merger.names.quotedIn(en.el.label) && automation.LooksSecret(en.el.label) == "" {
			s.On = en.el.label
		}
	}
	s.Picture = r.pictures.has(en.press)
	return s
}

// kind is what an element is, in one word for people.
func (e *element) kind() string {
	if e.role != "" && e.role != "generic" {
		return e.role
	}
	return e.tag
}

// wish is what the person wants of a step, whatever the recorder makes of it.
type wish struct {
	intent   string
	effect   automation.Effect
	optional *bool
}

// shown is the step as it is told and kept.
func (en *entry) shown() automation.Step {
	step := en.step
	step.Effect, step.Intent = en.effectOf(), en.wish.intent
	if en.wish.effect != "" {
		step.Effect = en.wish.effect
	}
	if en.wish.optional != nil {
		step.Optional = *en.wish.optional
	}
	return step
}

// typed reports whether the value of a step was typed into a field.
func (en *entry) typed() bool { return en.step.Tool == "typeInput" && en.el != nil }

// at is the index of a step by its number, -1 where it is gone.
func (m *merger) at(id int) int {
	return slices.IndexFunc(m.entries, func(en entry) bool { return en.id == id })
}
