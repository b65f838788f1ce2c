// Record opens a browser window at an address and keeps what you do in it, under
// a name, in the user's data directory ($REPRISE_DATA). Press Ctrl-C when you are done.
//
//	go run ./examples/record https://example.com/signin sign-in
//
// With REPRISE_BROWSER=http://localhost:9222 it records in a browser that is running,
// as on a machine without a display.
package main

import (
	"context"
	"fmt"
	"log"
	"os"
	"os/signal"

	"github.com/go-reprise/reprise/browser"
	"github.com/go-reprise/reprise/recorder"
	"github.com/go-reprise/reprise/store"
)

func main() {
	if len(os.Args) != 3 {
		log.Fatal("usage: record URL NAME")
	}
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	if err := record(ctx, os.Args[1], os.Args[2]); err != nil {
		log.Fatal(err)
	}
}

func record(ctx context.Context, url, name string) error {
	b, err := open(ctx)
	if err != nil {
		return err
	}
	defer b.Close()
	page, err := b.NewPage(ctx, "")
	if err != nil {
		return err
	}
	r, err := recorder.Start(ctx, page, &recorder.Options{
		Name: name,
		OnChange: func(c recorder.Change) {
			fmt.Fprintln(os.Stderr, c.Op, c.Index+1, c.Step.Tool, c.Step.Selector)
		},
	})
	if err != nil {
		return err
	}
	if err := page.Navigate(ctx, url); err != nil { // nothing is missed: it is watched already
		return err
	}
	<-ctx.Done()
	ctx = context.WithoutCancel(ctx) // what was recorded is saved
	signIn, _, err := r.Stop(ctx)
	if err != nil {
		return err
	}
	st, err := store.Open(ctx, "")
	if err != nil {
		return err
	}
	defer st.Close()
	saved, err := st.Automations().Save(ctx, signIn)
	if err != nil {
		return err
	}
	fmt.Printf("%s is stored: %d steps, revision %d\n", saved.Name, len(saved.Steps), saved.Revision)
	return nil
}

func open(ctx context.Context) (*browser.Browser, error) {
	if endpoint := os.Getenv("REPRISE_BROWSER"); endpoint != "" {
		return browser.Connect(ctx, endpoint, nil)
	}
	return browser.Launch(ctx, &browser.Options{Headed: true})
}
