// Agentloop is an agent's loop, with a script in the place of the model: it is to read
// whose account a page shows, meets a sign-in, asks which automation there is for it,
// runs that for an account whose password it never sees, and goes on.
//
//	REPRISE_DATA=… SITE_EMAIL=ada@example.com SITE_PASSWORD=… go run ./examples/agentloop http://127.0.0.1:8080/dashboard
package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log"
	"os"
	"os/signal"
	"strings"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/go-reprise/reprise/agent"
	"github.com/go-reprise/reprise/automation"
	"github.com/go-reprise/reprise/replayer"
	"github.com/go-reprise/reprise/store"
)

func main() {
	if len(os.Args) != 2 {
		log.Fatal("usage: agentloop URL")
	}
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	if err := run(ctx, os.Args[1]); err != nil {
		log.Fatal(err)
	}
}

func run(ctx context.Context, url string) error {
	st, err := store.Open(ctx, "")
	if err != nil {
		return err
	}
	defer st.Close()
	server, err := agent.New(ctx, &agent.Options{Store: st, Values: fromEnvironment})
	if err != nil {
		return err
	}
	defer server.Close()
	ours, theirs := mcp.NewInMemoryTransports()
	go func() { _ = server.Run(ctx, ours) }() // it ends with the client
	client, err := mcp.NewClient(&mcp.Implementation{Name: "agentloop", Version: "1"}, nil).Connect(ctx, theirs, nil)
	if err != nil {
		return err
	}
	defer client.Close()
	return loop(ctx, &tools{client}, url)
}

// maxTurns ends a loop that gets nowhere.
const maxTurns = 8

// loop does what a model does: it looks, thinks of the next call, and makes it.
func loop(ctx context.Context, t *tools, url string) error {
	if _, err := t.call(ctx, "navigate", map[string]any{"url": url, "intent": "see whose account it is"}); err != nil {
		return err
	}
	for range maxTurns {
		seen, err := t.call(ctx, "snapshot", nil)
		if err != nil {
			return err
		}
		outline, _ := seen["outline"].(string)
		switch {
		case strings.Contains(outline, "Sign in") && strings.Contains(outline, "textbox"):
			fmt.Println("a sign-in is in the way")
			if err := signIn(ctx, t); err != nil {
				return err
			}
		default:
			read, err := t.call(ctx, "extract", map[string]any{"target": "[data-email]", "as": "account", "intent": "read whose account it is"})
			if err != nil {
				return err
			}
			outputs, _ := read["outputs"].(map[string]any)
			fmt.Println("the account is", outputs["account"])
			return nil
		}
	}
	return errors.New("it got nowhere")
}

// signIn asks what there is for the page, and calls what it is told to.
func signIn(ctx context.Context, t *tools) error {
	matched, err := t.call(ctx, "match_automation", map[string]any{"account": os.Getenv("SITE_EMAIL")})
	if err != nil {
		return err
	}
	next, _ := matched["call"].(map[string]any)
	name, _ := next["tool"].(string)
	if name == "" {
		return errors.New("nothing is recorded for this sign-in")
	}
	arguments, _ := next["arguments"].(map[string]any)
	arguments["vars"] = map[string]any{"email": os.Getenv("SITE_EMAIL")}
	arguments["intent"] = "get past the sign-in"
	ran, err := t.call(ctx, name, arguments)
	if err != nil {
		return err
	}
	fmt.Println(name, "is", ran["state"])
	return nil
}

// tools are those of the server.
type tools struct{ client *mcp.ClientSession }

// call calls one, and gives its result; one that was not done is an error.
func (t *tools) call(ctx context.Context, name string, args map[string]any) (map[string]any, error) {
	result, err := t.client.CallTool(ctx, &mcp.CallToolParams{Name: name, Arguments: args})
	if err != nil {
		return nil, err
	}
	data, err := json.Marshal(result.StructuredContent)
	if err != nil {
		return nil, err
	}
	var told struct{ Error *agent.Error }
	if err := json.Unmarshal(data, &told); err != nil {
		return nil, err
	}
	if told.Error != nil {
		return nil, fmt.Errorf("%s: %w", name, told.Error)
	}
	value := map[string]any{}
	return value, json.Unmarshal(data, &value)
}

// fromEnvironment is where passwords come from: never from the agent.
func fromEnvironment(_ context.Context, w agent.ValuesRequest) (replayer.Values, error) {
	password := os.Getenv("SITE_PASSWORD")
	if w.Account != os.Getenv("SITE_EMAIL") || password == "" {
		return nil, nil
	}
	secret, err := automation.NewSecret(password)
	return replayer.Map{"password": secret}, err
}
