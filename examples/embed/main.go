// Embed is what a program does that needs to be signed in somewhere: it looks up
// what is stored for an address and an account, plays it, and goes on in the page with
// its own code. The store is the user's data directory ($REPRISE_DATA).
//
//	SITE_EMAIL=ada@example.com SITE_PASSWORD=… go run ./examples/embed https://example.com/signin ada
package main

import (
	"context"
	"errors"
	"fmt"
	"log"
	"net/url"
	"os"
	"os/signal"

	"github.com/go-reprise/reprise/automation"
	"github.com/go-reprise/reprise/browser"
	"github.com/go-reprise/reprise/replayer"
	"github.com/go-reprise/reprise/store"
)

func main() {
	if len(os.Args) != 3 {
		log.Fatal("usage: embed URL ACCOUNT")
	}
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	if err := run(ctx, os.Args[1], os.Args[2]); err != nil {
		log.Fatal(err)
	}
}

func run(ctx context.Context, address, account string) error {
	st, err := store.Open(ctx, "")
	if err != nil {
		return err
	}
	defer st.Close()
	signIn, err := st.Automations().Match(ctx, address, account)
	if errors.Is(err, automation.ErrNoMatch) {
		return fmt.Errorf("record it first: go run ./examples/record %s sign-in: %w", address, err)
	}
	if err != nil {
		return err
	}
	b, err := browser.Launch(ctx, nil)
	if err != nil {
		return err
	}
	defer b.Close()
	page, err := b.NewPage(ctx, address)
	if err != nil {
		return err
	}
	// Bound to its site, the password is typed nowhere else, whatever the document says.
	site, err := url.Parse(address)
	if err != nil {
		return err
	}
	password, err := automation.NewSecret(os.Getenv("SITE_PASSWORD"), site.Scheme+"://"+site.Host)
	if err != nil {
		return err
	}
	_, err = replayer.Play(ctx, page, signIn, &replayer.Options{
		Account: account,
		Values:  replayer.Map{"email": os.Getenv("SITE_EMAIL"), "password": password},
	})
	if err != nil {
		return err
	}
	who, err := page.Rod().Context(ctx).Element("[data-email]") // here your own code takes over
	if err != nil {
		return err
	}
	text, err := who.Text()
	fmt.Println("signed in as", text)
	return err
}
