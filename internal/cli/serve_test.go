package cli

import (
	"context"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
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

// What a person was typing is there when the server is killed, and its page is theirs by the same link.
func TestAPageThatAPersonHasOutlivesTheServer(t *testing.T) {
	browsertest.Slot(t)
	runtime, err := os.MkdirTemp("", "r-") // a socket's name is short
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = os.RemoveAll(runtime) })
	t.Setenv("XDG_RUNTIME_DIR", runtime)
	const token = "a-token-for-the-test-only"
	a := &agents{env: append(os.Environ(), "REPRISE_DATA="+filepath.Join(t.TempDir(), "data"), "REPRISE_TOKEN="+token)}
	listen := "127.0.0.1:0"
	serve := func() (said *wire, kill func()) {
		said = &wire{}
		cmd := a.command(context.Background(), "serve", "--listen", listen, "--allow-private-network", "--takeover")
		cmd.Stderr = said
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		kill = sync.OnceFunc(func() {
			_ = cmd.Process.Kill()
			_ = cmd.Wait() // it was killed
		})
		t.Cleanup(kill)
		return said, kill
	}
	var written atomic.Value
	site := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if v := r.FormValue("v"); v != "" {
			written.Store(v)
		}
		w.Header().Set("Content-Type", "text/html")
		fmt.Fprint(w, `<!doctype html><body style="margin:0"><input id=f oninput="fetch('/?v=' + f.value)" style="position:absolute;left:20px;top:20px;width:300px;height:40px">`)
	}))
	t.Cleanup(site.Close)
	said, kill := serve()
	endpoint := servedAt(t, said)
	listen = strings.TrimSuffix(strings.TrimPrefix(endpoint, "http://"), "/mcp")
	client := connected(t, &mcp.StreamableClientTransport{Endpoint: endpoint, HTTPClient: &http.Client{Transport: (&wire{}).roundTrip(token)}})
	for _, c := range []mcp.CallToolParams{
		{Name: "navigate", Arguments: map[string]any{"url": site.URL}},
		{Name: "type_input", Arguments: map[string]any{"target": "#f", "value": "half a sen"}},
		{Name: "handoff_start", Arguments: map[string]any{"reason": "other", "instruction": "Write on."}},
	} {
		if r, err := client.CallTool(t.Context(), &c); err != nil || r.IsError {
			t.Fatalf("%s: %v, %+v", c.Name, err, r)
		}
	}
	link := ""
	browsertest.Until(t, "the link", func() bool {
		_, after, found := strings.Cut(string(said.bytes()), "Come to the computer: ")
		link, _, _ = strings.Cut(after, "\n")
		return found && link != ""
	})
	viewer := browsertest.Page(t, link)
	frames := func(what, condition string) {
		t.Helper()
		browsertest.Until(t, what, func() bool {
			is, err := viewer.Rod().Context(browsertest.Context(t)).Eval(condition)
			return err == nil && is.Value.Bool()
		})
	}
	frames("the first frame", `() => Number(canvas.dataset.frames) > 0`)
	kills, typed := 1, "half a sen"
	if *soak {
		kills = 100
	}
	for range kills {
		kill()
		frames("the end of the connection", `() => socket.readyState === WebSocket.CLOSED || notice.textContent !== ""`)
		said, kill = serve()
		servedAt(t, said)
		if !strings.Contains(string(said.bytes()), "goes on: its link is the same") {
			t.Fatalf("the next server says\n%s", said.bytes())
		}
		frames("the view again", `() => socket.readyState === WebSocket.OPEN && state.field?.type === "text"`)
		typed += "-"
		if _, err := viewer.Rod().Eval(`() => { send({t: "key", key: "End"}); send({t: "text", text: "-"}) }`); err != nil {
			t.Fatal(err)
		}
		browsertest.Until(t, "what was written before and after", func() bool { return written.Load() == typed })
	}
	if _, err := viewer.Rod().Eval(`() => { send({t: "key", key: "End"}); send({t: "text", text: "tence"}); send({t: "done"}) }`); err != nil {
		t.Fatal(err)
	}
	browsertest.Until(t, "all that was written", func() bool { return written.Load() == typed+"tence" })
	frames("the end", `() => ended`)
	id := strings.TrimPrefix(link[strings.IndexByte(link, '#'):], "#")
	id, _, _ = strings.Cut(id, ".")
	again := connected(t, &mcp.StreamableClientTransport{Endpoint: endpoint, HTTPClient: &http.Client{Transport: (&wire{}).roundTrip(token)}})
	if r, err := again.CallTool(t.Context(), &mcp.CallToolParams{Name: "handoff_status", Arguments: map[string]any{"handoff_id": id}}); err != nil || r.IsError || !strings.Contains(fmt.Sprint(r.StructuredContent), "FINISHED") {
		t.Errorf("the agent is told %+v, %v", r, err)
	}
	shown := a.command(t.Context(), "handoffs", "show", id, "--json")
	out, err := shown.Output()
	if err != nil || !strings.Contains(string(out), `"FINISHED"`) {
		t.Errorf("it is shown as %s, %v", out, err)
	}
}
