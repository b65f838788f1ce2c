package cases

import (
	"encoding/json"
	"net/url"
	"strings"
	"testing"

	"github.com/go-reprise/reprise/automation/exchange"
	"github.com/go-reprise/reprise/internal/canary"
)

// imported are recordings of other tools, with the secret that was typed, and what
// repeats it: an address, a title, what a button says, a text that is checked, a second
// field, and a step that cannot be read. CANARY stands in a JSON string, and in an
// address as %CANARY%.
var imported = map[exchange.Format]string{
	exchange.Chrome: `{"title": "Sign in", "steps": [
		{"type": "navigate", "url": "https://shop.example.com/signin", "assertedEvents": [{"type": "navigation", "url": "https://shop.example.com/signin", "title": ""}]},
		{"type": "change", "value": "CANARY", "selectors": [["aria/Password"], ["#password"]], "target": "main"},
		{"type": "change", "value": "CANARY", "selectors": [["aria/Copy"], ["#copy"]], "target": "main"},
		{"type": "click", "target": "main", "selectors": [["aria/Go CANARY"], ["text/CANARY"], ["#go"]], "offsetX": 31, "offsetY": 18,
			"assertedEvents": [{"type": "navigation", "url": "https://shop.example.com/at/%CANARY%?v=%CANARY%", "title": "CANARY"}]},
		{"type": "waitForElement", "selectors": [["text/CANARY"]], "target": "main"},
		{"type": "waitForExpression", "expression": "document.title === 'CANARY'"},
		{"type": "customStep", "name": "CANARY", "parameters": {"x": "CANARY"}}]}`,
	exchange.Side: `{"id": "1", "version": "3.0", "name": "Shop", "url": "https://shop.example.com", "urls": [], "plugins": [], "suites": [],
		"tests": [{"id": "t", "name": "Sign in", "commands": [
		{"id": "1", "comment": "", "command": "open", "target": "/signin", "targets": [], "value": ""},
		{"id": "2", "comment": "it is CANARY", "command": "type", "target": "id=password", "targets": [["id=password", "id"]], "value": "CANARY"},
		{"id": "3", "comment": "", "command": "type", "target": "id=copy", "targets": [], "value": "CANARY"},
		{"id": "4", "comment": "", "command": "click", "target": "linkText=CANARY", "targets": [["linkText=CANARY", "linkText"], ["id=go", "id"]], "value": ""},
		{"id": "5", "comment": "", "command": "assertTitle", "target": "CANARY", "targets": [], "value": ""},
		{"id": "6", "comment": "", "command": "executeScript", "target": "return 'CANARY'", "targets": [], "value": "x"},
		{"id": "7", "comment": "", "command": "CANARY", "target": "CANARY", "targets": [], "value": "CANARY"}]}]}`,
	exchange.JSONL: `{"browserName":"chromium","launchOptions":{"headless":false},"contextOptions":{}}
{"name":"openPage","url":"about:blank","signals":[],"pageGuid":"p"}
{"name":"navigate","url":"https://shop.example.com/signin","signals":[],"pageGuid":"p"}
{"name":"fill","selector":"internal:label=\"Password\"i","text":"CANARY","signals":[],"pageGuid":"p"}
{"name":"fill","selector":"#copy","text":"CANARY","signals":[],"pageGuid":"p"}
{"name":"click","selector":"internal:role=button[name=\"Go CANARY\"i]","button":"left","modifiers":0,"clickCount":1,"signals":[{"name":"navigation","url":"https://shop.example.com/at/%CANARY%?v=%CANARY%"}],"pageGuid":"p"}
{"name":"assertText","selector":"#said","text":"CANARY","substring":true,"signals":[],"pageGuid":"p"}
{"name":"somethingNew","selector":"#said","text":"CANARY","signals":[],"pageGuid":"p"}
`,
}

func TestAnImportedSecretIsInNoSink(t *testing.T) {
	t.Parallel()
	for format, file := range imported {
		t.Run(string(format), func(t *testing.T) {
			t.Parallel()
			secret := canary.New()
			quoted, err := json.Marshal(secret)
			if err != nil {
				t.Fatal(err)
			}
			data := strings.NewReplacer("%CANARY%", url.PathEscape(secret), "CANARY", strings.Trim(string(quoted), `"`)).Replace(file)
			a, report, err := exchange.Import([]byte(data), nil)
			if err != nil {
				t.Fatal(err)
			}
			all := sinks{}
			for _, loss := range report {
				all.note("the report", loss)
			}
			all.json("the report", report)
			exportInto(t, a, all)
			all.wantNo(t, secret)
			if declared, err := a.Declared(); err != nil || len(declared.Secrets()) != 1 {
				t.Errorf("declared %v, %v: want one secret", declared, err)
			}
			_, _, err = exchange.Import([]byte(data[:len(data)*2/3]), &exchange.ImportOptions{Format: format})
			broken := sinks{}
			broken.note("the error of a file that is cut off", err)
			broken.wantNo(t, secret)
		})
	}
}
