package exchange

import (
	"bytes"
	"fmt"
	"regexp"
	"strings"

	"github.com/go-reprise/reprise/automation"
)

// tsWriter writes a test for @playwright/test.
type tsWriter struct {
	*writer
	body  bytes.Buffer
	depth int
	tabs  map[string]string // the names of tabs in the test, by those in the document
}

func writePlaywright(w *writer) ([]byte, error) {
	t := &tsWriter{writer: w, depth: 1, tabs: map[string]string{"": "page"}}
	w.conditional = true
	t.readValues()
	w.each(t.write)
	var b bytes.Buffer
	fmt.Fprintf(&b, "// Written by \"reprise export --to playwright\", and yours to change.\nimport { test, expect } from '@playwright/test';\n\n")
	if len(w.declared.Names()) > 0 {
		b.WriteString(tsValue)
	}
	fmt.Fprintf(&b, "test(%s, async ({ page }) => {\n%s});\n", tsString(w.title()), t.body.Bytes())
	return b.Bytes(), nil
}

// tsValue reads the environment. What is not there has no type in a project
// without Node's own, so it is declared.
const tsValue = `declare const process: { env: Record<string, string | undefined> };

function value(name: string, otherwise?: string): string {
  const given = process.env[name] ?? otherwise;
  if (given === undefined) throw new Error(` + "`Please set ${name}.`" + `);
  return given;
}

`

// line writes a line of the test.
func (t *tsWriter) line(format string, args ...any) {
	t.body.WriteString(strings.Repeat("  ", t.depth))
	fmt.Fprintf(&t.body, format, args...)
	t.body.WriteByte('\n')
}

// readValues writes where the values of variables come from. Those of secrets have
// no default.
func (t *tsWriter) readValues() {
	names := t.declared.Names()
	if len(names) == 0 {
		return
	}
	environment := t.environment()
	t.line("const values = {")
	for _, name := range names {
		otherwise := ""
		if known, is := t.known(name); is {
			otherwise = ", " + tsString(known)
		}
		t.line("  %s: value(%s%s),", tsKey(name), tsString(environment[name]), otherwise)
	}
	t.line("};")
}

var tsName = regexp.MustCompile(`^[A-Za-z_][A-Za-z0-9_]*$`)

func tsKey(name string) string {
	if tsName.MatchString(name) {
		return name
	}
	return tsString(name)
}

// tsVariable is an expression that gives a variable's value.
func tsVariable(name string) string {
	if tsName.MatchString(name) {
		return "values." + name
	}
	return "values[" + tsString(name) + "]"
}

// value is an expression that gives a value.
func (t *tsWriter) value(v *automation.Value) string {
	switch {
	case v == nil:
		return "''"
	case v.Kind == automation.Variable:
		return tsVariable(v.Name)
	case v.Kind == automation.Literal:
		return tsString(plain(v.Value))
	}
	var parts []string
	text := func(text string) {
		if text != "" {
			parts = append(parts, tsString(strings.ReplaceAll(text, "$${", "${")))
		}
	}
	end := 0
	for _, at := range hole.FindAllStringSubmatchIndex(v.Text, -1) {
		if at[0] > 0 && v.Text[at[0]-1] == '$' {
			continue // a plain ${
		}
		text(v.Text[end:at[0]])
		parts = append(parts, tsVariable(v.Text[at[2]:at[3]]))
		end = at[1]
	}
	text(v.Text[end:])
	return strings.Join(parts, " + ")
}

// page is the name of a step's tab in the test.
func (t *tsWriter) page(name string) string {
	known, is := t.tabs[name]
	if !is {
		known = fmt.Sprintf("tab%d", len(t.tabs))
		t.tabs[name] = known
	}
	return known
}

// element is an expression that finds the element of a step, "" where there is none.
func (t *tsWriter) element(s *automation.Step) string {
	path, approximate := playwrightPath(paths(s))
	if path == nil {
		return ""
	}
	if approximate {
		t.lose(Changed, fmt.Sprintf("%s is looked for by label only", shorten(path.String())), "")
	}
	if len(s.Alternatives) > 0 {
		t.often(Dropped, "there is one selector for each element", "")
	}
	base := t.page(s.Page)
	for _, frame := range s.Frame {
		base = tsLocator(base, frame, nil) + ".contentFrame()"
	}
	return tsLocator(base, path, s)
}

func (t *tsWriter) write(s *automation.Step) {
	if s.Intent != "" {
		t.line("// %s", strings.Join(strings.Fields(s.Intent), " "))
	}
	if s.Timeout > 0 {
		t.often(Dropped, "how long each step may take is for the test's configuration", "")
	}
	t.open(s)
	conditions := t.conditions(s)
	if conditions != "" {
		t.line("if (%s) {", conditions)
		t.depth++
	}
	after := t.before(s)
	t.act(s)
	for _, line := range after {
		t.line("%s", line)
	}
	if conditions != "" {
		t.depth--
		t.line("}")
	}
}

// open opens a tab that no step has opened.
func (t *tsWriter) open(s *automation.Step) {
	if _, known := t.tabs[s.Page]; known || s.Tool == "tab" {
		return
	}
	t.lose(Changed, fmt.Sprintf("no step opens the tab %q: a new one is opened", s.Page), "")
	t.line("const %s = await page.context().newPage();", t.page(s.Page))
}

// conditions say when a step is done, "" for always.
func (t *tsWriter) conditions(s *automation.Step) string {
	var all []string
	if s.Optional {
		if on := t.element(s); on != "" {
			all = append(all, "await "+on+".isVisible()")
			t.lose(Changed, "whether it is there is looked at once, without waiting", "")
		}
	}
	if when := s.When; when != nil {
		if when.Variable != "" {
			all = append(all, tsVariable(when.Variable))
		}
		if when.URL != "" {
			all = append(all, tsGlob(when.URL)+".test("+t.page(s.Page)+".url())")
		}
		if len(when.Selector) > 0 {
			all = append(all, "await "+tsLocator(t.page(s.Page), when.Selector, nil)+".isVisible()")
			t.lose(Changed, "whether it is there is looked at once, without waiting", "")
		}
	}
	return strings.Join(all, " && ")
}

// before writes what has to be waited for from before a step is done, and gives
// what comes after it.
func (t *tsWriter) before(s *automation.Step) (after []string) {
	page := t.page(s.Page)
	for i, e := range s.Expect {
		name := fmt.Sprintf("%s%d_%d", e.Kind, t.at+1, i+1)
		switch e.Kind {
		case "popup":
			t.line("const %s = %s.waitForEvent('popup');", name, page)
			after = append(after, fmt.Sprintf("const %s = await %s;", t.page(e.Page), name))
		case "download":
			t.line("const %s = %s.waitForEvent('download');", name, page)
			after = append(after, "await "+name+";")
		case "dialog":
			t.line("%s.once('dialog', (dialog) => dialog.accept());", page)
		case "response":
			t.line("const %s = %s.waitForResponse((r) => %s);", name, page, tsResponse(&e))
			after = append(after, "await "+name+";")
		case "element":
			after = append(after, "await expect("+tsLocator(page, e.Selector, nil)+").toBeVisible();")
		case "text":
			after = append(after, "await expect("+page+".getByText("+tsString(e.Text)+").first()).toBeVisible();")
		}
	}
	return after
}

func tsResponse(e *automation.Expectation) string {
	is := tsGlob(e.URL) + ".test(r.url())"
	if e.Method != "" {
		is += " && r.request().method() === " + tsString(e.Method)
	}
	if e.Status != 0 {
		is += fmt.Sprintf(" && r.status() === %d", e.Status)
	}
	return is
}
