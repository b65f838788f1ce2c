package agent_test

import (
	"context"
	"fmt"
	"os"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/go-reprise/reprise/agent"
	"github.com/go-reprise/reprise/automation"
	"github.com/go-reprise/reprise/replayer"
	"github.com/go-reprise/reprise/store"
)

func ExampleNew() {
	ctx := context.Background()
	dir, err := os.MkdirTemp("", "")
	if err != nil {
		fmt.Println(err)
		return
	}
	defer os.RemoveAll(dir)
	kept, err := store.Open(ctx, dir)
	if err != nil {
		fmt.Println(err)
		return
	}
	defer kept.Close()
	server, err := agent.New(ctx, &agent.Options{
		Store: kept,
		Values: func(_ context.Context, w agent.Wanted) (replayer.Values, error) { // passwords never come from the agent
			secret, err := automation.NewSecret(os.Getenv("PASSWORD"), "https://accounts.example.com")
			return replayer.Map{"password": secret}, err
		},
	})
	if err != nil {
		fmt.Println(err)
		return
	}
	defer server.Close()

	ours, theirs := mcp.NewInMemoryTransports() // &mcp.StdioTransport{} where another program starts this one
	go func() { _ = server.Run(ctx, ours) }()
	client, err := mcp.NewClient(&mcp.Implementation{Name: "example", Version: "1"}, nil).Connect(ctx, theirs, nil)
	if err != nil {
		fmt.Println(err)
		return
	}
	defer client.Close()
	listed, err := client.CallTool(ctx, &mcp.CallToolParams{Name: "list_automations", Arguments: map[string]any{"intent": "see what there is"}})
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(listed.StructuredContent)
	// Output: map[automations:[]]
}
