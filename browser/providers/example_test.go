package providers_test

import (
	"context"
	"errors"
	"fmt"
	"log"

	"github.com/go-reprise/reprise/automation"
	"github.com/go-reprise/reprise/browser"
	"github.com/go-reprise/reprise/browser/providers"
)

func ExampleNew() {
	ctx := context.Background()
	p, err := providers.New("local", nil) // or "browserbase", "steel", "ws://127.0.0.1:9222/devtools/browser/…"
	if err != nil {
		log.Fatal(err)
	}
	b, session, err := browser.OpenSession(ctx, p, nil)
	if err != nil {
		log.Fatal(err)
	}
	defer func() { _ = b.Close() }() // ends the session as well

	page, err := b.NewPage(ctx, "data:text/html,<title>Hello</title>")
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(session.Provider, page.URL())
	// Output: local data:text/html,<title>Hello</title>
}

// A key may come from anywhere, such as a vault.
func ExampleOptions_key() {
	p, err := providers.New("steel", &providers.Options{
		Key: func(context.Context) (automation.Secret, error) {
			return automation.NewSecret("", "https://api.steel.dev") // none, bound to where it may be sent
		},
	})
	if err != nil {
		log.Fatal(err)
	}
	_, err = p.List(context.Background())
	var failed *browser.ProviderError
	fmt.Println(errors.As(err, &failed), failed.Code)
	// Output: true unauthorized
}
