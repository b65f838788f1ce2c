// Record keeps what you do in a browser, until you close the page:
//
//	go run ./examples/record -data ./flows https://example.com/signin
//
// A window opens; -browser ws://… records in a browser that runs already.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"log"

	"github.com/go-reprise/reprise/browser"
	"github.com/go-reprise/reprise/recorder"
	"github.com/go-reprise/reprise/store"
)

func main() {
	data := flag.String("data", "", "directory to keep it in (default: the user's data directory)")
	name := flag.String("name", "example", "name to keep it under")
	endpoint := flag.String("browser", "", "endpoint of a running browser (default: launch one)")
	flag.Parse()
	if err := record(context.Background(), *data, *name, *endpoint, flag.Arg(0)); err != nil {
		log.Fatal(err)
	}
}

func record(ctx context.Context, data, name, endpoint, url string) error {
	b, err := open(ctx, endpoint)
	if err != nil {
		return err
	}
	defer b.Close()
	page, err := b.NewPage(ctx, url)
	if err != nil {
		return err
	}
	r, err := recorder.Start(ctx, page, &recorder.Options{
		Name:     name,
		OnChange: func(c recorder.Change) { fmt.Println(c.Op, c.Index+1, c.Step.Tool, c.Step.Selector) },
	})
	if err != nil {
		return err
	}
	// Nothing is ever at this address: the wait ends when the page is closed.
	never := func(string) bool { return false }
	if err := page.WaitURL(ctx, never); !errors.Is(err, browser.ErrPageClosed) && !errors.Is(err, browser.ErrLost) {
		return err
	}
	a, _, err := r.Stop(ctx)
	if a == nil {
		return err
	}
	kept, err := store.Open(ctx, data)
	if err != nil {
		return err
	}
	defer kept.Close()
	if a, err = kept.Automations().Save(ctx, a); err != nil {
		return err
	}
	fmt.Printf("kept %s, %d steps\n", a.Name, len(a.Steps))
	return nil
}

func open(ctx context.Context, endpoint string) (*browser.Browser, error) {
	if endpoint != "" {
		return browser.Connect(ctx, endpoint, nil)
	}
	return browser.Launch(ctx, &browser.Options{Headed: true})
}
