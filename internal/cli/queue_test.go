package cli

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"

	"github.com/go-reprise/reprise/automation"
	"github.com/go-reprise/reprise/internal/demosite"
	"github.com/go-reprise/reprise/internal/postgrestest"
	"github.com/go-reprise/reprise/internal/runner"
	"github.com/go-reprise/reprise/store"
)

// queueDocuments are one that only types, and one that commits.
func queueDocuments(t *testing.T, url string) []*automation.Automation {
	t.Helper()
	var all []*automation.Automation
	for name, steps := range map[string]string{
		"greet": `{"tool":"typeInput","selector":"#name","value":{"kind":"variable","name":"name"}}`,
		"order": `{"tool":"click","selector":"#submit","effect":"commit"}`,
	} {
		doc, err := automation.Parse(fmt.Appendf(nil, `{"format":1,"name":%q,"match":{"urls":["%s/*"]},
			"variables":{"type":"object","properties":{"name":{"type":"string"},"pin":{"type":"string","writeOnly":true}}},
			"steps":[{"tool":"navigate","url":"%s/form"},%s]}`, name, strings.TrimPrefix(url, "http://"), url, steps))
		if err != nil {
			t.Fatal(err)
		}
		all = append(all, doc)
	}
	return all
}

// queueTest is a store that is shared, with a worker.
type queueTest struct {
	*testing.T
	address string
}

func startQueue(t *testing.T, address string) *queueTest {
	t.Helper()
	site, err := demosite.Start(&demosite.Options{NoBanner: true})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = site.Close() })
	q := &queueTest{T: t, address: address}
	kept, err := store.Open(t.Context(), q.address)
	if err != nil {
		t.Fatal(err)
	}
	for _, doc := range queueDocuments(t, site.URL) {
		if _, err := kept.Automations().Save(t.Context(), doc); err != nil {
			t.Fatal(err)
		}
	}
	if err := kept.Close(); err != nil {
		t.Fatal(err)
	}
	return q
}

// work starts a worker, which ends well when it is told to.
func (q *queueTest) work(flags ...string) {
	q.Helper()
	cmd := exec.Command("reprise", append(flags, "work", "--store", q.address)...)
	var said strings.Builder
	cmd.Stderr = &said
	if err := cmd.Start(); err != nil {
		q.Fatal(err)
	}
	q.Cleanup(func() {
		if err := cmd.Process.Signal(syscall.SIGTERM); err != nil {
			q.Error(err)
		}
		if err := cmd.Wait(); err != nil {
			q.Errorf("the worker: %v\n%s", err, said.String())
		}
	})
}

// reprise runs a command line, and gives what it says on standard output.
func (q *queueTest) reprise(want int, args ...string) string {
	q.Helper()
	out, complaints := scratch(q.T, ""), scratch(q.T, "")
	a := &app{stdin: scratch(q.T, ""), stdout: out, stderr: complaints}
	code := a.execute(q.Context(), append(args, "--store", q.address))
	said, err := os.ReadFile(out.Name())
	if err != nil {
		q.Fatal(err)
	}
	if code != want {
		also, _ := os.ReadFile(complaints.Name())
		q.Errorf("reprise %v exits %d, want %d:\n%s%s", args, code, want, said, also)
	}
	return string(said)
}

func decoded[T any](t *testing.T, text string) T {
	t.Helper()
	var v T
	if err := json.Unmarshal([]byte(text), &v); err != nil {
		t.Fatalf("%v in %s", err, text)
	}
	return v
}

// played is what is read of what play says.
type played struct {
	Run     string         `json:"run"`
	Outcome store.RunState `json:"outcome"`
	Steps   []struct {
		Tool     string `json:"tool"`
		Selector string `json:"selector"`
	} `json:"steps"`
	Error *failure `json:"error"`
}

func TestAWorkerPlaysWhatIsQueued(t *testing.T) {
	t.Parallel()
	q := startQueue(t, postgrestest.Database(t))
	key := filepath.Join(t.TempDir(), "key") // of the worker, who opens what a task has
	putting := &app{stdin: scratch(t, `{"name": "Ada"}`), stdout: scratch(t, ""), stderr: scratch(t, "")}
	if code := putting.execute(t.Context(), []string{"task", "put", "order-17", "--key", key, "--store", q.address}); code != exitDone {
		t.Fatalf("task put exits %d", code)
	}
	doubted, finished := q.begunBefore(false), q.begunBefore(true)
	q.work("--key", key)
	well := decoded[played](t, q.reprise(exitDone, "play", "greet", "--var", "name=Ada", "--queue", "--json"))
	if well.Outcome != store.Done || len(well.Steps) != 2 || well.Steps[1].Selector != "#name" || well.Error != nil {
		t.Errorf("play says %+v", well)
	}
	if said := q.reprise(exitDone, "runs", well.Run); !strings.Contains(said, "greet") {
		t.Errorf("runs says %s", said)
	}
	refused := decoded[played](t, q.reprise(exitPerson, "play", "order", "--queue", "--json"))
	if refused.Outcome != store.Failed || refused.Error == nil || refused.Error.Code != "refused" || refused.Error.Step == nil || *refused.Error.Step != 1 {
		t.Errorf("play says %+v", refused)
	}
	q.reprise(exitPerson, "play", "order", "--queue")
	q.reprise(exitDone, "play", "greet", "--task", "order-17", "--queue")
	missing := decoded[played](t, q.reprise(exitFailed, "play", "greet", "--task", "order-18", "--queue", "--json"))
	if missing.Error == nil || missing.Error.Code != "invalid_value" {
		t.Errorf("without the task play says %+v", missing)
	}
	for run, want := range map[string]store.RunState{doubted: store.Uncertain, finished: store.Done} {
		if now := decoded[keptRun](t, q.reprise(exitDone, "runs", run, "--json")); now.State != want || len(now.Steps) > 0 {
			t.Errorf("what another had begun is %s, want %s, with %d steps played", now.State, want, len(now.Steps))
		}
	}
}

// begunBefore queues a run that a worker had begun which was lost: it has sent its last
// step, and seen that it was done or not.
func (q *queueTest) begunBefore(settled bool) string {
	q.Helper()
	run := strings.TrimSpace(q.reprise(exitDone, "play", "order", "--commit", "allow", "--queue", "--detach"))
	kept, err := store.Open(q.Context(), q.address)
	if err != nil {
		q.Fatal(err)
	}
	defer kept.Close()
	if err := kept.Commits().Sending(q.Context(), run, 1); err != nil {
		q.Fatal(err)
	}
	if settled {
		if err := kept.Commits().Settled(q.Context(), run, 1, true); err != nil {
			q.Fatal(err)
		}
	}
	return run
}

func TestWhatHappensIsFollowedAcrossARestart(t *testing.T) {
	t.Parallel()
	server := postgrestest.Start(t)
	q := startQueue(t, server.Database(t))
	q.work()
	waiting := strings.TrimSpace(q.reprise(exitDone, "play", "greet", "--var", "name=Ada", "--queue", "--detach", "--on", "nowhere.example"))
	in, out, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	ctx, stop := context.WithCancel(t.Context())
	ended := make(chan int, 1)
	go func() {
		a := &app{stdin: os.Stdin, stdout: out, stderr: scratch(t, "")}
		ended <- a.execute(ctx, []string{"runs", "--follow", "--json", "--store", q.address})
		_ = out.Close()
	}()
	lines := bufio.NewScanner(in)
	q.sees(lines, waiting, store.Queued)
	q.sees(lines, strings.TrimSpace(q.reprise(exitDone, "play", "greet", "--var", "name=Ada", "--queue", "--detach")), store.Done)
	server.Stop(t)
	server.Start(t)
	q.sees(lines, strings.TrimSpace(q.reprise(exitDone, "play", "greet", "--var", "name=Ada", "--queue", "--detach")), store.Done)
	q.reprise(exitDone, "runs", "cancel", waiting)
	q.sees(lines, waiting, store.Cancelled)
	q.reprise(exitFailed, "runs", "cancel", waiting)
	stop()
	if _, err := io.Copy(io.Discard, in); err != nil {
		t.Error(err)
	}
	if code := <-ended; code != exitDone {
		t.Errorf("runs --follow exits %d", code)
	}
}

// sees reads lines up to that of a run in a state.
func (q *queueTest) sees(lines *bufio.Scanner, run string, state store.RunState) {
	q.Helper()
	var states []store.RunState
	for lines.Scan() {
		now := decoded[keptRun](q.T, lines.Text())
		if now.ID != run {
			continue
		}
		if states = append(states, now.State); now.State == state {
			return
		}
		if runner.Ended(now.State) {
			break
		}
	}
	q.Fatalf("run %s was seen as %v, want %s: %v", run, slices.Compact(states), state, lines.Err())
}

func TestWhatCannotBeQueuedIsAWrongCommandLine(t *testing.T) {
	t.Setenv("QUEUE_TEST_PIN", "0000")
	q := startQueue(t, postgrestest.Database(t))
	for _, args := range [][]string{
		{"play", "greet", "--queue", "--var-env", "pin=QUEUE_TEST_PIN"},
		{"play", "greet", "--queue", "--var", "name=4111 1111 1111 1111"},
		{"play", "greet", "--queue", "--headed"},
		{"play", "greet", "--queue", "--dry-run"},
		{"play", "./greet.json", "--queue"},
		{"play", "greet", "--detach"},
		{"play", "greet", "--on", "here"},
		{"work", "--parallel", "0"},
	} {
		q.reprise(exitUsage, args...)
	}
	if all := decoded[[]keptRun](t, q.reprise(exitDone, "runs", "--json")); len(all) > 0 {
		t.Errorf("something was queued: %+v", all)
	}
	for _, args := range [][]string{{"play", "greet", "--queue"}, {"work"}, {"runs", "cancel", "06gzxw5dg3fvq5sec7d5ajpt4x"}} {
		a := &app{stdin: os.Stdin, stdout: scratch(t, ""), stderr: scratch(t, "")}
		if code := a.execute(t.Context(), append(args, "--data", t.TempDir())); code != exitUsage {
			t.Errorf("reprise %v in a directory exits %d", args, code)
		}
	}
}
