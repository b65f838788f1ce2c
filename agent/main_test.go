package agent_test

import (
	"context"
	"encoding/json"
	"fmt"
	"log/slog"
	"net"
	"strings"
	"testing"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/go-reprise/reprise/agent"
	"github.com/go-reprise/reprise/automation"
	"github.com/go-reprise/reprise/browser"
	"github.com/go-reprise/reprise/internal/browsertest"
	"github.com/go-reprise/reprise/internal/demosite"
	"github.com/go-reprise/reprise/replayer"
	"github.com/go-reprise/reprise/store"
)

func TestMain(m *testing.M) { browsertest.Main(m) }

// place is a store, a site and an agent's server.
type place struct {
	t      testing.TB
	root   string // of the store
	st     store.Store
	site   *demosite.Server
	server *agent.Server
}

// at makes one; change may change the options.
func at(t testing.TB, change func(*agent.Options)) *place {
	t.Helper()
	browsertest.Slot(t)
	root := t.TempDir()
	st, err := store.Open(t.Context(), root)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = st.Close() })
	site, err := demosite.Start(&demosite.Options{Delay: -1})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = site.Close() })
	p := &place{t: t, root: root, st: st, site: site}
	o := &agent.Options{
		Store: st, Timeout: 20 * time.Second, Values: p.passwords,
		Browser: func(ctx context.Context) (*browser.Browser, error) {
			return browser.Launch(ctx, &browser.Options{Width: 1280, Height: 800})
		},
		Logger: slog.New(slog.NewTextHandler(t.Output(), &slog.HandlerOptions{Level: slog.LevelWarn})),
	}
	if change != nil {
		change(o)
	}
	if p.server, err = agent.New(t.Context(), o); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := p.server.Close(); err != nil {
			t.Error(err)
		}
	})
	return p
}

// passwords are those of the site's accounts, stored for its origin.
func (p *place) passwords(_ context.Context, w agent.ValuesRequest) (replayer.Values, error) {
	for _, account := range p.site.Accounts() {
		if account.Email == w.Account || account.Email == w.Task {
			secret, err := automation.NewSecret(account.Password, p.site.URL)
			return replayer.Map{"email": account.Email, "password": secret}, err
		}
	}
	return nil, nil
}

// signIn is the sign-in of the site.
const signIn = `{"format": 1, "name": "demo-login", "description": "Sign in to the demo",
	"match": {"urls": ["HOST/signin", "HOST/signin/*"]},
	"variables": {"type": "object", "properties": {"email": {"type": "string", "format": "email"}, "password": {"type": "string", "writeOnly": true}},
		"required": ["email", "password"], "additionalProperties": false},
	"steps": [
		{"tool": "navigate", "url": "http://HOST/signin"},
		{"tool": "click", "selector": "#accept-all", "optional": true},
		{"tool": "typeInput", "selector": "#identifierId", "value": {"kind": "variable", "name": "email"}, "intent": "say who it is"},
		{"tool": "click", "selector": "#identifierNext"},
		{"tool": "typeInput", "selector": "#password", "value": {"kind": "variable", "name": "password"}},
		{"tool": "click", "selector": "#passwordNext"},
		{"tool": "waitForNav", "url": "HOST/dashboard"},
		{"tool": "extract", "selector": "[data-email]", "args": {"as": "who"}}
	]}`

// keep keeps a document, with HOST as the site's.
func (p *place) keep(document string) {
	p.t.Helper()
	a, err := automation.Parse([]byte(strings.ReplaceAll(document, "HOST", strings.TrimPrefix(p.site.URL, "http://"))))
	if err == nil {
		_, err = p.st.Automations().Save(p.t.Context(), a)
	}
	if err != nil {
		p.t.Fatal(err)
	}
}

// client connects one over memory.
func (p *place) client(o *mcp.ClientOptions) *mcp.ClientSession {
	p.t.Helper()
	ours, theirs := mcp.NewInMemoryTransports()
	ctx, cancel := context.WithCancel(context.Background())
	ended := make(chan error, 1)
	go func() { ended <- p.server.Run(ctx, ours) }()
	session, err := mcp.NewClient(&mcp.Implementation{Name: "test", Version: "1"}, o).Connect(p.t.Context(), theirs, nil)
	if err != nil {
		p.t.Fatal(err)
	}
	p.t.Cleanup(func() {
		_ = session.Close()
		cancel()
		<-ended
	})
	return session
}

// onLine connects a client over a line that can be cut.
func (p *place) onLine() (*mcp.ClientSession, net.Conn) {
	p.t.Helper()
	ours, theirs := net.Pipe()
	ended := make(chan error, 1)
	go func() { ended <- p.server.Run(context.Background(), &mcp.IOTransport{Reader: ours, Writer: ours}) }()
	session, err := mcp.NewClient(&mcp.Implementation{Name: "test", Version: "1"}, nil).Connect(p.t.Context(), &mcp.IOTransport{Reader: theirs, Writer: theirs}, nil)
	if err != nil {
		p.t.Fatal(err)
	}
	p.t.Cleanup(func() {
		_ = theirs.Close()
		<-ended
	})
	return session, theirs
}

// result is what a call gave.
type result struct {
	*mcp.CallToolResult
	Value map[string]any
	Text  string
	Error agent.Error
}

// call calls a tool.
func call(t *testing.T, s *mcp.ClientSession, name string, args map[string]any) result {
	t.Helper()
	r, err := s.CallTool(t.Context(), &mcp.CallToolParams{Name: name, Arguments: args})
	if err != nil {
		t.Fatalf("%s: %v", name, err)
	}
	return resultOf(t, r)
}

func resultOf(t *testing.T, r *mcp.CallToolResult) result {
	t.Helper()
	told := result{CallToolResult: r}
	if len(r.Content) > 0 {
		if text, is := r.Content[0].(*mcp.TextContent); is {
			told.Text = text.Text
		}
	}
	data, err := json.Marshal(r.StructuredContent)
	if err != nil {
		t.Fatal(err)
	}
	var failed struct{ Error agent.Error }
	if err := json.Unmarshal(data, &told.Value); err != nil {
		t.Fatal(err)
	}
	if r.IsError {
		if err := json.Unmarshal(data, &failed); err != nil {
			t.Fatal(err)
		}
		told.Error = failed.Error
	}
	return told
}

// must is call, of a tool that is to do it.
func must(t *testing.T, s *mcp.ClientSession, name string, args map[string]any) result {
	t.Helper()
	r := call(t, s, name, args)
	if r.IsError {
		t.Fatalf("%s(%v): %s", name, args, r.Text)
	}
	return r
}

// fails is call, of a tool that is to refuse it with a code.
func fails(t *testing.T, s *mcp.ClientSession, code, name string, args map[string]any) result {
	t.Helper()
	r := call(t, s, name, args)
	if !r.IsError || r.Error.Code != code || r.Error.Next == "" || r.Error.Reason == "" {
		t.Errorf("%s(%v) gives %s, want %s", name, args, r.Text, code)
	}
	return r
}

func names(t *testing.T, s *mcp.ClientSession) map[string]*mcp.Tool {
	t.Helper()
	all := map[string]*mcp.Tool{}
	for tool, err := range s.Tools(t.Context(), nil) {
		if err != nil {
			t.Fatal(err)
		}
		all[tool.Name] = tool
	}
	return all
}

// trace is what was written down of all sessions, oldest first.
func (p *place) trace() []store.JournalCall {
	p.t.Helper()
	calls, err := p.st.Journal().Recent(p.t.Context(), 1000)
	if err != nil {
		p.t.Fatal(err)
	}
	for i, j := 0, len(calls)-1; i < j; i, j = i+1, j-1 {
		calls[i], calls[j] = calls[j], calls[i]
	}
	return calls
}

func toText(v any) string { return fmt.Sprintf("%+v", v) }

func nothing(context.Context, *replayer.Call) error { return nil }

// atFuzz is at with a client that stays.
func atFuzz(f *testing.F, change func(*agent.Options)) *place {
	p := at(f, func(o *agent.Options) {
		o.Logger = nil
		change(o)
	})
	p.client(nil)
	return p
}
