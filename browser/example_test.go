package browser_test

import (
	"context"
	"errors"
	"fmt"
	"log"
	"strings"

	"github.com/go-reprise/reprise/browser"
)

func ExampleLaunch() {
	ctx := context.Background()
	b, err := browser.Launch(ctx, nil)
	if err != nil {
		log.Fatal(err)
	}
	defer func() { _ = b.Close() }()

	page, err := b.NewPage(ctx, "data:text/html,<title>Hello</title>")
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(page.URL())
	// Output: data:text/html,<title>Hello</title>
}

func ExampleConnect() {
	ctx := context.Background()
	host, err := browser.Launch(ctx, &browser.Options{DebugPort: true})
	if err != nil {
		log.Fatal(err)
	}
	defer func() { _ = host.Close() }()

	b, err := browser.Connect(ctx, host.Endpoint(), nil)
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(b.Close(), host.Err()) // the browser goes on
	// Output: <nil> <nil>
}

func ExampleFind() {
	_, err := browser.Find(&browser.Options{Path: "/no/such/chrome"})
	var missing *browser.NotFoundError
	fmt.Println(errors.As(err, &missing), missing.Tried)
	// Output: true [/no/such/chrome]
}

func ExamplePage_Rod() {
	ctx := context.Background()
	b, err := browser.Launch(ctx, nil)
	if err != nil {
		log.Fatal(err)
	}
	defer func() { _ = b.Close() }()
	page, err := b.NewPage(ctx, "data:text/html,<h1>Hello</h1>")
	if err != nil {
		log.Fatal(err)
	}
	title, err := page.Rod().Context(ctx).Element("h1")
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(title.Text())
	// Output: Hello <nil>
}

func ExamplePage_WaitURL() {
	ctx := context.Background()
	b, err := browser.Launch(ctx, nil)
	if err != nil {
		log.Fatal(err)
	}
	defer func() { _ = b.Close() }()
	page, err := b.NewPage(ctx, "data:text/html,<title>Sign in</title>")
	if err != nil {
		log.Fatal(err)
	}
	go func() { _ = page.Navigate(ctx, "data:text/html,<title>Welcome</title>") }() // or a person signs in
	err = page.WaitURL(ctx, func(url string) bool { return strings.Contains(url, "Welcome") })
	fmt.Println(err)
	// Output: <nil>
}
