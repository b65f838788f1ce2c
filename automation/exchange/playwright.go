package exchange

import (
	"bytes"
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/go-reprise/reprise/automation"
	"github.com/go-reprise/reprise/selectors"
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
	case v.Kind == automation.Variable && v.Length > 0:
		return fmt.Sprintf("Array.from(%s).slice(0, %d).join('')", tsVariable(v.Name), v.Length)
	case v.Kind == automation.Variable:
		return tsVariable(v.Name)
	case v.Kind == automation.Literal:
		return tsString(plain(v.Value))
	}
	return tsTemplate(v.Text, func(at int, _ string) bool { return at == 0 || v.Text[at-1] != '$' }, func(text string) string { return strings.ReplaceAll(text, "$${", "${") })
}

// words is an expression of what a selector looks for, which may have holes for variables.
func (t *tsWriter) words(text string) string {
	return tsTemplate(text, func(_ int, name string) bool { return t.declared.Has(name) }, func(text string) string { return text })
}

// tsTemplate is an expression of a text with variables in it: isHole tells which of what looks like one at a place is, and
// plain makes what the text between them says.
func tsTemplate(text string, isHole func(at int, name string) bool, plain func(string) string) string {
	var parts []string
	add := func(between string) {
		if between != "" {
			parts = append(parts, tsString(plain(between)))
		}
	}
	end := 0
	for _, at := range hole.FindAllStringSubmatchIndex(text, -1) {
		name := text[at[2]:at[3]]
		if !isHole(at[0], name) {
			continue
		}
		add(text[end:at[0]])
		parts = append(parts, tsVariable(name))
		end = at[1]
	}
	add(text[end:])
	if len(parts) == 0 {
		return tsString("")
	}
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
	if len(s.SelectorNames(t.declared)) > 0 && !automation.HasHoles(path, t.declared) {
		t.lose(Changed, fmt.Sprintf("%s finds what was chosen in the recording, whatever the values are", shorten(path.String())), "Look for the value there")
	}
	base := t.page(s.Page)
	for _, frame := range s.Frame {
		base = t.locator(base, frame, nil) + ".contentFrame()"
	}
	return t.locator(base, path, s)
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
			all = append(all, "await "+t.locator(t.page(s.Page), when.Selector, nil)+".isVisible()")
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
		case "response", "request":
			t.line("const %s = %s.waitForResponse((r) => %s);", name, page, tsResponse(&e))
			after = append(after, "await "+name+";")
		case "element":
			after = append(after, "await expect("+t.locator(page, e.Selector, nil)+").toBeVisible();")
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

// tsOnPage writes what is done to a tab.
var tsOnPage = map[string]func(t *tsWriter, page string, s *automation.Step){
	"navigate": func(t *tsWriter, page string, s *automation.Step) {
		address := tsString(s.URL)
		if s.URL == "" {
			address = t.value(s.Value)
		}
		t.line("await %s.goto(%s);", page, address)
	},
	"waitForNav": func(t *tsWriter, page string, s *automation.Step) {
		if s.URL == "" {
			t.line("await %s.waitForLoadState();", page)
			return
		}
		t.line("await %s.waitForURL(%s);", page, tsGlob(s.URL))
	},
	"keypress": func(t *tsWriter, page string, s *automation.Step) {
		t.line("await %s.keyboard.press(%s);", page, tsString(s.Key))
	},
	"scroll": func(t *tsWriter, page string, s *automation.Step) {
		t.line("await %s.mouse.wheel(%s, %s);", page, tsNumber(arg(s, "dx")), tsNumber(arg(s, "dy")))
	},
	"screenshot": func(t *tsWriter, page string, s *automation.Step) {
		t.line("await %s.screenshot({ fullPage: %t });", page, arg(s, "fullPage") == "true")
	},
	"dialog": (*tsWriter).dialog,
	"waitFor": func(t *tsWriter, page string, s *automation.Step) {
		switch text := arg(s, "text"); {
		case s.URL != "":
			t.line("await %s.waitForURL(%s);", page, tsGlob(s.URL))
		case text != "":
			t.line("await expect(%s.getByText(%s).first()).toBeVisible();", page, tsString(text))
		default:
			t.none(s)
		}
	},
	"assert": func(t *tsWriter, page string, s *automation.Step) {
		t.line("await expect(%s).toHaveURL(%s);", page, tsGlob(s.URL))
	},
	"handoff": func(t *tsWriter, page string, s *automation.Step) {
		t.lose(Changed, "the test stops for a person where it is run with a window, and goes on elsewhere", "")
		t.line("await %s.pause();", page)
	},
}

// tsOnElement writes what is done to an element.
var tsOnElement = map[string]func(t *tsWriter, on string, s *automation.Step){
	"click": (*tsWriter).click,
	"typeInput": func(t *tsWriter, on string, s *automation.Step) {
		if caretOf(s) != "" {
			t.lose(Changed, "Playwright types where the caret stands when the field gets the focus", "Press the key that puts it in its place before")
			t.line("await %s.pressSequentially(%s);", on, t.value(s.Value))
			return
		}
		if !s.Keys {
			t.line("await %s.fill(%s);", on, t.value(s.Value))
			return
		}
		t.line("await %s.clear();", on)
		t.line("await %s.pressSequentially(%s);", on, t.value(s.Value))
	},
	"keypress": func(t *tsWriter, on string, s *automation.Step) { t.line("await %s.press(%s);", on, tsString(s.Key)) },
	"select": func(t *tsWriter, on string, s *automation.Step) {
		if s.Value != nil && s.Value.Kind != automation.Literal {
			t.line("await %s.selectOption(%s);", on, t.value(s.Value))
			return
		}
		var options []string
		for _, option := range t.options(s.Value) {
			options = append(options, tsString(option))
		}
		t.line("await %s.selectOption([%s]);", on, strings.Join(options, ", "))
	},
	"check": func(t *tsWriter, on string, s *automation.Step) {
		want := "true"
		switch {
		case s.Value != nil && s.Value.Kind == automation.Literal:
			want = plain(s.Value.Value)
		case s.Value != nil:
			want = t.value(s.Value) + " === 'true'"
		}
		if staysPressed(s.Selector) { // Playwright checks boxes, radios and switches only
			t.line("if ((await %s.getAttribute('aria-pressed') === 'true') !== (%s)) await %s.click();", on, want, on)
			return
		}
		t.line("await %s.setChecked(%s);", on, want)
	},
	"upload": func(t *tsWriter, on string, s *automation.Step) {
		t.line("await %s.setInputFiles(%s);", on, t.value(s.Value))
	},
	"hover": func(t *tsWriter, on string, s *automation.Step) { t.line("await %s.hover();", on) },
	"drag": func(t *tsWriter, on string, s *automation.Step) {
		t.line("await %s.dragTo(%s);", on, t.locator(t.page(s.Page), s.DragTo(), nil))
	},
	"scroll":     func(t *tsWriter, on string, s *automation.Step) { t.line("await %s.scrollIntoViewIfNeeded();", on) },
	"screenshot": func(t *tsWriter, on string, s *automation.Step) { t.line("await %s.screenshot();", on) },
	"waitFor": func(t *tsWriter, on string, s *automation.Step) {
		if text := arg(s, "text"); text != "" {
			t.line("await expect(%s).toContainText(%s);", on, tsString(text))
			return
		}
		state := arg(s, "state")
		if state != "attached" && state != "detached" && state != "hidden" {
			state = "visible"
		}
		t.line("await %s.waitFor({ state: %s });", on, tsString(state))
	},
	"assert": (*tsWriter).assert,
	"extract": func(t *tsWriter, on string, s *automation.Step) {
		read := on + ".innerText()"
		if attribute := arg(s, "attribute"); attribute == "value" {
			read = on + ".inputValue()"
		} else if attribute != "" {
			read = on + ".getAttribute(" + tsString(attribute) + ")"
		}
		t.line("test.info().annotations.push({ type: %s, description: (await %s) ?? undefined });", tsString(arg(s, "as")), read)
	},
}

// act writes the step itself.
func (t *tsWriter) act(s *automation.Step) {
	switch {
	case s.Tool == "fillForm":
		for _, field := range formFields(s) {
			t.act(&field)
		}
	case s.Tool == "tab":
		t.tab(s)
	case len(s.Selector) > 0 && tsOnElement[s.Tool] != nil:
		if on := t.element(s); on != "" {
			tsOnElement[s.Tool](t, on, s)
			return
		}
		t.none(s)
	case len(s.Selector) == 0 && tsOnPage[s.Tool] != nil:
		tsOnPage[s.Tool](t, t.page(s.Page), s)
	default:
		t.none(s)
	}
}

// none leaves a comment where a step was that could not be written.
func (t *tsWriter) none(s *automation.Step) {
	t.lose(Dropped, "there is no such thing in a test: a comment stands in its place", "Do by hand what it did, where it matters")
	t.line("// %s: not carried over", s.Tool)
}

func (t *tsWriter) click(on string, s *automation.Step) {
	var options []string
	if s.Button != "" && s.Button != "left" {
		options = append(options, "button: "+tsString(s.Button))
	}
	if s.Count > 1 {
		options = append(options, fmt.Sprintf("clickCount: %d", s.Count))
	}
	if s.Hold > 0 {
		options = append(options, fmt.Sprintf("delay: %d", s.Hold.Milliseconds()))
	}
	if len(s.Modifiers) > 0 {
		var names []string
		for _, m := range s.Modifiers {
			names = append(names, tsString(m))
		}
		options = append(options, "modifiers: ["+strings.Join(names, ", ")+"]")
	}
	if s.Offset != nil {
		t.often(Changed, "the middle of an element is clicked", "")
	}
	with := ""
	if len(options) > 0 {
		with = "{ " + strings.Join(options, ", ") + " }"
	}
	t.line("await %s.click(%s);", on, with)
}

func (t *tsWriter) assert(on string, s *automation.Step) {
	attribute, compare := arg(s, "attribute"), arg(s, "compare")
	expect := "expect(" + on + ")"
	if compare == "not" {
		expect += ".not"
	}
	state := map[string]string{
		"hidden": "toBeHidden()", "detached": "toBeHidden()", "attached": "toBeAttached()", "checked": "toBeChecked()",
		"unchecked": "not.toBeChecked()", "editable": "toBeEditable()", "enabled": "toBeEnabled()", "disabled": "toBeDisabled()",
	}[arg(s, "state")]
	switch {
	case state != "":
	case s.Value == nil:
		state = "toBeVisible()"
	case attribute == "value":
		state = "toHaveValue(" + t.value(s.Value) + ")"
	case attribute != "":
		state = "toHaveAttribute(" + tsString(attribute) + ", " + t.value(s.Value) + ")"
	case compare == "contains":
		state = "toContainText(" + t.value(s.Value) + ")"
	default:
		state = "toHaveText(" + t.value(s.Value) + ")"
	}
	t.line("await %s.%s;", expect, state)
}

func (t *tsWriter) dialog(page string, s *automation.Step) {
	answer := "accept()"
	switch {
	case arg(s, "accept") == "false":
		answer = "dismiss()"
	case s.Value != nil:
		answer = "accept(" + t.value(s.Value) + ")"
	}
	t.line("%s.once('dialog', (dialog) => dialog.%s);", page, answer)
}

func (t *tsWriter) tab(s *automation.Step) {
	_, known := t.tabs[s.Page]
	page := t.page(s.Page)
	if arg(s, "action") == "close" {
		t.line("await %s.close();", page)
		return
	}
	if !known {
		t.line("const %s = await page.context().newPage();", page)
	} else {
		t.line("await %s.bringToFront();", page)
	}
	if s.URL != "" {
		t.line("await %s.goto(%s);", page, tsString(s.URL))
	}
}

// tsNumber is a number as it stands in code.
func tsNumber(text string) string {
	n, err := strconv.ParseFloat(text, 64)
	if err != nil {
		return "0"
	}
	return strconv.FormatFloat(n, 'f', -1, 64)
}

// tsGlob writes a glob of addresses as a regular expression.
func tsGlob(glob string) string {
	scheme, rest, given := strings.Cut(glob, "://")
	if !given {
		scheme, rest = "https?", glob
	} else {
		scheme = regexp.QuoteMeta(scheme)
	}
	host, path, hasPath := strings.Cut(rest, "/")
	expression := "^" + scheme + `:\/\/` + globParts(host, ".", `[^.\/]+`, `[^\/]+`)
	switch {
	case !hasPath || path == "*" || path == "**":
		expression += `(?:[\/?#].*)?$`
	case strings.HasSuffix(path, "/*"):
		expression += `\/` + globParts(strings.TrimSuffix(path, "/*"), "/", `[^\/?#]+`, `.*`) + `\/.*$`
	default:
		expression += `\/` + globParts(path, "/", `[^\/?#]+`, `.*`) + `(?:[?#].*)?$`
	}
	return "/" + strings.ReplaceAll(expression, `.*\/`, `(?:.*\/)?`) + "/"
}

// globParts writes the parts of a host or a path.
func globParts(text, separator, one, any string) string {
	var parts []string
	for part := range strings.SplitSeq(text, separator) {
		if part == "**" {
			parts = append(parts, any)
			continue
		}
		expression := strings.ReplaceAll(regexp.QuoteMeta(part), "/", `\/`)
		expression = strings.ReplaceAll(expression, `\[0-9\]`, `[0-9]`)
		if part != "*" {
			expression = strings.ReplaceAll(expression, `\*`, strings.TrimSuffix(one, "+")+"*")
		}
		expression = strings.ReplaceAll(expression, `\*`, one)
		parts = append(parts, strings.ReplaceAll(expression, `\?`, `[^\/]`))
	}
	between := regexp.QuoteMeta(separator)
	if separator == "/" {
		between = `\/`
	}
	return strings.Join(parts, between)
}

// playwrightPath chooses the way to an element that Playwright can go: the first
// that means the same there, else the first that comes near.
func playwrightPath(ways []selectors.Path) (path selectors.Path, approximate bool) {
	var near selectors.Path
	for _, way := range ways {
		fit, same := fitsPlaywright(way)
		if same {
			return way, false
		}
		if fit && near == nil {
			near = way
		}
	}
	return near, near != nil
}

func fitsPlaywright(way selectors.Path) (fit, same bool) {
	same = true
	for i, part := range way {
		name, role := part.Aria()
		switch {
		case part.Kind == selectors.XPath && i > 0: // XPath knows no shadow roots
			return false, false
		case slices.Contains(onlyHere, part.Kind):
			return false, false
		case part.Kind == selectors.Aria && role == "" && name != "":
			same = false // of any role: there is only what has a label
		}
	}
	return true, same
}

// ownSelector writes a path in the form of Playwright's recorder.
func ownSelector(path selectors.Path, s *automation.Step) string {
	parts := make([]string, len(path))
	for i, part := range path {
		parts[i] = ownPart(part, s)
	}
	return strings.Join(parts, " >> ")
}

func ownPart(part selectors.Selector, s *automation.Step) string {
	switch part.Kind {
	case selectors.TestID:
		return "css=" + testIDs(part.Body, s)
	case selectors.Text:
		return "internal:text=" + jsString(part.Body) + "i"
	case selectors.XPath:
		return "xpath=" + part.Body
	case selectors.Aria:
		name, role := part.Aria()
		switch {
		case role == "":
			return "internal:label=" + jsString(name) + "s"
		case name == "":
			return "internal:role=" + role
		}
		return "internal:role=" + role + "[name=" + cssString(name) + "s]"
	}
	return "css=" + part.Body
}

// jsString is a text as JSON and JavaScript quote it.
func jsString(s string) string {
	text, err := compact(s)
	if err != nil { // there is no such string
		return `""`
	}
	return string(text)
}

// tsString is a text as people quote it in TypeScript.
func tsString(s string) string {
	inner := jsString(s)
	inner = strings.ReplaceAll(inner[1:len(inner)-1], `\"`, `"`)
	return "'" + strings.NewReplacer("'", `\'`, "\u2028", `\u2028`, "\u2029", `\u2029`).Replace(inner) + "'"
}

// locator writes a path as calls of Playwright's API on a page, a frame or a
// locator.
func (t *tsWriter) locator(base string, path selectors.Path, s *automation.Step) string {
	for _, part := range path {
		base += t.part(part, s)
	}
	return base
}

func (t *tsWriter) part(part selectors.Selector, s *automation.Step) string {
	switch part.Kind {
	case selectors.TestID:
		return ".locator(" + tsString(testIDs(part.Body, s)) + ")"
	case selectors.Text:
		return ".getByText(" + t.words(part.Body) + ")"
	case selectors.XPath:
		return ".locator(" + tsString("xpath="+part.Body) + ")"
	case selectors.Aria:
		name, role := part.Aria()
		switch {
		case role == "":
			return fmt.Sprintf(".getByLabel(%s, { exact: true })", t.words(name))
		case name == "":
			return fmt.Sprintf(".getByRole(%s)", tsString(role))
		}
		return fmt.Sprintf(".getByRole(%s, { name: %s, exact: true })", tsString(role), t.words(name))
	}
	return ".locator(" + tsString(part.Body) + ")"
}

// staysPressed reports whether a selector is that of a button that is pressed or not, as a star is.
func staysPressed(path selectors.Path) bool {
	if len(path) == 0 || path[len(path)-1].Kind != selectors.Aria {
		return false
	}
	_, role := path[len(path)-1].Aria()
	return role == "button"
}
