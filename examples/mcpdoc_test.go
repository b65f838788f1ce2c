package examples_test

import (
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/go-reprise/reprise/agent"
	"github.com/go-reprise/reprise/internal/server"
	"github.com/go-reprise/reprise/store"
)

// started is a server as the settings of a client say it.
type started struct {
	Command string
	Args    []string
	Env     map[string]string
	URL     string
	Headers map[string]string
}

var fenced = regexp.MustCompile("(?s)```(json|toml) ([a-z_A-Z]+)\n(.*?)```")

// settings are those in docs/mcp.md, by the key that the client has for them.
func settings(t *testing.T) map[string]started {
	t.Helper()
	doc, err := os.ReadFile("../docs/mcp.md")
	if err != nil {
		t.Fatal(err)
	}
	all := map[string]started{}
	for _, m := range fenced.FindAllStringSubmatch(string(doc), -1) {
		language, name, text := m[1], m[2], m[3]
		if language == "toml" {
			text = asJSON(t, text)
		}
		var file map[string]map[string]started
		if err := json.Unmarshal([]byte(text), &file); err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		for key, servers := range file {
			if name != "http" && key != name || len(servers) != 1 {
				t.Errorf("%s: %v", name, file)
			}
			all[name] = servers["reprise"]
		}
	}
	return all
}

// asJSON reads the little of TOML that a table of texts needs.
func asJSON(t *testing.T, text string) string {
	t.Helper()
	lines := strings.Split(strings.TrimSpace(text), "\n")
	table := strings.Split(strings.Trim(lines[0], "[]"), ".")
	var members []string
	for _, line := range lines[1:] {
		key, value, is := strings.Cut(line, " = ")
		if !is {
			t.Fatalf("no setting: %s", line)
		}
		members = append(members, `"`+key+`": `+value)
	}
	return `{"` + table[0] + `": {"` + table[1] + `": {` + strings.Join(members, ", ") + `}}}`
}

func TestTheSettingsOfEachClientStartTheServer(t *testing.T) {
	t.Parallel()
	bin := build(t, "..", "./cmd/reprise")
	all := settings(t)
	for _, name := range []string{"mcpServers", "servers", "context_servers", "mcp_servers", "http"} {
		s, found := all[name]
		if !found {
			t.Errorf("docs/mcp.md has no settings %s", name)
			continue
		}
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			client := mcp.NewClient(&mcp.Implementation{Name: name, Version: "1"}, nil)
			session, err := client.Connect(t.Context(), s.transport(t, bin), nil)
			if err != nil {
				t.Fatal(err)
			}
			defer session.Close()
			if got := session.InitializeResult().ServerInfo.Name; got != "reprise" {
				t.Errorf("it is %q that answers", got)
			}
			tools, err := session.ListTools(t.Context(), nil)
			if err != nil || len(tools.Tools) < 20 {
				t.Errorf("%v, %v", tools, err)
			}
			r, err := session.CallTool(t.Context(), &mcp.CallToolParams{Name: "list_automations"})
			if err != nil || r.IsError {
				t.Errorf("%v, %v", r, err)
			}
		})
	}
}

// transport starts what the settings say, with the built command in the place of one that
// is installed.
func (s started) transport(t *testing.T, bin string) mcp.Transport {
	t.Helper()
	if s.URL != "" {
		return s.served(t)
	}
	if s.Command != "reprise" {
		t.Fatalf("the command is %q", s.Command)
	}
	cmd := exec.CommandContext(t.Context(), filepath.Join(bin, s.Command), s.Args...)
	cmd.Env = append(os.Environ(), "REPRISE_DATA="+t.TempDir(), "REPRISE_KEY_FILE="+filepath.Join(t.TempDir(), "key"))
	for name, value := range s.Env {
		cmd.Env = append(cmd.Env, name+"="+value)
	}
	return &mcp.CommandTransport{Command: cmd}
}

// served answers at another port than the settings say, which may be taken.
func (s started) served(t *testing.T) mcp.Transport {
	t.Helper()
	const token = "the-token-of-a-test"
	st, err := store.Open(t.Context(), t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	served, err := agent.New(t.Context(), &agent.Options{Store: st})
	if err != nil {
		t.Fatal(err)
	}
	handler, err := server.New(&server.Options{Agent: served, Token: token, Hosts: server.LoopbackHosts("7337")})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		handler.Close()
		if err := served.Close(); err != nil {
			t.Error(err)
		}
		_ = st.Close()
	})
	carry := func(r *http.Request) (*http.Response, error) {
		r = r.Clone(r.Context())
		for name, value := range s.Headers {
			r.Header.Set(name, strings.ReplaceAll(value, "${REPRISE_TOKEN}", token))
		}
		answer := httptest.NewRecorder()
		handler.ServeHTTP(answer, r)
		return answer.Result(), nil
	}
	return &mcp.StreamableClientTransport{Endpoint: s.URL, HTTPClient: &http.Client{Transport: roundTripper(carry)}, DisableStandaloneSSE: true}
}

type roundTripper func(*http.Request) (*http.Response, error)

func (f roundTripper) RoundTrip(r *http.Request) (*http.Response, error) { return f(r) }
