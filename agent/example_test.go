package agent_test

import (
	"context"
	"errors"
	"fmt"
	"os"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/go-reprise/reprise/agent"
	"github.com/go-reprise/reprise/automation"
	"github.com/go-reprise/reprise/browser"
	"github.com/go-reprise/reprise/replayer"
	"github.com/go-reprise/reprise/store"
)

func ExampleNew() {
	ctx := context.Background()
	st, forget, err := newStore(ctx)
	if err != nil {
		fmt.Println(err)
		return
	}
	defer forget()
	server, err := agent.New(ctx, &agent.Options{
		Store: st,
		Values: func(_ context.Context, w agent.ValuesRequest) (replayer.Values, error) { // passwords never come from the agent
			secret, err := automation.NewSecret(os.Getenv("PASSWORD"), "https://accounts.example.com")
			return replayer.Map{"password": secret}, err
		},
	})
	if err != nil {
		fmt.Println(err)
		return
	}
	defer server.Close()

	listed, err := listAutomations(ctx, server)
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(listed)
	// Output: map[automations:[]]
}

// newStore makes one in a directory of its own, and gives what takes both away.
func newStore(ctx context.Context) (st store.Store, forget func(), err error) {
	dir, err := os.MkdirTemp("", "")
	if err != nil {
		return nil, nil, err
	}
	st, err = store.Open(ctx, dir)
	if err != nil {
		return nil, nil, errors.Join(err, os.RemoveAll(dir))
	}
	return st, func() { _ = errors.Join(st.Close(), os.RemoveAll(dir)) }, nil
}

// listAutomations asks as an agent would.
func listAutomations(ctx context.Context, server *agent.Server) (any, error) {
	ours, theirs := mcp.NewInMemoryTransports() // &mcp.StdioTransport{} where another program starts this one
	go func() { _ = server.Run(ctx, ours) }()
	client, err := mcp.NewClient(&mcp.Implementation{Name: "example", Version: "1"}, nil).Connect(ctx, theirs, nil)
	if err != nil {
		return nil, err
	}
	defer client.Close()
	listed, err := client.CallTool(ctx, &mcp.CallToolParams{Name: "list_automations", Arguments: map[string]any{"intent": "see what there is"}})
	if err != nil {
		return nil, err
	}
	return listed.StructuredContent, nil
}

// keptLogins are saved logins that a program keeps itself, by their names.
type keptLogins map[string]*browser.StorageState

func (k keptLogins) List(context.Context) ([]agent.Login, error) {
	var all []agent.Login
	for name, login := range k {
		all = append(all, agent.Login{Name: name, Origins: login.Origins()})
	}
	return all, nil
}

func (k keptLogins) Open(_ context.Context, name, _ string) (*browser.StorageState, error) {
	if login := k[name]; login != nil {
		return login, nil
	}
	return nil, &agent.Error{Code: agent.NotFound, Reason: "there is no login " + name, Next: "list_automations tells which there are"}
}

// An agent is told which saved logins it may begin with, and never sees what is in one.
func ExampleLogins() {
	ctx := context.Background()
	st, forget, err := newStore(ctx)
	if err != nil {
		fmt.Println(err)
		return
	}
	defer forget()
	// Page.StorageState has made this of a page in which someone was signed in.
	secret, err := automation.NewSecret(`{"format": 1, "saved": "2026-01-02T03:04:05Z", "origins": ["https://shop.example"],
		"cookies": [{"name": "session", "value": "k3y-of-ada", "domain": "shop.example", "path": "/", "secure": true}]}`, "https://shop.example")
	if err != nil {
		fmt.Println(err)
		return
	}
	login, err := browser.ReadLogin(secret)
	if err != nil {
		fmt.Println(err)
		return
	}
	server, err := agent.New(ctx, &agent.Options{Store: st, Logins: keptLogins{"shop": login}})
	if err != nil {
		fmt.Println(err)
		return
	}
	defer server.Close()
	listed, err := listAutomations(ctx, server)
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(listed)
	// Output: map[automations:[] logins:[map[name:shop origins:[https://shop.example]]]]
}
