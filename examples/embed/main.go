// Embed shows Reprise inside a program: at the address where it needs to be
// signed in, it looks for an automation that fits the address and the account,
// plays it, and goes on with code of its own in the same page.
//
//	SITE_PASSWORD=… go run ./examples/embed -data ./flows -account ada@example.com https://example.com/signin
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"log"
	"os"

	"github.com/go-reprise/reprise/automation"
	"github.com/go-reprise/reprise/browser"
	"github.com/go-reprise/reprise/replayer"
	"github.com/go-reprise/reprise/store"
)

func main() {
	data := flag.String("data", "", "directory where automations are kept (default: the user's data directory)")
	account := flag.String("account", "", "account to sign in")
	flag.Parse()
	if err := run(context.Background(), *data, *account, flag.Arg(0)); err != nil {
		log.Fatal(err)
	}
}

func run(ctx context.Context, data, account, url string) error {
	kept, err := store.Open(ctx, data)
	if err != nil {
		return err
	}
	defer kept.Close()
	b, err := browser.Launch(ctx, nil)
	if err != nil {
		return err
	}
	defer b.Close()
	page, err := b.NewPage(ctx, url)
	if err != nil {
		return err
	}
	signIn, err := kept.Automations().Match(ctx, url, account)
	if errors.Is(err, automation.ErrNoMatch) {
		return fmt.Errorf("nobody has shown how to sign in at %s yet: record it first", url)
	}
	if err != nil {
		return err
	}
	password, err := automation.NewSecret(os.Getenv("SITE_PASSWORD")) // as %v and in JSON it is [secret]
	if err != nil {
		return err
	}
	_, err = replayer.Play(ctx, page, signIn, &replayer.Options{
		Account: account,
		Values:  replayer.Map{"email": account, "password": password},
	})
	var failed *replayer.Error
	if errors.As(err, &failed) {
		return fmt.Errorf("signing in ended at step %d (%s): %w", failed.Step+1, failed.Code, err)
	}
	if err != nil {
		return err
	}
	title, err := page.Rod().Element("h1") // from here on, the program's own work
	if err != nil {
		return err
	}
	text, err := title.Text()
	if err != nil {
		return err
	}
	fmt.Println("signed in:", text)
	return nil
}
