package cli

import (
	"context"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/go-reprise/reprise/browser"
	"github.com/go-reprise/reprise/internal/browsertest"
)

// A server that is killed leaves its browser, which the next one closes.
func TestTheNextServerClosesWhatAKilledOneHasLeft(t *testing.T) {
	browsertest.Slot(t)
	runtime, err := os.MkdirTemp("", "r-") // a socket's name is short
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = os.RemoveAll(runtime) })
	t.Setenv("XDG_RUNTIME_DIR", runtime)
	const token = "a-token-for-the-test-only"
	a := &agents{env: append(os.Environ(), "REPRISE_DATA="+filepath.Join(t.TempDir(), "data"), "REPRISE_TOKEN="+token)}
	serve := func() (said *wire, kill func()) {
		said = &wire{}
		cmd := a.command(context.Background(), "serve", "--listen", "127.0.0.1:0", "--allow-private-network")
		cmd.Stderr = said
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		killed := false
		kill = func() {
			if !killed {
				killed = true
				_ = cmd.Process.Kill()
				_ = cmd.Wait() // it was killed
			}
		}
		t.Cleanup(kill)
		return said, kill
	}
	said, kill := serve()
	site := httptest.NewServer(http.NotFoundHandler())
	t.Cleanup(site.Close)
	client := connected(t, &mcp.StreamableClientTransport{Endpoint: servedAt(t, said), HTTPClient: &http.Client{Transport: (&wire{}).roundTrip(token)}})
	if r, err := client.CallTool(t.Context(), &mcp.CallToolParams{Name: "navigate", Arguments: map[string]any{"url": site.URL}}); err != nil || r.IsError {
		t.Fatalf("%v, %+v", err, r)
	}
	running, err := browser.Instances()
	if err != nil || len(running) != 1 {
		t.Fatalf("%d browsers run: %v", len(running), err)
	}
	kill()
	if running, err = browser.Instances(); err != nil || len(running) != 1 {
		t.Fatalf("after the end of the server %d browsers run: %v", len(running), err)
	}
	said, _ = serve()
	servedAt(t, said)
	if !strings.Contains(string(said.bytes()), "Closed the browser local "+running[0].ID) {
		t.Errorf("the next server says\n%s", said.bytes())
	}
	if running, err = browser.Instances(); err != nil || len(running) != 0 {
		t.Errorf("%+v run: %v", running, err)
	}
}
