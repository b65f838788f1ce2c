package exchange

import (
	"fmt"
	"regexp"
	"strconv"
	"strings"

	"github.com/go-reprise/reprise/automation"
)

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
		t.line("await %s.setChecked(%s);", on, want)
	},
	"upload": func(t *tsWriter, on string, s *automation.Step) {
		t.line("await %s.setInputFiles(%s);", on, t.value(s.Value))
	},
	"hover": func(t *tsWriter, on string, s *automation.Step) { t.line("await %s.hover();", on) },
	"drag": func(t *tsWriter, on string, s *automation.Step) {
		t.line("await %s.dragTo(%s);", on, tsLocator(t.page(s.Page), pathArg(s, "to"), nil))
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
		expression = strings.ReplaceAll(expression, `\*`, one)
		parts = append(parts, strings.ReplaceAll(expression, `\?`, `[^\/]`))
	}
	between := regexp.QuoteMeta(separator)
	if separator == "/" {
		between = `\/`
	}
	return strings.Join(parts, between)
}
