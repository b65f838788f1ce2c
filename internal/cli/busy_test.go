package cli

import (
	"bufio"
	"context"
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/go-reprise/reprise/automation"
	"github.com/go-reprise/reprise/internal/runner"
	"github.com/go-reprise/reprise/store"
)

// A run for ada at the shop is under way. What is played for her meanwhile ends at once
// and names that run, or waits for it; what is played for others is not held up.
func TestPlayEndsOrWaitsWhileAnotherRunActsForTheAccount(t *testing.T) {
	t.Parallel()
	data := t.TempDir()
	st, err := store.Open(t.Context(), data)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = st.Close() })
	doc, err := automation.Parse([]byte(`{"format":1,"name":"look","match":{"urls":["shop.example/*"]},"steps":[{"tool":"navigate","url":"https://shop.example/"}]}`))
	if err == nil {
		_, err = st.Automations().Save(t.Context(), doc)
	}
	if err != nil {
		t.Fatal(err)
	}
	free := make(chan struct{})
	taken, ended := make(chan struct{}), make(chan error, 1)
	go func() {
		ended <- runner.Hold(t.Context(), st, "the-first", []store.Place{{Site: "shop.example", Account: "ada"}}, time.Minute, func(context.Context, store.Store) error {
			close(taken)
			<-free
			return nil
		})
	}()
	<-taken
	b, err := sharedBrowser()
	if err != nil {
		t.Fatal(err)
	}
	play := func(flags ...string) *exec.Cmd {
		return exec.CommandContext(t.Context(), "reprise", append([]string{"play", "look", "--data", data, "--browser", b.Endpoint(), "--until", "1"}, flags...)...)
	}
	out, err := play("--account", "ada", "--json").Output()
	var told struct{ Error struct{ Code, Reason string } }
	if err == nil || json.Unmarshal(out, &told) != nil || told.Error.Code != "busy" || !strings.Contains(told.Error.Reason, "the-first") {
		t.Errorf("while another run acts for the account it ends with %v: %s", err, out)
	}
	records, err := os.ReadDir(filepath.Join(data, "runs"))
	if len(records) > 0 {
		t.Errorf("a run that did not begin has a record: %v, %v", records, err)
	}
	waits := play("--account", "ada", "--wait")
	printed, err := waits.StderrPipe()
	if err == nil {
		err = waits.Start()
	}
	if err != nil {
		t.Fatal(err)
	}
	lines := bufio.NewScanner(printed)
	if !lines.Scan() || !strings.Contains(lines.Text(), "Waiting") || !strings.Contains(lines.Text(), "the-first") {
		t.Errorf("with --wait it begins with %q", lines.Text())
	}
	close(free)
	if err := <-ended; err != nil {
		t.Error(err)
	}
	for lines.Scan() { // it plays now, and finds no such site
	}
	_ = waits.Wait()
	all := 0
	for run, err := range st.Runs().List(t.Context()) {
		if all++; err != nil || run.State == store.Running {
			t.Errorf("the run that waited is %s, %v", run.State, err)
		}
	}
	if all != 1 {
		t.Errorf("%d runs were played, want the one that waited", all)
	}
}
