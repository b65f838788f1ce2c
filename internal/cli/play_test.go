package cli

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/go-reprise/reprise/automation"
	"github.com/go-reprise/reprise/internal/cli/failure"
	"github.com/go-reprise/reprise/internal/cli/files"
	"github.com/go-reprise/reprise/internal/cli/render"
	"github.com/go-reprise/reprise/internal/postgrestest"
	"github.com/go-reprise/reprise/internal/runner"
	"github.com/go-reprise/reprise/store"
	"github.com/go-reprise/reprise/store/storetest"
)

// renewed is a document, and what a run of it proposes.
func renewed(t *testing.T) (played, proposal *automation.Automation) {
	t.Helper()
	played, proposal = storetest.Document(t, "order", ""), storetest.Document(t, "order", "")
	proposal.Steps[2].Selector, proposal.Steps[2].Offset = proposal.Steps[1].Alternatives[0], nil
	return played, proposal
}

func TestAcceptingDoesNotOverwriteWhatAnotherSavedMeanwhile(t *testing.T) {
	t.Parallel()
	a := &app{data: t.TempDir()}
	st, err := store.Open(t.Context(), a.data)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { st.Close() })
	played, proposal := renewed(t)
	saved, err := st.Automations().Save(t.Context(), played)
	if err != nil {
		t.Fatal(err)
	}
	proposal.Revision = saved.Revision
	saved.Description = "edited by someone"
	if _, err := st.Automations().Save(t.Context(), saved); err != nil {
		t.Fatal(err)
	}
	_, err = a.accept(t.Context(), st, saved, proposal, "order")
	if err == nil {
		t.Fatal("it was saved over")
	}
	if f := failure.Of(err); f.Code != "conflict" || f.Exit != failure.ExitFailed || !strings.Contains(f.Reason, "the run went well") || !strings.Contains(f.Reason, "Play it again") {
		t.Errorf("accepting gives %+v", f)
	}
	now, err := st.Automations().Get(t.Context(), "order", "")
	if err != nil || now.Description != "edited by someone" || now.Revision != 2 {
		t.Errorf("the stored document is %+v, %v", now, err)
	}
}

func TestAcceptingDoesNotOverwriteAFileThatWasEditedMeanwhile(t *testing.T) {
	t.Parallel()
	file := filepath.Join(t.TempDir(), "order.json")
	played, proposal := renewed(t)
	edited, _ := renewed(t)
	edited.Description = "edited by someone"
	if err := files.WriteDocument(file, edited); err != nil {
		t.Fatal(err)
	}
	before, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	_, err = (&app{}).accept(t.Context(), nil, played, proposal, file)
	if err == nil {
		t.Fatal("it was written over")
	}
	var moved *changedError
	if f := failure.Of(err); !errors.As(err, &moved) || f.Code != "conflict" {
		t.Errorf("accepting gives %v", err)
	}
	if after, err := os.ReadFile(file); err != nil || string(after) != string(before) {
		t.Errorf("the file is now\n%s\n%v", after, err)
	}
}

func TestAcceptingIntoAFileThatHasGoneSaysSo(t *testing.T) {
	t.Parallel()
	played, proposal := renewed(t)
	_, err := (&app{}).accept(t.Context(), nil, played, proposal, filepath.Join(t.TempDir(), "gone.json"))
	if !errors.Is(err, os.ErrNotExist) || !strings.Contains(err.Error(), "not saved") {
		t.Errorf("accepting gives %v", err)
	}
}

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

// holdPayments puts a server in front of the site that signals when a payment has come, and
// lets it go on when the test ends.
func holdPayments(t *testing.T, site string) (address string, came <-chan struct{}) {
	t.Helper()
	to, err := url.Parse(site)
	if err != nil {
		t.Fatal(err)
	}
	arrived, over := make(chan struct{}, 1), make(chan struct{})
	pass := httputil.NewSingleHostReverseProxy(to)
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Method == http.MethodPost && r.URL.Path == "/bill/pay" {
			arrived <- struct{}{}
			select {
			case <-over:
			case <-r.Context().Done():
			}
			return
		}
		pass.ServeHTTP(w, r)
	}))
	t.Cleanup(s.Close)
	t.Cleanup(func() { close(over) })
	return s.URL, arrived
}

// A payment whose process was killed is uncertain from that moment on, and not only when
// it is resumed: the journal of commits has that it was sent, and nothing has what
// became of it.
func TestAPaymentWhoseProcessWasKilledIsUncertainAtOnce(t *testing.T) {
	t.Parallel()
	b, err := sharedBrowser()
	if err != nil {
		t.Fatal(err)
	}
	for _, place := range []struct {
		flag string
		at   func(*testing.T) string
	}{
		{"--data", func(t *testing.T) string { return filepath.Join(t.TempDir(), "data") }},
		{"--store", func(t *testing.T) string { return postgrestest.Database(t) }},
	} {
		t.Run(place.flag, func(t *testing.T) {
			t.Parallel()
			p := startPayments(t, place.flag, place.at(t))
			address, came := holdPayments(t, p.site.URL)
			doc := billDocument(t, address)
			doc.Name = "pay-held"
			if _, err := p.st.Automations().Save(t.Context(), doc); err != nil {
				t.Fatal(err)
			}
			listed := func(state string) []string {
				t.Helper()
				var ids []string
				for _, r := range decoded[[]render.Run](t, p.ends(p.begin("runs", "--state", state, "--json"), failure.ExitDone)) {
					if ids = append(ids, r.ID); string(r.State) != state {
						t.Errorf("--state %s lists a run that is %s", state, r.State)
					}
				}
				return ids
			}
			playing := p.begin("play", "pay-held", "--vars", p.vars, "--browser", b.Endpoint(), "--commit", "allow", "--json")
			select {
			case <-came:
			case <-time.After(patience):
				t.Fatal("no payment has come")
			}
			run := listed("running")
			if len(run) != 1 || len(listed("uncertain")) != 0 {
				t.Fatalf("while it pays %v are running, and %v uncertain", run, listed("uncertain"))
			}
			if err := playing.Process.Kill(); err != nil {
				t.Fatal(err)
			}
			_ = playing.Wait() // it was killed
			for state, want := range map[string][]string{"uncertain": run, "running": nil, "lost": nil, "failed": nil} {
				if got := listed(state); !slices.Equal(got, want) {
					t.Errorf("--state %s lists %v, want %v", state, got, want)
				}
			}
			if one := decoded[render.Run](t, p.ends(p.begin("runs", run[0], "--json"), failure.ExitDone)); one.State != store.Uncertain || !one.Lost || one.Code != "uncertain" || len(one.Sent) != 1 || one.Sent[0].Done {
				t.Errorf("the run is told as %+v", one)
			}
			p.ends(p.begin("play", "pay-held", "--vars", p.vars, "--browser", b.Endpoint(), "--commit", "allow", "--resume", run[0], "--settled", "done", "--json"), failure.ExitDone)
			if got := listed("uncertain"); len(got) != 0 {
				t.Errorf("after someone said what became of it %v are uncertain", got)
			}
		})
	}
}
