package agent

import (
	"slices"
	"testing"

	"github.com/go-reprise/reprise/automation"
)

// The page may be where the agent will wait for it before the agent has said so.
func TestAPageThatIsThereAlreadyIsWaitedForOnce(t *testing.T) {
	t.Parallel()
	r := &recording{at: "https://example.com/signin"}
	r.add(automation.Step{Tool: "click"}, "https://example.com/signin")
	r.wentTo("https://example.com/home")
	r.add(automation.Step{Tool: "waitForNav", URL: "example.com/home"}, "https://example.com/home")
	r.add(automation.Step{Tool: "click"}, "https://example.com/home")
	r.wentTo("https://example.com/order")
	r.add(automation.Step{Tool: "click"}, "https://example.com/order")
	var tools []string
	for _, step := range r.steps {
		tools = append(tools, step.Tool)
	}
	if want := []string{"navigate", "click", "waitForNav", "click", "waitForNav", "click"}; !slices.Equal(tools, want) {
		t.Errorf("kept are %q, want %q", tools, want)
	}
}
