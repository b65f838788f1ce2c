package automation_test

import (
	"encoding/json"
	"fmt"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/go-reprise/reprise/automation"
)

func parsed(t *testing.T, text string) *automation.Automation {
	t.Helper()
	a, err := automation.Parse([]byte(text))
	if err != nil {
		t.Fatal(err)
	}
	return a
}

func TestJoinDoesOneAfterTheOther(t *testing.T) {
	t.Parallel()
	first := parsed(t, `{"format":1,"name":"order","revision":3,"match":{"urls":["shop.example/*"],"account":"ada"},
		"variables":{"type":"object","properties":{"email":{"type":"string","format":"email"}},"required":["email"],"additionalProperties":false},
		"steps":[{"tool":"typeInput","selector":"#e","value":{"kind":"variable","name":"email"}},
			{"tool":"click","selector":"#a","expect":[{"kind":"popup","page":"popup1"}]},{"tool":"click","page":"popup1","selector":"#b"}]}`)
	second := parsed(t, `{"format":1,"name":"pay","match":{"urls":["pay.example/*","shop.example/*"]},
		"variables":{"type":"object","properties":{"email":{"type":"string"},"code":{"type":"string","writeOnly":true}},"required":["email","code"]},
		"steps":[{"tool":"typeInput","selector":"#e","value":{"kind":"variable","name":"email"}},{"tool":"typeInput","selector":"#c","value":{"kind":"variable","name":"code"}},
			{"tool":"click","selector":"#p","expect":[{"kind":"popup","page":"popup1"}]},{"tool":"click","page":"popup1","selector":"#q"}]}`)
	before, err := automation.Marshal(first)
	if err != nil {
		t.Fatal(err)
	}
	whole, err := automation.Join(first, second)
	if err != nil {
		t.Fatal(err)
	}
	if whole.Name != "order" || whole.Revision != 3 || whole.Match.Account != "ada" || !slices.Equal(whole.Match.URLs, []string{"shop.example/*", "pay.example/*"}) {
		t.Errorf("%s revision %d for %q at %q", whole.Name, whole.Revision, whole.Match.Account, whole.Match.URLs)
	}
	var pages []string
	for _, step := range whole.Steps {
		pages = append(pages, step.Page)
	}
	if want := []string{"", "", "popup1", "", "", "", "popup2"}; !slices.Equal(pages, want) || whole.Steps[5].Expect[0].Page != "popup2" {
		t.Errorf("tabs %q, want %q", pages, want)
	}
	var schema map[string]any
	if err := json.Unmarshal(whole.Variables, &schema); err != nil {
		t.Fatal(err)
	}
	want := map[string]any{
		"type": "object", "required": []any{"email", "code"}, "additionalProperties": false,
		"properties": map[string]any{"email": map[string]any{"type": "string", "format": "email"}, "code": map[string]any{"type": "string", "writeOnly": true}},
	}
	if diff := cmp.Diff(want, schema); diff != "" {
		t.Errorf("variables (-want +got):\n%s", diff)
	}
	after, err := automation.Marshal(first)
	if err != nil || string(after) != string(before) {
		t.Errorf("the first was changed: %s, %v", after, err)
	}
}

func TestJoinWantsAWholeThatIsValid(t *testing.T) {
	t.Parallel()
	a := parsed(t, `{"format":1,"name":"a","match":{"urls":["a.example"]},"steps":[{"tool":"navigate","url":"https://a.example/"}]}`)
	broken := *a
	broken.Steps = []automation.Step{{Tool: "typeInput"}}
	if _, err := automation.Join(a, &broken); len(automation.Problems(err)) == 0 || automation.Problems(err)[0].Path != "steps[1].selector" {
		t.Errorf("Join gave %v", err)
	}
}

func ExampleJoin() {
	first, _ := automation.Parse([]byte(`{"format": 1, "name": "order", "match": {"urls": ["shop.example/*"]}, "steps": [{"tool": "click", "selector": "#order"}]}`))
	second, _ := automation.Parse([]byte(`{"format": 1, "name": "pay", "match": {"urls": ["shop.example/*"]}, "steps": [{"tool": "click", "selector": "#pay"}]}`))
	whole, err := automation.Join(first, second)
	if err != nil {
		fmt.Println(err)
		return
	}
	for _, step := range whole.Steps {
		fmt.Println(step.Tool, step.Selector)
	}
	// Output:
	// click #order
	// click #pay
}
