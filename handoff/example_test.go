package handoff_test

import (
	"context"
	"fmt"
	"log"
	"net/http"

	"github.com/go-reprise/reprise/automation"
	"github.com/go-reprise/reprise/browser"
	"github.com/go-reprise/reprise/handoff"
	"github.com/go-reprise/reprise/replayer"
	"github.com/go-reprise/reprise/store"
)

// A person signs in from a phone, and the program goes on in the same page.
func ExampleDesk_Request() {
	ctx := context.Background()
	st, err := store.Open(ctx, "flows")
	if err != nil {
		log.Fatal(err)
	}
	desk, err := handoff.New(&handoff.Options{
		Store: st, PublicURL: "https://help.example",
		Notify: func(n handoff.Notice) { fmt.Println(n.Instruction, n.Link) }, // tell the person, and no one else
	})
	if err != nil {
		log.Fatal(err)
	}
	defer desk.Close()
	go func() { log.Print(http.ListenAndServe("127.0.0.1:7337", desk)) }()

	b, err := browser.Launch(ctx, nil)
	if err != nil {
		log.Fatal(err)
	}
	defer b.Close()
	page, err := b.NewPage(ctx, "https://shop.example/account")
	if err != nil {
		log.Fatal(err)
	}
	result, err := desk.Request(ctx, handoff.Request{
		Page: page, Step: -1, Reason: automation.ReasonLogin, Instruction: "Sign in as ada.", Until: "https://shop.example/account*",
	})
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(result.Status, result.Summary, result.Hint)
}

// Runs hand over by the desk where a document says so, and where something blocks them.
func ExampleDesk_Person() {
	var desk *handoff.Desk // as in the example of Request
	var page *browser.Page
	var flow *automation.Automation
	result, err := replayer.Play(context.Background(), page, flow, &replayer.Options{Person: desk.Person(nil, nil)})
	fmt.Println(result, err)
}
