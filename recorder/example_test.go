package recorder_test

import (
	"context"
	"fmt"
	"log"

	"github.com/go-reprise/reprise/browser"
	"github.com/go-reprise/reprise/recorder"
)

// A site whose own tests find elements by data-part is recorded by that attribute, too.
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
	// Here the user does the flow.
	_, integrity, err := r.Stop(ctx)
	fmt.Println(err, integrity.Err())
	// Output: nothing was recorded <nil>
}

// A program that shows a recording while it is made waits for its changes.
func ExampleRecorder_State() {
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
	r, err := recorder.Start(ctx, page, &recorder.Options{Name: "tour"})
	if err != nil {
		log.Fatal(err)
	}
	state, changed := r.State()
	fmt.Println(state.Name, len(state.Steps), state.Paused)
	if err := r.Pause(ctx); err != nil {
		log.Fatal(err)
	}
	<-changed
	state, _ = r.State()
	fmt.Println(state.Name, len(state.Steps), state.Paused)
	// Output:
	// tour 0 false
	// tour 0 true
}

// What was typed into a field that nothing identifies as secret is made a secret,
// and redacted.
func ExampleRecorder_MarkSecret() {
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
	r, err := recorder.Start(ctx, page, &recorder.Options{Name: "tour"})
	if err != nil {
		log.Fatal(err)
	}
	// Here the user types.
	state, _ := r.State()
	for _, step := range state.Steps {
		if step.Typed && step.Label == "Member number" {
			if err := r.MarkSecret(ctx, step.ID); err != nil {
				log.Fatal(err)
			}
		}
	}
	fmt.Println(len(state.Steps))
	// Output: 0
}
