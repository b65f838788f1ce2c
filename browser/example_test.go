package browser_test

import (
	"context"
	"errors"
	"fmt"
	"log"
	"net/http"
	"net/http/httptest"
	"strings"
	"time"

	"github.com/go-reprise/reprise/automation"
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

func ExampleBrowser_NewPageWith() {
	ctx := context.Background()
	b, err := browser.Launch(ctx, nil)
	if err != nil {
		log.Fatal(err)
	}
	defer func() { _ = b.Close() }()

	site := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		if r.URL.Path == "/" {
			fmt.Println(r.Header.Get("Accept-Language"))
			fmt.Println(strings.Contains(r.UserAgent(), "iPad"))
		}
	}))
	defer site.Close()
	_, err = b.NewPageWith(ctx, site.URL+"/", &browser.PageOptions{
		Device: "iPad Pro", Locale: "de-DE", TimeZone: "Europe/Berlin",
	})
	if err != nil {
		log.Fatal(err)
	}

	_, err = b.NewPageWith(ctx, "", &browser.PageOptions{TimeZone: "Berlin"})
	fmt.Println(err)
	// Output:
	// de-DE,de;q=0.9
	// true
	// timezone "Berlin" is not a time zone; similar are Europe/Berlin
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

func ExampleSessionInfo_EndsBefore() {
	session := browser.SessionInfo{Provider: "steel", ID: "7d3a", Expires: time.Date(2030, 1, 1, 12, 5, 0, 0, time.UTC)}
	deadline := time.Date(2030, 1, 1, 12, 30, 0, 0, time.UTC) // by which a person has answered
	fmt.Println(session.EndsBefore(deadline))
	// Output: true
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

func ExamplePage_StorageState() {
	ctx := context.Background()
	b, err := browser.Launch(ctx, nil)
	if err != nil {
		log.Fatal(err)
	}
	defer func() { _ = b.Close() }()
	site := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		http.SetCookie(w, &http.Cookie{Name: "session", Value: "of-ada", HttpOnly: true})
	}))
	defer site.Close()
	page, err := b.NewIsolatedPage(ctx, site.URL) // where a person signs in
	if err != nil {
		log.Fatal(err)
	}
	login, err := page.StorageState(ctx, site.URL)
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(login, login.Cookies(), login.Secret())
	_, err = page.StorageState(ctx, "https://bank.example")
	fmt.Println(errors.Is(err, browser.ErrNotSignedIn))
	// Output:
	// [login] 1 [secret]
	// true
}

func ExampleBrowser_NewPageWithState() {
	ctx := context.Background()
	b, err := browser.Launch(ctx, nil)
	if err != nil {
		log.Fatal(err)
	}
	defer func() { _ = b.Close() }()
	// What Login.Secret gave, after a place that keeps secrets had it.
	kept, err := automation.NewSecret(`{"format": 1, "saved": "2026-01-02T03:04:05Z", "origins": ["https://shop.example"],
		"storage": [{"origin": "https://shop.example", "items": [["token", "of-ada"]]}]}`, "https://shop.example")
	if err != nil {
		log.Fatal(err)
	}
	login, err := browser.ReadLogin(kept)
	if err != nil {
		log.Fatal(err)
	}
	page, err := b.NewPageWithState(ctx, login, "about:blank") // or the site
	if err != nil {
		log.Fatal(err)
	}
	again, err := page.StorageState(ctx, "https://shop.example")
	fmt.Println(again.Stored(), err)
	// Output: 1 <nil>
}

func ExampleReadLogin() {
	forged, err := automation.NewSecret(`{"format": 1, "origins": ["https://shop.example"], "cookies": [{"name": "x", "domain": "bank.example"}]}`, "https://shop.example")
	if err != nil {
		log.Fatal(err)
	}
	_, err = browser.ReadLogin(forged)
	fmt.Println(err)
	// Output: the login: it is no login: cookie 1 is not of its origins: sign in and save it again
}

func ExampleKeep() {
	ctx := context.Background()
	b, err := browser.Keep(ctx, nil)
	if err != nil {
		log.Fatal(err)
	}
	page, err := b.NewPage(ctx, "data:text/html,<title>Hello</title>")
	if err != nil {
		log.Fatal(err)
	}
	id := b.InstanceID() // for the program that comes after this one
	_ = b.Detach()       // or this program is killed

	again, err := browser.Attach(ctx, id, nil)
	if err != nil {
		log.Fatal(err)
	}
	defer func() { _ = again.Close() }()
	same, err := again.Page(ctx, page.ID())
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(same.URL())
	// Output: data:text/html,<title>Hello</title>
}
