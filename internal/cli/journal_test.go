package cli

import (
	"context"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/go-reprise/reprise/internal/cli/failure"
	"github.com/go-reprise/reprise/internal/cli/render"
	"github.com/go-reprise/reprise/internal/postgrestest"
	"github.com/go-reprise/reprise/store"
)

const (
	// How many servers of agents are killed, with each kind of store.
	killedServers     = 6
	killedServersSoak = 150
	// Each is killed within this time of its first answer, in which it answers some more.
	maxTimeOfServer = 40 * time.Millisecond
)

// callUntilKilled has a client call tools of a server that is killed at some moment, and
// returns how many calls were answered.
func callUntilKilled(t *testing.T, address string) int {
	t.Helper()
	cmd := (&agents{env: os.Environ()}).command(t.Context(), "mcp", "--store", address)
	in, out := startPiped(t, cmd)
	s := connected(t, &mcp.IOTransport{Reader: out, Writer: in})
	first, answered := make(chan struct{}), make(chan int)
	go func() {
		for n := 0; ; n++ {
			arguments := map[string]any{"query": strings.Repeat("x", 1+rand.IntN(200)), "intent": "see what there is"}
			if _, err := s.CallTool(context.WithoutCancel(t.Context()), &mcp.CallToolParams{Name: "list_automations", Arguments: arguments}); err != nil {
				answered <- n
				return
			}
			if n == 0 {
				close(first)
			}
		}
	}()
	select {
	case <-first:
	case <-answered:
		t.Fatal("the server has answered nothing")
	}
	// The moment is the point of the test: it waits for nothing.
	<-time.After(rand.N(maxTimeOfServer))
	if err := cmd.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	n := <-answered
	_ = s.Close()
	_ = cmd.Wait() // it was killed
	return n
}

// Of what a server has answered nothing is missing in the journal after it was killed, and
// what it leaves is whole.
func TestTheJournalOfAKilledServerIsWhole(t *testing.T) {
	t.Parallel()
	for kind, address := range map[string]string{"directory": filepath.Join(t.TempDir(), "data"), "Postgres": postgrestest.Database(t)} {
		t.Run(kind, func(t *testing.T) {
			t.Parallel()
			q := &queueTest{T: t, address: address}
			n := killedServers
			if *soak {
				n = killedServersSoak
			}
			var seen []string
			calls := 0
			for range n {
				answered := callUntilKilled(t, address)
				for _, checked := range decoded[[]render.Trace](t, q.reprise(failure.ExitDone, "journal", "verify", "--json")) {
					if slices.Contains(seen, checked.Session) {
						continue
					}
					seen = append(seen, checked.Session)
					if checked.Calls != answered && checked.Calls != answered+1 || checked.Reason != "" {
						t.Errorf("%d calls were answered, and of the trace it is said: %+v", answered, checked)
					}
					calls += checked.Calls
				}
			}
			if len(seen) != n {
				t.Errorf("%d servers were killed, and there are %d traces", n, len(seen))
			}
			t.Logf("%d calls, %d kills", calls, n)
		})
	}
}

func TestWhatIsTornAndWhatIsWholeIsTold(t *testing.T) {
	t.Parallel()
	q := &queueTest{T: t, address: filepath.Join(t.TempDir(), "data")}
	st, err := store.Open(t.Context(), q.address)
	if err != nil {
		t.Fatal(err)
	}
	defer st.Close()
	call := store.JournalCall{Session: "morning", ID: "1", Tool: "click", Outcome: store.CallDone, Started: time.Now()}
	if _, err := st.Journal().Append(t.Context(), call); err != nil {
		t.Fatal(err)
	}
	trace, err := os.OpenFile(filepath.Join(q.address, "traces", "morning.jsonl"), os.O_APPEND|os.O_WRONLY, 0)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := trace.WriteString(`{"n":2,"id":"2","sess`); err != nil {
		t.Fatal(err)
	}
	if err := trace.Close(); err != nil {
		t.Fatal(err)
	}
	says := func() string {
		a := &app{stdin: scratch(t, ""), stdout: scratch(t, ""), stderr: scratch(t, "")}
		if code := a.execute(t.Context(), []string{"journal", "verify", "--data", q.address}); code != failure.ExitDone {
			t.Errorf("journal verify exits %d", code)
		}
		said, err := os.ReadFile(a.stderr.Name())
		if err != nil {
			t.Fatal(err)
		}
		return string(said)
	}
	if got, want := says(), "morning: whole, 1 call; line 2 is torn: its writer was killed, or is still at it, and no one was told that it is stored\n"; got != want {
		t.Errorf("it says %q, want %q", got, want)
	}
	if checked := decoded[[]render.Trace](t, q.reprise(failure.ExitDone, "journal", "verify", "--json")); len(checked) != 1 || checked[0] != (render.Trace{Session: "morning", Calls: 1, Torn: true}) {
		t.Errorf("as JSON it says %+v", checked)
	}
	call.ID = "2"
	if _, err := st.Journal().Append(t.Context(), call); err != nil {
		t.Fatal(err)
	}
	if got, want := says(), "morning: whole, 2 calls\n"; got != want {
		t.Errorf("after the next call it says %q, want %q", got, want)
	}
}
