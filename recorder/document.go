package recorder

import (
	"fmt"
	"net/url"
	"regexp"
	"strings"

	"github.com/go-reprise/reprise/automation"
	"github.com/go-reprise/reprise/selectors"
)

// automation makes the document.
func (r *Recorder) automation() (*automation.Automation, error) {
	a := &automation.Automation{
		Name:        r.shaping.name,
		Description: r.options.Description,
		Match:       automation.Scope{URLs: r.scope(), Account: r.options.Account},
	}
	if a.Name == "" {
		a.Name = defaultName(r.start, a.Match.URLs)
		if r.merger.secrets.in(a.Name) {
			a.Name = "flow"
		}
	}
	used := map[string]bool{}
	for _, en := range r.merger.entries {
		step := en.shown()
		r.unquote(&step, en.el)
		for _, name := range valueNames(step.Value) {
			used[name] = true
		}
		a.Steps = append(a.Steps, step)
	}
	if len(a.Steps) == 0 {
		return nil, ErrNothingRecorded
	}
	var err error
	if a.Variables, err = r.merger.names.schema(used); err != nil {
		return nil, err
	}
	if err := a.Validate(); err != nil {
		return a, fmt.Errorf("what was recorded is not a valid automation: %w", err)
	}
	return a, nil
}

// unquote drops selectors that repeat what was typed as a variable, or hold what
// looks like a secret: they would fit nobody else. Where all do the element's place is
// left, which says nothing.
func (r *Recorder) unquote(step *automation.Step, el *element) {
	all := append([]selectors.Path{step.Selector}, step.Alternatives...)
	var kept []selectors.Path
	for _, path := range all {
		if text := path.String(); len(path) > 0 && !r.merger.names.quotedIn(text) && automation.LooksSecret(text) == "" {
			kept = append(kept, path)
		}
	}
	if len(kept) == 0 && len(step.Selector) > 0 && el != nil && len(el.place) > 0 {
		kept = []selectors.Path{el.place}
	}
	if len(kept) > 0 {
		step.Selector, step.Alternatives = kept[0], kept[1:]
	}
}

func valueNames(v *automation.Value) []string {
	if v == nil {
		return nil
	}
	return v.Names()
}

// scope is every host that something was done on, in the order of the steps.
func (r *Recorder) scope() []string {
	var globs []string
	seen := map[string]bool{}
	note := func(address string) {
		if glob, ok := scopeGlob(address); ok && !seen[glob] {
			seen[glob] = true
			globs = append(globs, glob)
		}
	}
	note(r.start)
	for _, en := range r.merger.entries {
		switch {
		case en.el != nil:
			note(en.el.url)
		case en.step.Tool == "navigate":
			note(en.step.URL)
		}
	}
	return globs
}

var notInName = regexp.MustCompile(`[^a-z0-9]+`)

// defaultName makes a name of a host.
func defaultName(start string, globs []string) string {
	host := ""
	if u, err := url.Parse(start); err == nil {
		host = u.Hostname()
	}
	if host == "" && len(globs) > 0 {
		host, _, _ = strings.Cut(globs[0], "/")
	}
	name := strings.Trim(notInName.ReplaceAllString(strings.ToLower(host), "-"), "-")
	if name == "" || name[0] < 'a' || name[0] > 'z' {
		name = "flow-" + name
	}
	return strings.Trim(name[:min(len(name), 50)], "-")
}
