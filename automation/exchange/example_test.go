package exchange_test

import (
	"fmt"
	"log"
	"strings"

	"github.com/go-reprise/reprise/automation"
	"github.com/go-reprise/reprise/automation/exchange"
)

const recording = `{"title": "Sign in", "steps": [
	{"type": "setViewport", "width": 800, "height": 600, "deviceScaleFactor": 1, "isMobile": false, "hasTouch": false, "isLandscape": false},
	{"type": "navigate", "url": "https://example.com/signin"},
	{"type": "change", "selectors": [["#password"]], "value": "correct horse"},
	{"type": "click", "selectors": [["aria/Next[role=\"button\"]"], ["#next"]], "offsetX": 10, "offsetY": 10}
]}`

func ExampleImport() {
	a, report, err := exchange.Import([]byte(recording), &exchange.ImportOptions{File: "signin.json"})
	if err != nil {
		log.Fatal(err)
	}
	for _, step := range a.Steps {
		fmt.Println(step.Tool, step.Selector, step.Value.Names())
	}
	for _, loss := range report {
		if loss.Kind == exchange.Asked {
			fmt.Println(loss.What)
		}
	}
	// Output:
	// navigate  []
	// typeInput #password [password]
	// click aria/Next[role="button"] []
	// what was typed looks like a secret: it is not stored, and is asked for as the variable "password"
}

func ExampleExport() {
	a, err := automation.Parse([]byte(`{
		"format": 1, "name": "search", "match": {"urls": ["example.com"]},
		"variables": {"type": "object", "properties": {"words": {"type": "string"}}, "required": ["words"], "additionalProperties": false},
		"steps": [
			{"tool": "navigate", "url": "https://example.com/"},
			{"tool": "typeInput", "selector": "aria/Search[role=\"searchbox\"]", "value": {"kind": "variable", "name": "words"}},
			{"tool": "keypress", "key": "Enter"}
		]}`))
	if err != nil {
		log.Fatal(err)
	}
	text, report, err := exchange.Export(a, exchange.Playwright, nil)
	if err != nil {
		log.Fatal(err)
	}
	_, test, _ := strings.Cut(string(text), "test(")
	fmt.Printf("test(%s%d losses\n", test, len(report))
	// Output:
	// test('search', async ({ page }) => {
	//   const values = {
	//     words: value('REPRISE_WORDS'),
	//   };
	//   await page.goto('https://example.com/');
	//   await page.getByRole('searchbox', { name: 'Search', exact: true }).fill(values.words);
	//   await page.keyboard.press('Enter');
	// });
	// 0 losses
}

func ExampleDetect() {
	fmt.Println(exchange.Detect([]byte(recording)))
	fmt.Println(exchange.Detect([]byte(`{"browserName": "chromium"}` + "\n")))
	// Output:
	// chrome
	// jsonl
}

// A report is for people as it is, and for programs by its fields.
func ExampleLoss() {
	loss := exchange.Loss{Step: 2, Command: "waitForExpression", Kind: exchange.Dropped, What: "it runs a script", Do: "Wait for what it makes visible"}
	fmt.Println(loss)
	// Output: step 3 waitForExpression: it runs a script. Wait for what it makes visible
}
