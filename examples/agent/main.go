// Agent walks through what an LLM agent does over MCP, on the built-in site, and prints
// it: a call with an intent, one without, and one with an empty and with a too long
// intent, which are refused and do nothing; then what the journal has of it.
//
//	go run ./examples/agent
package main

import (
	"context"
	"encoding/json"
	"fmt"
	"log"
	"os"
	"os/signal"
	"strings"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/go-reprise/reprise/agent"
	"github.com/go-reprise/reprise/internal/demosite"
	"github.com/go-reprise/reprise/store"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	if err := walk(ctx); err != nil {
		log.Fatal(err)
	}
}

func walk(ctx context.Context) error {
	site, err := demosite.Start(&demosite.Options{NoBanner: true})
	if err != nil {
		return err
	}
	defer site.Close()
	dir, err := os.MkdirTemp("", "reprise-agent")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	st, err := store.Open(ctx, dir)
	if err != nil {
		return err
	}
	defer st.Close()
	server, err := agent.New(ctx, &agent.Options{Store: st})
	if err != nil {
		return err
	}
	defer server.Close()

	client, err := connect(ctx, server)
	if err != nil {
		return err
	}
	defer client.Close()
	for _, call := range []struct {
		tool string
		args map[string]any
	}{
		{"navigate", map[string]any{"url": site.URL + "/form", "intent": "open the order form"}},
		{"type_input", map[string]any{"target": "#name", "value": "Ada Lovelace"}},
		{"click", map[string]any{"target": "#gift", "intent": ""}},
		{"click", map[string]any{"target": "#gift", "intent": strings.Repeat("so that ", 16)}},
		{"extract", map[string]any{"target": "#gift:not(:checked)", "as": "not pressed", "attribute": "type"}},
	} {
		if err := do(ctx, client, call.tool, call.args); err != nil {
			return err
		}
	}
	return journal(ctx, st)
}

// connect returns a client of the server, as another program would be over standard input
// and output (reprise mcp) or HTTP (reprise serve).
func connect(ctx context.Context, server *agent.Server) (*mcp.ClientSession, error) {
	ours, theirs := mcp.NewInMemoryTransports()
	go func() { _ = server.Run(ctx, ours) }() // it ends with the client
	client := mcp.NewClient(&mcp.Implementation{Name: "example", Version: "1"}, nil)
	return client.Connect(ctx, theirs, nil)
}

// do calls a tool and prints what became of it.
func do(ctx context.Context, client *mcp.ClientSession, tool string, args map[string]any) error {
	result, err := client.CallTool(ctx, &mcp.CallToolParams{Name: tool, Arguments: args})
	if err != nil {
		return err
	}
	data, err := json.Marshal(result.StructuredContent)
	if err != nil {
		return err
	}
	var told struct{ Error agent.Error }
	if err := json.Unmarshal(data, &told); err != nil {
		return err
	}
	outcome := "done"
	if result.IsError {
		outcome = told.Error.Code
	}
	intent, given := args["intent"].(string)
	switch {
	case !given:
		intent = "none"
	case intent == "" || len(intent) > 40:
		intent = fmt.Sprintf("of %d characters", len(intent))
	}
	fmt.Printf("%s (intent: %s): %s\n", tool, intent, outcome)
	return nil
}

// journal prints what was written down, the oldest first.
func journal(ctx context.Context, st store.Store) error {
	sessions, err := st.Journal().Sessions(ctx)
	if err != nil {
		return err
	}
	for _, session := range sessions {
		for call, err := range st.Journal().Trace(ctx, session) {
			if err != nil {
				return err
			}
			fmt.Printf("journal %d: %s, %s, intent %q\n", call.Number, call.Tool, call.Outcome, call.Intent)
		}
		check, err := st.Journal().Verify(ctx, session)
		if err != nil {
			return err
		}
		fmt.Printf("the trace is whole: %d calls\n", check.Calls)
	}
	return nil
}
