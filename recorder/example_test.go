package recorder_test

import (
	"context"
	"fmt"
	"log"

	"github.com/go-reprise/reprise/browser"
	"github.com/go-reprise/reprise/recorder"
)

// A site whose own tests find elements by data-part is recorded by it, too.
func ExampleStart() {
	ctx := context.Background()
	b, err := browser.Launch(ctx, nil)
	if err != nil {
		log.Fatal(err)
	}
	defer b.Close()
	page, err := b.NewPage(ctx, "about:blank")
	if err != nil {
		log.Fatal(err)
	}
	r, err := recorder.Start(ctx, page, &recorder.Options{Name: "tour", TestIDAttribute: "data-part"})
	if err != nil {
		log.Fatal(err)
	}
	// Here somebody does the flow.
	_, integrity, err := r.Stop(ctx)
	fmt.Println(err, integrity.Err())
	// Output: nothing was recorded <nil>
}
