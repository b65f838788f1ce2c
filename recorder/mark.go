package recorder

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strings"

	"github.com/go-reprise/reprise/automation"
	"github.com/go-reprise/reprise/internal/redact"
	"github.com/go-reprise/reprise/internal/target"
	"github.com/go-reprise/reprise/internal/weburl"
)

// ErrNotTyped: only what was typed into a field can be made a variable or a secret.
var ErrNotTyped = errors.New("this step types nothing: only what is typed can be a variable or a secret")

// MarkVariable makes a variable of what was typed in a step, and of what is typed in
// its field from now on. The name is made from the field where it is "".
func (r *Recorder) MarkVariable(ctx context.Context, id int, name string) error {
	return r.edit(ctx, id, func(i int) error {
		en := &r.merger.entries[i]
		if !en.typed() {
			return ErrNotTyped
		}
		if r.merger.secrets.in(name) {
			return errRepeats
		}
		if err := r.merger.names.mark(en, name); err != nil {
			return err
		}
		r.merger.changed(Update, i)
		return nil
	})
}

// RenameVariable gives a variable another name, wherever it is used.
func (r *Recorder) RenameVariable(ctx context.Context, from, to string) error {
	return r.change(ctx, func() error {
		vs := r.merger.names
		i := vs.find(from)
		if i < 0 {
			return fmt.Errorf("there is no variable %q", from)
		}
		if err := vs.checkName(to); err != nil {
			return err
		}
		if r.merger.secrets.in(to) {
			return errRepeats
		}
		vs.declared[i].name = to
		r.merger.renamed(from, to)
		return nil
	})
}

// errRepeats: what a person says of a recording is kept with it.
var errRepeats = errors.New("it repeats a secret that was typed, and would be kept with the steps")

// renamed has the steps use a variable by its new name.
func (m *merger) renamed(from, to string) {
	for i, en := range m.entries {
		if v := en.step.Value; v != nil && v.Kind == automation.Variable && v.Name == from {
			m.entries[i].step.Value = &automation.Value{Kind: automation.Variable, Name: to}
			m.changed(Update, i)
		}
	}
}

// MarkSecret makes a secret of what was typed in a step. What had been typed there is
// forgotten, wherever the recording held it, and nothing of that field is told any
// more, in this document or a later one: it is known by what it is called. Nothing
// that repeats it is told either. That cannot be taken back.
func (r *Recorder) MarkSecret(ctx context.Context, id int) error {
	var marked *element
	var held redact.Hashes
	err := r.shape(ctx, func() error {
		i := r.merger.at(id)
		if i < 0 {
			return ErrNoStep
		}
		if !r.merger.entries[i].typed() {
			return ErrNotTyped
		}
		marked = r.merger.entries[i].el
		r.shaping.hidden = append(r.shaping.hidden, markOf(marked))
		held = r.merger.secrets.hashesOf(r.merger.typedIn(r.shaping.hides)...)
		return nil
	})
	if err != nil {
		return err
	}
	if err := r.page.Hide(ctx, r.hiddenNow(), held); err != nil {
		return fmt.Errorf("marking a field as secret: %w", err)
	}
	r.hear(ctx) // what was told before stands in the recording, and goes with the rest
	return r.shape(ctx, func() error {
		r.merger.conceal(marked, r.shaping.hides)
		r.forget()
		r.merger.version++
		r.shaping.edits = []edit{{after: r.merger.version, good: true}}
		return nil
	})
}

// mark is how a field is known that is a secret because the person says so: by what
// it is called, in documents of its origin.
type mark struct {
	origin string
	names  []string // name and id
	label  string
	id     string // of the element, as long as its document is there
}

func markOf(el *element) mark {
	return mark{origin: originOf(el.url), names: slices.Clone(el.fieldNames), label: el.label, id: el.id}
}

func originOf(address string) string {
	if origin, ok := weburl.OriginOf(address); ok {
		return origin
	}
	return address
}

// fits reports whether an element is the field, or one that is called so.
func (k *mark) fits(el *element) bool {
	if el.id == k.id {
		return true
	}
	if originOf(el.url) != k.origin || el.inputType == "" {
		return false
	}
	for i, name := range el.fieldNames {
		if name != "" && i < len(k.names) && name == k.names[i] {
			return true
		}
	}
	return el.label != "" && el.label == k.label
}

func (s *shaping) hides(el *element) bool {
	return s.markOn(el) != nil
}

func (s *shaping) markOn(el *element) *mark {
	for i := range s.hidden {
		if s.hidden[i].fits(el) {
			return &s.hidden[i]
		}
	}
	return nil
}

func (r *Recorder) hiddenNow() []target.Hidden {
	r.shaping.mu.Lock()
	defer r.shaping.mu.Unlock()
	var all []target.Hidden
	for _, k := range r.shaping.hidden {
		all = append(all, target.Hidden{Origin: k.origin, Names: k.names, Label: k.label, Element: k.id})
	}
	return all
}

// conceal keeps what was typed in a hidden field from going further, where its
// document did not know yet that it is one, and has it be the same variable.
func (r *Recorder) conceal(e *event) {
	if e.el == nil || e.kind != input {
		return
	}
	k := r.shaping.markOn(e.el)
	if k == nil {
		return
	}
	e.value, e.secret = "", true
	if i, known := r.merger.names.byField[k.id]; known {
		r.merger.names.byField[e.el.id] = i
	}
}

var variableName = regexp.MustCompile(`^[A-Za-z_][A-Za-z0-9_-]{0,63}$`)

func (vs *variables) checkName(name string) error {
	switch {
	case !variableName.MatchString(name):
		return fmt.Errorf("%q is no name for a variable: it begins with a letter and has letters, digits, _ and - only", name)
	case vs.find(name) >= 0:
		return fmt.Errorf("there is a variable %q already: choose another name", name)
	}
	return nil
}

// mark makes a variable of the value of a step.
func (vs *variables) mark(en *entry, name string) error {
	i, known := vs.byField[en.el.id]
	switch {
	case known && name == "":
		return nil
	case known:
		return fmt.Errorf("it is the variable %q already", vs.declared[i].name)
	case name == "":
		name = vs.free(calledLike(en.el))
	}
	if err := vs.checkName(name); err != nil {
		return err
	}
	typed := textOf(en.step.Value)
	vs.declared = append(vs.declared, variable{name: name, schema: schemaOf(event{el: en.el, value: typed}), typed: typed})
	vs.byField[en.el.id] = len(vs.declared) - 1
	en.step.Value = &automation.Value{Kind: automation.Variable, Name: name}
	return nil
}

// free is the name, or one made of it that is not taken.
func (vs *variables) free(name string) string {
	unique := name
	for n := 2; vs.find(unique) >= 0; n++ {
		unique = fmt.Sprintf("%s_%d", name, n)
	}
	return unique
}

// calledLike makes a name for a variable of what its field is called.
func calledLike(el *element) string {
	for _, name := range append([]string{nameOf(el, false), el.label}, el.fieldNames...) {
		name = strings.Trim(notInVariable.ReplaceAllString(strings.ToLower(name), "_"), "_")
		if name != "" && len(name) <= longestFileName && name[0] >= 'a' && name[0] <= 'z' {
			return name
		}
	}
	return "value"
}

func (vs *variables) isSecret(name string) bool {
	i := vs.find(name)
	return i >= 0 && vs.declared[i].secret
}

func (vs *variables) clone() variables {
	return variables{declared: slices.Clone(vs.declared), byField: maps.Clone(vs.byField), username: vs.username}
}
