package exchange

import (
	"bytes"
	"fmt"
	"strings"

	"github.com/go-reprise/reprise/automation"
	"github.com/go-reprise/reprise/selectors"
)

// mainGUID names the first tab in what is written.
const mainGUID = "page"

// jsonlWriter writes actions as Playwright's codegen does. What codegen says
// besides of each locator, in other words, is left out: it says nothing new.
type jsonlWriter struct {
	*writer
	actions []*jsonlAction
}

func writeJSONL(w *writer) ([]byte, error) {
	j := &jsonlWriter{writer: w}
	j.actions = append(j.actions, &jsonlAction{Name: "openPage", URL: "about:blank", PageGUID: mainGUID})
	w.each(j.write)
	var b bytes.Buffer
	b.WriteString(`{"browserName":"chromium","launchOptions":{"headless":false},"contextOptions":{}}` + "\n")
	for _, a := range j.actions {
		if a.Signals == nil {
			a.Signals = []jsonlSignal{}
		}
		line, err := compact(a)
		if err != nil {
			return nil, err
		}
		b.Write(append(line, '\n'))
	}
	return b.Bytes(), nil
}

// jsonlTools write the actions of each tool; there is no room for the others.
var jsonlTools = map[string]func(*jsonlWriter, *automation.Step, *jsonlAction){
	"navigate": func(j *jsonlWriter, s *automation.Step, a *jsonlAction) {
		if a.Name, a.URL = "navigate", s.URL; s.URL == "" {
			a.URL = j.text(s.Value)
		}
		j.put(a)
	},
	"click": (*jsonlWriter).click,
	"typeInput": func(j *jsonlWriter, s *automation.Step, a *jsonlAction) {
		if caretOf(s) != "" {
			j.lose(Changed, replacesText, "")
		}
		a.Name, a.Text = "fill", ptr(j.text(s.Value))
		j.on(s, a)
	},
	"keypress":   (*jsonlWriter).press,
	"waitForNav": (*jsonlWriter).waitForNav,
	"select": func(j *jsonlWriter, s *automation.Step, a *jsonlAction) {
		a.Name, a.Options = "select", j.options(s.Value)
		j.on(s, a)
	},
	"check": func(j *jsonlWriter, s *automation.Step, a *jsonlAction) {
		a.Name = "check"
		if on, known := j.wanted(s); known && !on {
			a.Name = "uncheck"
		}
		j.on(s, a)
	},
	"hover": func(j *jsonlWriter, s *automation.Step, a *jsonlAction) {
		a.Name = "hover"
		j.on(s, a)
	},
	"upload": func(j *jsonlWriter, s *automation.Step, a *jsonlAction) {
		a.Name, a.Files = "setInputFiles", j.options(s.Value)
		j.on(s, a)
	},
	"assert": (*jsonlWriter).assert,
	"tab":    (*jsonlWriter).tab,
}

func (j *jsonlWriter) write(s *automation.Step) {
	if s.Tool == "fillForm" {
		for _, field := range formFields(s) {
			j.write(&field)
		}
		return
	}
	write := jsonlTools[s.Tool]
	if write == nil {
		j.lose(Dropped, "there is no such action in a recording of Playwright", "Do by hand what it did, where it matters")
		return
	}
	a := &jsonlAction{PageGUID: mainGUID}
	if s.Page != "" {
		a.PageGUID = s.Page
	}
	write(j, s, a)
	if len(j.actions) > 0 && j.actions[len(j.actions)-1] == a {
		j.expect(s, a)
	}
}

func (j *jsonlWriter) put(a *jsonlAction) { j.actions = append(j.actions, a) }

// on writes an action on the element of a step.
func (j *jsonlWriter) on(s *automation.Step, a *jsonlAction) {
	path, approximate := playwrightPath(paths(s))
	if path == nil {
		j.lose(Dropped, "Playwright cannot use any of its selectors", "Record it again there")
		return
	}
	if approximate {
		j.lose(Changed, fmt.Sprintf("%s is looked for by label only", shorten(path.String())), "")
	}
	if len(s.Alternatives) > 0 {
		j.often(Dropped, "there is one selector for each element", "")
	}
	var frames []string
	for _, frame := range s.Frame {
		frames = append(frames, ownSelector(frame, nil), "internal:control=enter-frame")
	}
	a.Selector = strings.Join(append(frames, ownSelector(path, s)), " >> ")
	j.put(a)
}

// bits are modifiers as Playwright writes them.
func bits(names []string) *int {
	sum := 0
	for i, name := range modifierBits {
		for _, held := range names {
			if held == name || held == "ControlOrMeta" && name == "Control" {
				sum |= 1 << i
			}
		}
	}
	return &sum
}

func (j *jsonlWriter) click(s *automation.Step, a *jsonlAction) {
	a.Name, a.Button, a.Modifiers, a.ClickCount = "click", "left", bits(s.Modifiers), ptr(max(s.Count, 1))
	if s.Button != "" {
		a.Button = s.Button
	}
	if s.Offset != nil {
		j.often(Changed, "the middle of an element is clicked", "")
	}
	j.on(s, a)
}

func (j *jsonlWriter) press(s *automation.Step, a *jsonlAction) {
	key, err := automation.ParseKey(s.Key)
	if err != nil {
		return // it was validated: cannot happen
	}
	a.Name, a.Key, a.Modifiers = "press", key.Name, bits(key.Modifiers)
	if len(s.Selector) == 0 {
		focused := *s
		focused.Selector = selectors.Path{{Kind: selectors.CSS, Body: ":focus"}}
		s = &focused
	}
	j.on(s, a)
}

// waitForNav is a signal of the action before.
func (j *jsonlWriter) waitForNav(s *automation.Step, _ *jsonlAction) {
	last := j.actions[len(j.actions)-1]
	address := exact(s.URL)
	if address == "" {
		j.often(Changed, "where a navigation leads is told by one address only: those that stand for several are left out", "")
		return
	}
	last.Signals = append(last.Signals, jsonlSignal{Name: "navigation", URL: address})
}

func (j *jsonlWriter) assert(s *automation.Step, a *jsonlAction) {
	state, attribute, compare := arg(s, "state"), arg(s, "attribute"), arg(s, "compare")
	switch {
	case len(s.Selector) == 0, compare == "not", attribute != "" && attribute != "value":
		j.lose(Dropped, "Playwright's recorder knows no such check", "")
		return
	case state == "checked", state == "unchecked":
		a.Name, a.Checked = "assertChecked", ptr(state == "checked")
	case s.Value == nil:
		a.Name = "assertVisible"
	case attribute == "value":
		a.Name, a.Value = "assertValue", ptr(j.text(s.Value))
	default:
		a.Name, a.Text, a.Substring = "assertText", ptr(j.text(s.Value)), ptr(compare == "contains")
	}
	j.on(s, a)
}

func (j *jsonlWriter) tab(s *automation.Step, a *jsonlAction) {
	a.Name = "closePage"
	if arg(s, "action") != "close" {
		a.Name, a.URL = "openPage", s.URL
	}
	j.put(a)
}

func (j *jsonlWriter) expect(s *automation.Step, a *jsonlAction) {
	for _, e := range s.Expect {
		switch e.Kind {
		case "popup":
			a.Signals = append(a.Signals, jsonlSignal{Name: "popup", PopupPageGUID: e.Page})
		case "dialog":
			a.Signals = append(a.Signals, jsonlSignal{Name: "dialog", DialogAlias: "dialog"})
		case "download":
			a.Signals = append(a.Signals, jsonlSignal{Name: "download", DownloadAlias: "download"})
		case "change", "update": // what is used next is waited for
		default:
			j.lose(Dropped, fmt.Sprintf("Playwright's recorder does not wait for %s", expectation(e.Kind)), "")
		}
	}
}
