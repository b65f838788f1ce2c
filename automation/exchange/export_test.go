package exchange_test

import (
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/go-reprise/reprise/automation"
	"github.com/go-reprise/reprise/automation/exchange"
)

// everything is the document that has every tool and every field.
func everything(t *testing.T) *automation.Automation {
	t.Helper()
	data, err := os.ReadFile(filepath.Join("..", "testdata", "golden", "everything.json"))
	if err != nil {
		t.Fatal(err)
	}
	a, err := automation.Parse(data, automation.AnyTools())
	if err != nil {
		t.Fatal(err)
	}
	return a
}

func TestADocumentIsWrittenInEachForm(t *testing.T) {
	t.Parallel()
	for _, format := range exchange.Writable() {
		t.Run(string(format), func(t *testing.T) {
			t.Parallel()
			text, report, err := exchange.Export(everything(t), format, nil)
			if err != nil {
				t.Fatal(err)
			}
			golden(t, "export-"+string(format)+".golden", string(text)+"\n"+told(report))
		})
	}
}

// Each step is written, or told of.
func TestNoStepIsLostWithoutAWord(t *testing.T) {
	t.Parallel()
	a := everything(t)
	for _, format := range exchange.Writable() {
		if format == exchange.Go {
			continue // it holds the document itself
		}
		for i := range a.Steps {
			with, report, err := exchange.Export(a, format, nil)
			if err != nil {
				t.Fatal(err)
			}
			fewer := *a
			fewer.Steps = append(append([]automation.Step{}, a.Steps[:i]...), a.Steps[i+1:]...)
			if fewer.Validate() != nil {
				continue // another needs it
			}
			without, _, err := exchange.Export(&fewer, format, nil)
			if err != nil {
				t.Fatal(err)
			}
			isTold := false
			for _, loss := range report {
				isTold = isTold || loss.Step == i
			}
			if a.Steps[i].Tool == "waitForNav" && len(report) > 0 {
				continue // what becomes of all of them is told once
			}
			if string(with) == string(without) && !isTold {
				t.Errorf("%s: steps[%d] %s makes no difference, and nothing is told of it", format, i, a.Steps[i].Tool)
			}
		}
	}
}

func TestNoSecretIsWritten(t *testing.T) {
	t.Parallel()
	a := shop(t, "http://localhost:1")
	_, _, err := exchange.Export(a, exchange.Chrome, &exchange.ExportOptions{Values: map[string]any{"password": "hunter2-hunter2"}})
	var wrong *automation.ValueError
	if !errors.As(err, &wrong) || wrong.Variable != "password" || strings.Contains(err.Error(), "hunter2") {
		t.Errorf("the value of a secret gives %v, want a *ValueError without it", err)
	}
	for _, format := range exchange.Writable() {
		text, _, err := exchange.Export(a, format, &exchange.ExportOptions{Values: map[string]any{"email": "grace@example.com"}})
		if err != nil {
			t.Fatal(err)
		}
		if !strings.Contains(string(text), "grace@example.com") {
			t.Errorf("%s: a value that may be written is not there", format)
		}
		if !strings.Contains(string(text), "${password}") && !strings.Contains(string(text), "REPRISE_PASSWORD") {
			t.Errorf("%s: there is neither a placeholder for the password nor a name in the environment", format)
		}
	}
}

func TestAnInvalidAutomationIsNotWritten(t *testing.T) {
	t.Parallel()
	_, _, err := exchange.Export(&automation.Automation{Name: "x"}, exchange.Chrome, nil)
	var e *exchange.Error
	if !errors.As(err, &e) || e.Format != exchange.Chrome || len(automation.Problems(err)) == 0 {
		t.Errorf("it gives %v, want an *exchange.Error with what is wrong", err)
	}
	if _, _, err := exchange.Export(everything(t), "word", nil); !errors.Is(err, exchange.ErrFormat) {
		t.Errorf("an unknown format gives %v, want %v", err, exchange.ErrFormat)
	}
}

// What Chrome has no step for comes back from the custom step that holds it.
func TestStepsThatChromeDoesNotKnowComeBack(t *testing.T) {
	t.Parallel()
	for _, step := range []string{
		`{"tool": "upload", "selector": "#file", "value": {"kind": "variable", "name": "file"}, "optional": true}`,
		`{"tool": "drag", "selector": "#card", "args": {"to": ["my-board", "#column"]}}`,
		`{"tool": "extract", "selector": "#balance", "args": {"as": "balance"}}`,
		`{"tool": "handoff", "args": {"reason": "captcha"}}`,
	} {
		document := `{"format": 1, "name": "a", "match": {"urls": ["example.com/*"]},
			"variables": {"type": "object", "properties": {"file": {"type": "string"}}, "required": ["file"], "additionalProperties": false},
			"steps": [{"tool": "navigate", "url": "https://example.com/"}, ` + step + `]}`
		a, err := automation.Parse([]byte(document))
		if err != nil {
			t.Fatal(err)
		}
		text, report, err := exchange.Export(a, exchange.Chrome, nil)
		if err != nil {
			t.Fatal(err)
		}
		if !strings.Contains(told(report), "becomes a custom step") {
			t.Errorf("%s: it is not told of: %s", step, told(report))
		}
		back, _, err := exchange.Import(text, nil)
		if err != nil {
			t.Fatal(err)
		}
		want, err := json.Marshal(a.Steps[1])
		if err != nil {
			t.Fatal(err)
		}
		got, err := json.Marshal(back.Steps[len(back.Steps)-1])
		if err != nil {
			t.Fatal(err)
		}
		if string(got) != string(want) {
			t.Errorf("it came back as %s, want %s", got, want)
		}
	}
}

func TestPlaywrightReadsEveryTestThatIsExported(t *testing.T) {
	t.Parallel()
	if out := playwright(t, everything(t), nil, "--list"); !strings.Contains(out, "Total: 1 test") {
		t.Errorf("it lists %s", out)
	}
}

func TestATextThatLooksLikeAVariableIsToldOf(t *testing.T) {
	t.Parallel()
	a, err := automation.Parse([]byte(`{"format": 1, "name": "a", "match": {"urls": ["example.com/*"]}, "steps": [
		{"tool": "navigate", "url": "https://example.com/"},
		{"tool": "typeInput", "selector": "#template", "value": {"kind": "literal", "value": "Dear ${name}"}}]}`))
	if err != nil {
		t.Fatal(err)
	}
	for _, format := range exchange.Readable() {
		_, report, err := exchange.Export(a, format, nil)
		if err != nil {
			t.Fatal(err)
		}
		if !strings.Contains(told(report), "step 2 typeInput: its text holds a ${…} of its own") {
			t.Errorf("%s: it is not told: %s", format, told(report))
		}
	}
	text, report, err := exchange.Export(a, exchange.Playwright, nil)
	if err != nil || len(report) > 0 || !strings.Contains(string(text), ".fill('Dear ${name}');") {
		t.Errorf("a test holds it as it is: %v, %s\n%s", err, told(report), text)
	}
}

// What is chosen by the value of a variable is chosen so there, too: by the variable where a format has those, else by its value.
func TestAChoiceByAVariableIsOneThere(t *testing.T) {
	t.Parallel()
	a, err := automation.Parse([]byte(`{"format": 1, "name": "a", "match": {"urls": ["example.com/*"]},
		"variables": {"type": "object", "properties": {"country": {"type": "string", "default": "Peru"}, "card": {"type": "string"}}},
		"steps": [
		{"tool": "navigate", "url": "https://example.com/"},
		{"tool": "click", "selector": "text/To ${country}"},
		{"tool": "click", "selector": "aria/${country}[role=\"option\"]"},
		{"tool": "click", "selector": "text/${price}"},
		{"tool": "drag", "selector": "text/${card}", "args": {"to": "text/${country}"}}]}`))
	if err != nil {
		t.Fatal(err)
	}
	wants := map[exchange.Format][]string{
		exchange.Playwright: {"getByText('To ' + values.country)", "getByRole('option', { name: values.country, exact: true })", "getByText('${price}')", "getByText(values.card)", "dragTo(page.getByText(values.country))"},
		exchange.Chrome:     {"text/To Peru", `aria/Peru[role=\"option\"]`},
		exchange.JSONL:      {"To Peru", "Peru"},
		exchange.Side:       {"To Peru", "${card}"},
	}
	for format, want := range wants {
		text, report, err := exchange.Export(a, format, nil)
		if err != nil {
			t.Fatal(err)
		}
		for _, part := range want {
			if !strings.Contains(string(text), part) {
				t.Errorf("%s: there is no %s in\n%s", format, part, text)
			}
		}
		if strings.Contains(string(text), "${country}") || format != exchange.Playwright && !strings.Contains(told(report), `"card" has no value`) {
			t.Errorf("%s: told is %s of\n%s", format, told(report), text)
		}
	}
}

// With another value than the recorded one, nothing finds what was chosen in the recording; where a test can only do that, it is told.
func TestAnotherChoiceIsNotTheRecordedOne(t *testing.T) {
	t.Parallel()
	a, err := automation.Parse([]byte(`{"format": 1, "name": "a", "match": {"urls": ["example.com/*"]},
		"variables": {"type": "object", "properties": {"country": {"type": "string", "default": "Peru"}}},
		"steps": [
		{"tool": "navigate", "url": "https://example.com/"},
		{"tool": "click", "selector": "text/${country}", "alternatives": ["#item-of-peru"]},
		{"tool": "click", "selector": ["text/${country}", "near/aria/Delete[role=\"button\"]"], "alternatives": ["#delete-peru"]}]}`))
	if err != nil {
		t.Fatal(err)
	}
	for value, recorded := range map[string]bool{"Peru": true, "Chile": false} {
		text, _, err := exchange.Export(a, exchange.Chrome, &exchange.ExportOptions{Values: map[string]any{"country": value}})
		if err != nil {
			t.Fatal(err)
		}
		if !strings.Contains(string(text), "text/"+value) || strings.Contains(string(text), "#item-of-peru") != recorded {
			t.Errorf("for %s it is\n%s", value, text)
		}
	}
	_, report, err := exchange.Export(a, exchange.Playwright, nil)
	if err != nil || strings.Count(told(report), "#delete-peru finds what was chosen in the recording") != 1 || strings.Contains(told(report), "#item-of-peru") {
		t.Errorf("told is %s, %v", told(report), err)
	}
}

// Playwright sets boxes, radios and switches only: a button that stays pressed is pressed there where it is not as it is to be.
func TestAButtonThatStaysPressedIsSetThere(t *testing.T) {
	t.Parallel()
	a, err := automation.Parse([]byte(`{"format": 1, "name": "a", "match": {"urls": ["example.com/*"]},
		"variables": {"type": "object", "properties": {"star": {"type": "boolean", "default": true}}},
		"steps": [
		{"tool": "navigate", "url": "https://example.com/"},
		{"tool": "check", "selector": "aria/Star[role=\"button\"]", "value": {"kind": "variable", "name": "star"}}]}`))
	if err != nil {
		t.Fatal(err)
	}
	text, _, err := exchange.Export(a, exchange.Playwright, nil)
	star := "page.getByRole('button', { name: 'Star', exact: true })"
	want := "if ((await " + star + ".getAttribute('aria-pressed') === 'true') !== (values.star === 'true')) await " + star + ".click();"
	if err != nil || !strings.Contains(string(text), want) {
		t.Errorf("there is no %s in\n%s%v", want, text, err)
	}
}
