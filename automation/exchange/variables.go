package exchange

import (
	"encoding/json"
	"fmt"
	"net/url"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/go-reprise/reprise/automation"
)

// variables are the values that are asked for instead of being stored. Those of the
// file are known here while it is read, and written nowhere.
type variables struct {
	declared []variable
}

type variable struct {
	name   string
	secret bool
	email  bool
	seen   string // in the file; "" where it only named the variable

	forms []string // of seen, in lower case, as texts and addresses repeat it
}

// maxVariables is more than any flow asks for. Each of them is looked for in all
// texts of a file.
const maxVariables = 200

// Values in other texts: the shortest that is looked for, and the shortest that is
// looked for within words. Shorter ones are in every text: a password "test" is in
// each selector that says data-test.
const (
	shortestRepeated = 4
	shortestWithin   = 8
)

// named returns the variable of a name, as the file itself names one.
func (vs *variables) named(name string) string {
	for _, v := range vs.declared {
		if v.name == name {
			return name
		}
	}
	_, secret := fieldKind(name, "")
	vs.declared = append(vs.declared, variable{name: name, secret: secret})
	return name
}

// remember declares a variable of the file's own, whose value is not stored.
func (vs *variables) remember(name, value string) {
	vs.named(name)
	v := &vs.declared[vs.find(name)]
	_, secret := fieldKind(name, value)
	v.secret, v.seen, v.forms = v.secret || secret, value, nil
}

// ask returns the variable for a value that was typed: the one that says the same,
// or a new one.
func (vs *variables) ask(name, value string, secret bool) string {
	unique := name
	for n := 2; ; n++ {
		i := vs.find(unique)
		if i < 0 {
			vs.declared = append(vs.declared, variable{name: unique, secret: secret, email: name == "email" && anEmail.MatchString(value), seen: value})
			return unique
		}
		if vs.declared[i].seen == value {
			return unique
		}
		unique = name + "_" + strconv.Itoa(n)
	}
}

func (vs *variables) find(name string) int {
	for i, v := range vs.declared {
		if v.name == name {
			return i
		}
	}
	return -1
}

// holding returns the variable whose value this is, "" where there is none.
func (vs *variables) holding(value string) string {
	for _, v := range vs.declared {
		if len(v.seen) >= shortestRepeated && v.seen == value {
			return v.name
		}
	}
	return ""
}

// repeats reports whether a text holds a value that was taken out, plain or as
// addresses have it.
func (vs *variables) repeats(text string) bool {
	lower := strings.ToLower(text)
	for i := range vs.declared {
		if slices.ContainsFunc(vs.declared[i].repeated(), func(form string) bool { return holds(lower, form) }) {
			return true
		}
	}
	return false
}

// repeated returns the forms in which a value can stand elsewhere.
func (v *variable) repeated() []string {
	if v.forms == nil && len(v.seen) >= shortestRepeated {
		for _, form := range []string{v.seen, url.QueryEscape(v.seen), url.PathEscape(v.seen)} {
			if form = strings.ToLower(form); !slices.Contains(v.forms, form) {
				v.forms = append(v.forms, form)
			}
		}
	}
	return v.forms
}

func holds(text, value string) bool {
	if len(value) >= shortestWithin {
		return strings.Contains(text, value)
	}
	for _, quoted := range []string{`"` + value + `"`, "'" + value + "'", "=" + value + "&", "/" + value + "["} {
		if strings.Contains(text+"&", quoted) {
			return true
		}
	}
	return text == value || strings.HasSuffix(text, "/"+value)
}

// schema declares the variables that the steps use.
func (vs *variables) schema(steps []automation.Step) (json.RawMessage, error) {
	used := map[string]bool{}
	for _, step := range steps {
		for _, name := range step.Value.Names() {
			used[name] = true
		}
	}
	properties, required := map[string]any{}, []string{}
	for _, v := range vs.declared {
		if !used[v.name] {
			continue
		}
		rules := map[string]any{"type": "string"}
		if v.secret {
			rules["writeOnly"] = true
		} else if v.email {
			rules["format"] = "email"
		}
		properties[v.name] = rules
		required = append(required, v.name)
	}
	if len(required) == 0 {
		return nil, nil
	}
	return json.Marshal(map[string]any{"type": "object", "properties": properties, "required": required, "additionalProperties": false})
}

// hole is a variable in a text, as exports and Selenium write it.
var hole = regexp.MustCompile(`\$\{([A-Za-z_][A-Za-z0-9_-]{0,63})\}`)

// typed returns the value of a step that types a text into a field, of which about
// holds the words of its selectors.
func (r *reader) typed(text, about string) *automation.Value {
	if v := r.template(text); v != nil {
		return v
	}
	if name := r.variables.holding(text); name != "" {
		return &automation.Value{Kind: automation.Variable, Name: name}
	}
	name, secret := fieldKind(about, text)
	if name == "" || text == "" {
		return literal(text)
	}
	name = r.variables.ask(name, text, secret)
	what := fmt.Sprintf("what was typed says who someone is, and is asked for as the variable %q", name)
	if secret {
		what = fmt.Sprintf("what was typed looks like a secret: it is not stored, and is asked for as the variable %q", name)
	}
	r.lose(Asked, what, "Give it when you play: --var-env "+name+"=NAME_IN_THE_ENVIRONMENT")
	return &automation.Value{Kind: automation.Variable, Name: name}
}

// template returns the value of a text that names variables, nil for any other.
func (r *reader) template(text string) *automation.Value {
	holes := hole.FindAllStringSubmatchIndex(text, -1)
	if len(holes) == 0 {
		return nil
	}
	var b strings.Builder
	end, name := 0, ""
	for _, at := range holes {
		name = r.variables.named(text[at[2]:at[3]])
		b.WriteString(automation.TemplateText(text[end:at[0]]) + "${" + name + "}")
		end = at[1]
	}
	b.WriteString(automation.TemplateText(text[end:]))
	r.often(Asked, "values that the file leaves open are asked for as variables", "")
	if len(holes) == 1 && holes[0][0] == 0 && end == len(text) {
		return &automation.Value{Kind: automation.Variable, Name: name}
	}
	return &automation.Value{Kind: automation.Template, Text: b.String()}
}
