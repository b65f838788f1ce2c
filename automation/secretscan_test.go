package automation_test

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/go-reprise/reprise/automation"
)

// document is one for an account, or for any, with these steps.
func document(t *testing.T, account, steps string) *automation.Automation {
	t.Helper()
	text := fmt.Sprintf(`{"format":1,"name":"pay","match":{"urls":["shop.example/*"],"account":%q},"steps":[%s]}`, account, steps)
	if account == "" {
		text = strings.Replace(text, `,"account":""`, "", 1)
	}
	a, err := automation.Parse([]byte(text))
	if err != nil {
		t.Fatalf("%v\n%s", err, text)
	}
	return a
}

func typing(value string) string {
	return fmt.Sprintf(`{"tool":"typeInput","selector":"#field","value":{"kind":"literal","value":%q}}`, value)
}

func TestWhatLooksLikeASecretIsRefusedWithoutRepeatingIt(t *testing.T) {
	t.Parallel()
	const jwt = "eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxMjM0NTY3ODkwIn0.dozjgNryP4J3jVmNHl0w5N"
	for name, test := range map[string]struct{ steps, path, secret string }{
		"a card number":                  {typing("4111 1111 1111 1111"), "steps[0].value.value", "4111"},
		"a card number with dashes":      {typing("my card 5555-5555-5555-4444"), "steps[0].value.value", "5555"},
		"a card number that is a number": {`{"tool":"typeInput","selector":"#field","value":{"kind":"literal","value":378282246310005}}`, "steps[0].value.value", "3782"},
		"a token in a text":              {typing(jwt), "steps[0].value.value", jwt},
		"a token in an address":          {`{"tool":"navigate","url":"https://shop.example/in/` + jwt + `"}`, "steps[0].url", jwt},
		"a password in a note":           {`{"tool":"navigate","url":"https://shop.example/","intent":"see ftp://me:hunter2@shop.example"}`, "steps[0].intent", "hunter2"},
		"an access key in a name":        {`{"tool":"click","selector":"aria/Key AKIAIOSFODNN7EXAMPLE[role=\"button\"]"}`, "steps[0].selector", "AKIA"},
		"a random token in a selector":   {`{"tool":"click","selector":"#a","alternatives":["text/kR9fQ2xVbT7mZp4LwN8sYd3HcJ6gEa5U"]}`, "steps[0].alternatives[0]", "kR9f"},
		"a card number that CSS writes":  {`{"tool":"click","selector":"#\\34 111111111111111"}`, "steps[0].selector", "111111"},
		"a key in a template":            {`{"tool":"typeInput","selector":"#a","value":{"kind":"template","text":"Bearer abcdefghijklmnopqrst"}}`, "steps[0].value.text", "abcdefgh"},
		"an account number":              {typing("GB82 WEST 1234 5698 7654 32"), "steps[0].value.value", "WEST"},
		"a code where codes go":          {`{"tool":"typeInput","selector":"aria/Verification code[role=\"textbox\"]","value":{"kind":"literal","value":"493028"}}`, "steps[0].value.value", "493028"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			err := document(t, "", test.steps).CheckSecrets()
			problems := automation.Problems(err)
			if !errors.Is(err, automation.ErrLooksSecret) || len(problems) != 1 || problems[0].Path != test.path {
				t.Fatalf("%v; want one problem at %s", err, test.path)
			}
			if strings.Contains(err.Error(), test.secret) {
				t.Errorf("the message repeats it: %v", err)
			}
		})
	}
}

func TestWhatIsNoSecretIsKept(t *testing.T) {
	t.Parallel()
	for name, steps := range map[string]string{
		"an order number":           typing("4111111111111112"),
		"a phone number":            typing("+44 20 7946 0958"),
		"a date and an amount":      typing("2026-11-21 1.234,56"),
		"a code where none goes":    typing("493028"),
		"an e-mail address":         typing("help@shop.example"),
		"a record's id":             `{"tool":"navigate","url":"https://shop.example/orders/507f1f77bcf86cd799439011"}`,
		"another record's id":       `{"tool":"navigate","url":"https://shop.example/o/6f1ed002-ab5d-4c6e-9f6b-0d1c2b3a4f5e"}`,
		"words joined by dashes":    `{"tool":"navigate","url":"https://shop.example/how-to-return-an-item-that-does-not-fit-2026"}`,
		"classes of a style sheet":  `{"tool":"click","selector":"div.MuiButtonBase-root.MuiIconButton-sizeMedium2 > button.c-navigation__toggleButton--isActive3"}`,
		"hashes of a fingerprint":   `{"tool":"click","selector":"#a","fingerprint":{"tag":"a","own":{"label":"kR9fQ2xVbT7mZp4LwN8sYd3HcJ6gEa5U"}}}`,
		"what a person vouches for": `{"tool":"typeInput","selector":"#a","value":{"kind":"literal","value":"4111111111111111"},"x":{"public":"the payment provider's test card"}}`,
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			if err := document(t, "", steps).CheckSecrets(); err != nil {
				t.Error(err)
			}
		})
	}
}

func TestAnAccountsDocumentNamesNoEMailAddressButItsLabel(t *testing.T) {
	t.Parallel()
	if err := document(t, "ada@shop.example", typing("Hello")).CheckSecrets(); err != nil {
		t.Error(err)
	}
	err := document(t, "ada", `{"tool":"click","selector":"aria/ada@shop.example[role=\"button\"]"}`).CheckSecrets()
	if problems := automation.Problems(err); len(problems) != 1 || problems[0].Path != "steps[0].selector" {
		t.Errorf("%v", err)
	}
}

func ExampleAutomation_CheckSecrets() {
	a, err := automation.Parse([]byte(`{"format": 1, "name": "pay", "match": {"urls": ["shop.example/*"]}, "steps": [
		{"tool": "typeInput", "selector": "#card", "value": {"kind": "literal", "value": "4111 1111 1111 1111"}}]}`))
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(a.CheckSecrets())
	// Output:
	// steps[0].value.value: what looks like a card number stands here in plain text: make it a variable, or, if it is none, say why with "x": {"public": "…"}
}

func FuzzCheckSecrets(f *testing.F) {
	f.Add("4111 1111 1111 1111")
	f.Add("eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxMjM0NTY3ODkwIn0.x")
	f.Fuzz(func(t *testing.T, text string) {
		a := &automation.Automation{Name: "a", Description: text, Match: automation.Scope{URLs: []string{"a.example"}, Account: "b"}}
		for _, p := range automation.Problems(a.CheckSecrets()) {
			if len(text) > 12 && strings.Contains(p.Error(), text) {
				t.Errorf("%q is repeated: %v", text, p)
			}
		}
	})
}
