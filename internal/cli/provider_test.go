package cli

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/go-reprise/reprise/browser/providers/providertest"
	"github.com/go-reprise/reprise/internal/canary"
	"github.com/go-reprise/reprise/internal/cli/failure"
	"github.com/go-reprise/reprise/internal/demosite"
	"github.com/go-reprise/reprise/store/sealed"
)

// rented is a directory, and a service that rents browsers out.
type rented struct {
	*testing.T
	cloud *providertest.Cloud
	root  string
	env   []string
	said  strings.Builder
}

// reprise runs a command, which must end with a code, and returns what it printed on both streams.
func (r *rented) reprise(exit int, stdin string, args ...string) string {
	r.Helper()
	cmd := exec.CommandContext(r.Context(), os.Args[0])
	cmd.Args = append([]string{"reprise"}, args...)
	cmd.Env, cmd.Stdin = r.env, strings.NewReader(stdin)
	out, err := cmd.CombinedOutput()
	r.said.Write(out)
	var ended *exec.ExitError
	if err != nil && !errors.As(err, &ended) {
		r.Fatal(err)
	}
	if got := cmd.ProcessState.ExitCode(); got != exit {
		r.Errorf("%v ended with %d, want %d:\n%s", args, got, exit, out)
	}
	return string(out)
}

// holds fails where one text lacks another.
func (r *rented) holds(text string, wanted ...string) {
	r.Helper()
	for _, want := range wanted {
		if !strings.Contains(text, want) {
			r.Errorf("there is no %q in:\n%s", want, text)
		}
	}
}

// A rented browser is one flag, costs one session, and its key is told to no one.
func TestABrowserThatIsRented(t *testing.T) {
	t.Parallel()
	host, err := sharedBrowser()
	if err != nil {
		t.Fatal(err)
	}
	site, err := demosite.Start(&demosite.Options{Delay: -1, NoBanner: true})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = site.Close() })
	r := &rented{T: t, cloud: providertest.NewCloud(t, host.Endpoint(), providertest.SpeakBrowserbase), root: t.TempDir()}
	bare := append(os.Environ(), "HOME="+r.root, "REPRISE_DATA="+filepath.Join(r.root, "data"), sealed.FileEnv+"="+filepath.Join(r.root, "key"),
		"REPRISE_BROWSER=browserbase", "BROWSERBASE_BASE_URL="+r.cloud.URL, "BROWSERBASE_PROJECT_ID=project-1", "DISPLAY=:0")
	r.env = append(bare, "BROWSERBASE_API_KEY="+r.cloud.Key)

	r.holds(r.reprise(failure.ExitDone, "", "doctor", "--json", "-v"), `"name": "provider"`, "browserbase accepts the key", "0 sessions run")
	if len(r.cloud.Sessions()) != 0 {
		t.Error("doctor has opened a session")
	}
	flow := filepath.Join(r.root, "look.json")
	text := fmt.Sprintf(`{"format": 1, "name": "look", "match": {"urls": ["%[1]s/*"]}, "steps": [{"tool": "navigate", "url": "%[1]s/signin"}, {"tool": "waitFor", "selector": "#identifierId"}]}`, site.URL)
	if err := os.WriteFile(flow, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	r.holds(r.reprise(failure.ExitDone, "", "play", flow, "--json", "-v"), `"outcome": "done"`, "a browser session is open")
	if n := len(r.cloud.Sessions()); n != 1 || r.cloud.Running() != 0 {
		t.Errorf("%d sessions were opened, and %d go on", n, r.cloud.Running())
	}
	r.cloud.Meet(&providertest.Fault{Request: "POST /v1/sessions", Times: 1, Status: 402, Body: `{"message": "` + r.cloud.Key + `"}`})
	r.holds(r.reprise(failure.ExitFailed, "", "play", flow, "--json"), `"code": "provider_payment_required"`, "no credit left")
	r.holds(r.reprise(failure.ExitUsage, "", "record", site.URL, "--name", "x"), "no one sees a browser at browserbase")
	r.holds(r.reprise(failure.ExitUsage, "", "play", flow, "--browser", "browserbose?"+r.cloud.Key), "must be local, browserbase, steel")

	r.env = append(bare, "BROWSERBASE_API_KEY=another")
	r.holds(r.reprise(failure.ExitFailed, "", "doctor"), "fail  provider", "check the key")
	r.env = bare
	r.holds(r.reprise(failure.ExitFailed, "", "play", flow), "reprise credential set browserbase --origin "+r.cloud.URL+" --field api_key")
	r.reprise(failure.ExitDone, r.cloud.Key, "credential", "set", "browserbase", "--origin", r.cloud.URL, "--field", "api_key", "--from-stdin")
	r.holds(r.reprise(failure.ExitDone, "", "play", flow, "--json", "-v"), `"outcome": "done"`)

	r.scan()
}

// scan looks for secrets in all that was printed and stored.
func (r *rented) scan() {
	r.Helper()
	look := func(where string, data []byte) {
		for name, secret := range r.cloud.Secrets() {
			if form, around := canary.Find(data, secret); form != "" {
				r.Errorf("the %s is in %s (%s): %s", name, where, form, around)
			}
		}
	}
	look("what was printed", []byte(r.said.String()))
	err := filepath.WalkDir(r.root, func(path string, entry fs.DirEntry, err error) error {
		if err != nil || !entry.Type().IsRegular() {
			return err
		}
		data, err := os.ReadFile(path)
		look(path, data)
		return err
	})
	if err != nil {
		r.Error(err)
	}
}

// With the live view on the user gets its link, and nothing else has it.
func TestTheLiveViewOfARentedBrowserIsPrinted(t *testing.T) {
	t.Parallel()
	host, err := sharedBrowser()
	if err != nil {
		t.Fatal(err)
	}
	r := &rented{T: t, cloud: providertest.NewCloud(t, host.Endpoint(), providertest.SpeakSteel), root: t.TempDir()}
	r.env = append(os.Environ(), "HOME="+r.root, "REPRISE_DATA="+filepath.Join(r.root, "data"), "STEEL_BASE_URL="+r.cloud.URL, "STEEL_API_KEY="+r.cloud.Key)
	flow := filepath.Join(r.root, "blank.json")
	if err := os.WriteFile(flow, []byte(`{"format": 1, "name": "blank", "match": {"urls": ["`+r.cloud.URL+`/*"]}, "steps": [{"tool": "navigate", "url": "`+r.cloud.URL+`/connect"}]}`), 0o600); err != nil {
		t.Fatal(err)
	}
	said := r.reprise(failure.ExitDone, "", "play", flow, "--browser", "steel", "--live-view")
	sessions := r.cloud.Sessions()
	if len(sessions) != 1 || r.cloud.Running() != 0 {
		t.Fatalf("the sessions are %+v", sessions)
	}
	r.holds(said, "anyone who has this link has the browser: "+r.cloud.Viewer(sessions[0].ID)+"\n")
	r.said.Reset()
	r.said.WriteString(strings.ReplaceAll(said, r.cloud.Viewer(sessions[0].ID), ""))
	r.scan()
}
