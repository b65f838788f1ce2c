package replayer_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log"

	"github.com/go-reprise/reprise/automation"
	"github.com/go-reprise/reprise/browser"
	"github.com/go-reprise/reprise/replayer"
	"github.com/go-reprise/reprise/selectors"
)

func ExamplePlay() {
	ctx := context.Background()
	b, err := browser.Launch(ctx, nil)
	if err != nil {
		log.Fatal(err)
	}
	defer b.Close()
	page, err := b.NewPage(ctx, "")
	if err != nil {
		log.Fatal(err)
	}
	order, err := automation.Parse([]byte(`{"format": 1, "name": "order", "match": {"urls": ["shop.example/*"]}, "steps": [
		{"tool": "navigate", "url": "https://shop.example/basket"},
		{"tool": "click", "selector": "aria/Place order[role=\"button\"]"},
		{"tool": "waitForNav", "url": "shop.example/thanks"}]}`))
	if err != nil {
		log.Fatal(err)
	}
	_, err = replayer.Play(ctx, page, order, &replayer.Options{Commit: replayer.AllowCommits})
	var failed *replayer.Error
	if !errors.As(err, &failed) {
		return // done
	}
	switch failed.Code {
	case replayer.Blocked: // the user deals with it, and the run is resumed
		_, err = replayer.Play(ctx, page, order, &replayer.Options{Commit: replayer.AllowCommits, Resume: failed.Resume})
	case replayer.Uncertain: // the user finds out whether the order was placed: it was
		resolved, unresolved := replayer.ResolveUncertain(failed.Resume, true)
		if unresolved != nil {
			log.Fatal(unresolved)
		}
		_, err = replayer.Play(ctx, page, order, &replayer.Options{Resume: resolved})
	}
	fmt.Println(err)
}

func ExampleBegin() {
	ctx := context.Background()
	b, err := browser.Launch(ctx, nil)
	if err != nil {
		log.Fatal(err)
	}
	defer b.Close()
	page, err := b.NewPage(ctx, "")
	if err != nil {
		log.Fatal(err)
	}
	session := replayer.Begin(page, &replayer.Options{Commit: replayer.RefuseCommits})
	defer session.Close()
	heading := automation.Step{Tool: "extract", Args: json.RawMessage(`{"as": "heading"}`)}
	if err := json.Unmarshal([]byte(`"h1"`), &heading.Selector); err != nil {
		log.Fatal(err)
	}
	for _, step := range []automation.Step{{Tool: "navigate", URL: "https://example.com/"}, heading} {
		if _, err := session.Do(ctx, step); err != nil {
			log.Fatal(err)
		}
	}
	fmt.Println(session.Outputs()["heading"])
}

func ExampleNewTools() {
	tools, err := replayer.NewTools(replayer.Tool{
		Name:        "acme.solve",
		Description: "Solves the puzzle of the day",
		Schema:      json.RawMessage(`{"type": "object", "properties": {"hint": {"type": "string"}}}`),
		Do: func(ctx context.Context, c *replayer.Call) error {
			return c.Do(ctx, automation.Step{Tool: "keypress", Key: "Enter"})
		},
	})
	if err != nil {
		log.Fatal(err)
	}
	a, err := automation.Parse([]byte(`{"format": 1, "name": "puzzle", "match": {"urls": ["acme.example/*"]},
		"steps": [{"tool": "acme.solve", "args": {"hint": "a river"}}]}`), tools.Parsing())
	fmt.Println(a.Steps[0].Tool, err)
	// Output: acme.solve <nil>
}

func ExampleResult_Proposal() {
	css := func(body string) selectors.Path { return selectors.Path{{Kind: selectors.CSS, Body: body}} }
	order := &automation.Automation{
		Name: "order", Match: automation.Scope{URLs: []string{"shop.example"}},
		Steps: []automation.Step{{Tool: "click", Selector: css("#place")}},
	}
	// What replayer.Play returns when the button was found in another way.
	result := &replayer.Result{Drift: []replayer.Drift{{
		Step: 0, Score: 0.43, Healed: true, Confidence: 0.99, Lost: []selectors.Path{css("#place")},
		Proposed: automation.Step{Tool: "click", Selector: css("button.cta")},
	}}}
	if renewed := result.Proposal(order); renewed != nil {
		fmt.Println(order.Steps[0].Selector, "becomes", renewed.Steps[0].Selector)
	}
	// Output: #place becomes button.cta
}
