package selectors_test

import (
	"encoding/json"
	"fmt"

	"github.com/go-reprise/reprise/selectors"
)

func ExampleParse() {
	s, err := selectors.Parse(`aria/Pay [now][role="button"]`)
	if err != nil {
		fmt.Println(err)
		return
	}
	name, role := s.Aria()
	fmt.Println(s.Kind, name, role)

	_, err = selectors.Parse("css/#email")
	fmt.Println(err)
	// Output:
	// aria Pay [now] button
	// selector "css/#email": CSS has no prefix: write "#email"
}

func ExampleParsePath() {
	path, err := selectors.ParsePath("my-app", "#email")
	if err != nil {
		fmt.Println(err)
		return
	}
	data, err := json.Marshal(path)
	fmt.Println(path, string(data), err)

	path, err = selectors.ParsePath("text/Invoice 17", `near/aria/Delete[role="button"]`)
	fmt.Println(path, err)

	_, err = selectors.ParsePath("near/#delete")
	fmt.Println(err)
	// Output:
	// my-app >>> #email ["my-app","#email"] <nil>
	// text/Invoice 17 near/aria/Delete[role="button"] <nil>
	// selector "near/#delete": is near nothing: it needs a part before it
}

func ExampleNewAria() {
	s, err := selectors.NewAria("Next", "button")
	fmt.Println(s, err)
	// Output: aria/Next[role="button"] <nil>
}

func ExampleRank() {
	var found []selectors.Path
	for _, text := range []string{`xpath///*[@id="email"]`, "#email", `aria/E-mail[role="textbox"]`} {
		path, err := selectors.ParsePath(text)
		if err != nil {
			fmt.Println(err)
			return
		}
		found = append(found, path)
	}
	for _, path := range selectors.Rank(found) {
		fmt.Println(path)
	}
	// Output:
	// aria/E-mail[role="textbox"]
	// #email
	// xpath///*[@id="email"]
}

func ExampleGenerated() {
	fmt.Println(selectors.Generated("submit-button"), selectors.Generated("Button_primary__3xY2z"))
	// Output: false true
}

func ExampleTestIDAttributes() {
	fmt.Println(selectors.TestIDAttributes()[0])
	// Output: data-testid
}

func ExampleCheckTestIDAttribute() {
	fmt.Println(selectors.CheckTestIDAttribute("data-part"))
	fmt.Println(selectors.CheckTestIDAttribute("value"))
	// Output:
	// <nil>
	// the attribute "value" holds what people type: it cannot be a test id
}
