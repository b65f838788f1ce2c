package replayer_test

import (
	"fmt"

	"github.com/go-reprise/reprise/automation"
	"github.com/go-reprise/reprise/replayer"
	"github.com/go-reprise/reprise/selectors"
)

func ExampleResult_Proposal() {
	css := func(body string) selectors.Path { return selectors.Path{{Kind: selectors.CSS, Body: body}} }
	order := &automation.Automation{
		Name: "order", Match: automation.Scope{URLs: []string{"shop.example"}},
		Steps: []automation.Step{{Tool: "click", Selector: css("#place")}},
	}
	// What replayer.Play gives when the button was found in another way.
	result := &replayer.Result{Drift: []replayer.Drift{{
		Step: 0, Score: 0.43, Healed: true, Confidence: 0.99, Lost: []selectors.Path{css("#place")},
		Proposed: automation.Step{Tool: "click", Selector: css("button.cta")},
	}}}
	if renewed := result.Proposal(order); renewed != nil {
		fmt.Println(order.Steps[0].Selector, "becomes", renewed.Steps[0].Selector)
	}
	// Output: #place becomes button.cta
}
