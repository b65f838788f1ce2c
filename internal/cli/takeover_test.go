package cli

import (
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/go-reprise/reprise/automation"
	"github.com/go-reprise/reprise/internal/browsertest"
	"github.com/go-reprise/reprise/internal/cli/failure"
	"github.com/go-reprise/reprise/internal/cli/render"
	"github.com/go-reprise/reprise/internal/postgrestest"
	"github.com/go-reprise/reprise/replayer"
	"github.com/go-reprise/reprise/store"
)

// linkOf waits for the link that a command prints.
func linkOf(t *testing.T, said func() string) (link string) {
	t.Helper()
	browsertest.Until(t, "the link", func() bool {
		_, after, found := strings.Cut(said(), "Come to the computer: ")
		link, _, _ = strings.Cut(after, "\n")
		return found && strings.Contains(after, "\n")
	})
	return link
}

// help has a person open a link, write into the page, and return it.
func help(t *testing.T, link string) {
	t.Helper()
	view := browsertest.Page(t, link)
	browsertest.Until(t, "the page in the view", func() bool {
		is, err := view.Rod().Context(browsertest.Context(t)).Eval(`() => Number(canvas.dataset.frames) > 0 && state?.field?.type === "text"`)
		return err == nil && is.Value.Bool()
	})
	if _, err := view.Rod().Context(browsertest.Context(t)).Eval(`() => { send({t: "text", text: "by a person"}); send({t: "done"}) }`); err != nil {
		t.Fatal(err)
	}
}

// blockedSite is a site that a person has to write into, and an automation of it.
func blockedSite(t *testing.T) (url, document string) {
	t.Helper()
	site := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "text/html")
		fmt.Fprint(w, `<!doctype html><input id=f autofocus oninput="if (f.value === 'by a person') there.hidden = false"><p id=there hidden>Written`)
	}))
	t.Cleanup(site.Close)
	return site.URL, fmt.Sprintf(`{"format":1,"name":"helped","match":{"urls":["%s/*"]},"steps":[{"tool":"navigate","url":"%s/"},
		{"tool":"handoff","args":{"message":"Write something.","until":"#there"}},{"tool":"waitFor","selector":"#there"}]}`, strings.TrimPrefix(site.URL, "http://"), site.URL)
}

// blockedFile is such an automation in a file, and those who play it.
func blockedFile(t *testing.T) (a *agents, file string) {
	t.Helper()
	browsertest.Slot(t)
	_, document := blockedSite(t)
	file = filepath.Join(t.TempDir(), "helped.json")
	if err := os.WriteFile(file, []byte(document), 0o600); err != nil {
		t.Fatal(err)
	}
	a = &agents{env: append(os.Environ(), "REPRISE_DATA="+filepath.Join(t.TempDir(), "data"))}
	return a, file
}

func TestPlayHandsItsPageToAPerson(t *testing.T) {
	a, file := blockedFile(t)
	cmd := a.command(t.Context(), "play", file, "--takeover", "--allow-private-network")
	said := &wire{}
	cmd.Stderr = said
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	_, ref, _ := strings.Cut(linkOf(t, func() string { return string(said.bytes()) }), "#")
	id, _, _ := strings.Cut(ref, ".")
	another, err := a.command(t.Context(), "handoffs", "link", id).Output() // in place of one that was lost
	if err != nil {
		t.Fatal(err)
	}
	link, _, _ := strings.Cut(string(another), "\n")
	help(t, link)
	if err := cmd.Wait(); err != nil {
		t.Errorf("play ends with %v:\n%s", err, said.bytes())
	}
	shown, err := a.command(t.Context(), "handoffs", "list", "--all", "--json").Output()
	if err != nil || !strings.Contains(string(shown), `"FINISHED"`) || !strings.Contains(string(shown), `"helped"`) {
		t.Errorf("the handoffs are %s, %v", shown, err)
	}
}

// What is suggested is a command, which the caller of play can run, and a tool of an agent is not.
func TestPlayThatIsBlockedSuggestsATakeover(t *testing.T) {
	a, file := blockedFile(t)
	out, err := a.command(t.Context(), "play", file, "--json", "--allow-private-network").Output()
	var played struct{ Suggestion *replayer.Suggestion }
	if decoded := json.Unmarshal(out, &played); err == nil || decoded != nil || played.Suggestion == nil || played.Suggestion.Tool != "play --takeover" {
		t.Errorf("play ends with %v, and suggests %+v:\n%s", err, played.Suggestion, out)
	}
	said, err := a.command(t.Context(), "play", file, "--allow-private-network").CombinedOutput()
	if err == nil || !strings.Contains(string(said), "helped.json --takeover\n") {
		t.Errorf("play ends with %v, and a person is told\n%s", err, said)
	}
}

// What is not there is listed by the command of its kind.
func TestWhatIsNotFoundIsListedSomewhere(t *testing.T) {
	for _, test := range []struct{ args, want string }{
		{"handoffs show nosuch", "`reprise handoffs list`"},
		{"approvals show nosuch", "`reprise approvals list`"},
		{"limits rm nosuch", "`reprise limits list`"},
		{"runs nosuch", "`reprise runs`"},
		{"show nosuch", "`reprise list`"},
	} {
		a := &app{stdin: scratch(t, ""), stdout: scratch(t, ""), stderr: scratch(t, "")}
		code := a.execute(t.Context(), append(strings.Fields(test.args), "--data", t.TempDir()))
		said, err := os.ReadFile(a.stderr.Name())
		if err != nil || code != failure.ExitFailed || !strings.Contains(string(said), test.want) {
			t.Errorf("%s ends with %d, %v, and says %s", test.args, code, err, said)
		}
	}
}

func TestAWorkerHandsItsPageToAPerson(t *testing.T) {
	q := startQueue(t, postgrestest.Database(t))
	_, document := blockedSite(t)
	st, err := store.Open(t.Context(), q.address)
	if err != nil {
		t.Fatal(err)
	}
	doc, err := automation.Parse([]byte(document))
	if err == nil {
		_, err = st.Automations().Save(t.Context(), doc)
	}
	if err := errors.Join(err, st.Close()); err != nil {
		t.Fatal(err)
	}
	worker := exec.CommandContext(t.Context(), "reprise", "work", "--takeover", "--allow-private-network", "--store", q.address)
	said := &wire{}
	worker.Stderr = said
	if err := worker.Start(); err != nil {
		t.Fatal(err)
	}
	run := strings.TrimSpace(q.reprise(failure.ExitDone, "play", "helped", "--queue", "--detach"))
	link := linkOf(t, func() string { return string(said.bytes()) })
	q.reprise(failure.ExitDone, "play", "greet", "--account", "ada", "--var", "name=Ada", "--queue") // which the worker plays meanwhile
	help(t, link)
	browsertest.Until(t, "the end of the run", func() bool {
		return decoded[render.Run](t, q.reprise(failure.ExitDone, "runs", run, "--json")).State == store.Done
	})
	if err := worker.Process.Signal(syscall.SIGTERM); err != nil {
		t.Fatal(err)
	}
	if err := worker.Wait(); err != nil {
		t.Errorf("the worker ends with %v:\n%s", err, said.bytes())
	}
}

func TestAHandoffIsCancelledFromTheTerminal(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	st, err := store.Open(t.Context(), dir)
	if err != nil {
		t.Fatal(err)
	}
	begun, err := st.Handoffs().Start(t.Context(), store.Handoff{Reason: "login", Step: -1}, time.Minute)
	if err = errors.Join(err, st.Close()); err != nil {
		t.Fatal(err)
	}
	for _, want := range []int{failure.ExitDone, failure.ExitFailed} { // what has ended is not ended again
		a := &app{stdin: scratch(t, ""), stdout: scratch(t, ""), stderr: scratch(t, "")}
		if code := a.execute(t.Context(), []string{"handoffs", "cancel", begun.ID, "--data", dir}); code != want {
			t.Errorf("handoffs cancel exits %d, want %d", code, want)
		}
	}
	if st, err = store.Open(t.Context(), dir); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = st.Close() })
	if now, err := st.Handoffs().Get(t.Context(), begun.ID); err != nil || now.State != store.HandoffCancelled {
		t.Errorf("it is %s, %v", now.State, err)
	}
}
