package desk_test

import (
	"context"
	"fmt"
	"log"
	"strings"

	"github.com/go-reprise/reprise/browser"
	"github.com/go-reprise/reprise/recorder"
	"github.com/go-reprise/reprise/recorder/desk"
)

// The desk is opened next to the recorded page, in a window of its own.
func ExampleServe() {
	ctx := context.Background()
	b, err := browser.Launch(ctx, nil) // with Headed someone sees it
	if err != nil {
		log.Fatal(err)
	}
	defer b.Close()
	page, err := b.NewPage(ctx, "about:blank")
	if err != nil {
		log.Fatal(err)
	}
	rec, err := recorder.Start(ctx, page, &recorder.Options{Name: "tour", Pictures: true})
	if err != nil {
		log.Fatal(err)
	}
	d, err := desk.Serve(ctx, rec, nil)
	if err != nil {
		log.Fatal(err)
	}
	defer d.Close()
	if _, err := b.NewWindow(ctx, d.URL()); err != nil {
		log.Fatal(err)
	}
	fmt.Println(strings.HasPrefix(d.URL(), "http://127.0.0.1:"))
	// Here someone does the flow, and ends it at the desk.
	// Output: true
}
