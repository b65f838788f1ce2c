package cli

import (
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/go-reprise/reprise/notify/notifytest"
)

var shellBlock = regexp.MustCompile("(?s)```sh\n(.*?)```")

// What docs/http_api.md shows is run as it stands there, but for the addresses.
func TestTheExamplesOfTheHTTPAPIWork(t *testing.T) {
	t.Parallel()
	if _, err := exec.LookPath("curl"); err != nil {
		t.Skip("there is no curl")
	}
	doc, err := os.ReadFile("../../docs/http_api.md")
	if err != nil {
		t.Fatal(err)
	}
	a := serveAgents(t)
	chat := notifytest.Start(t)
	a.env = append(a.env, "REPRISE_SESSION_CONCURRENT=2", "REPRISE_NOTIFY_TELEGRAM_CHAT=77", "REPRISE_NOTIFY_TELEGRAM_API="+chat.URL, "REPRISE_TELEGRAM_TOKEN="+notifytest.Token)
	var passed, said wire
	a.overHTTP(t, &passed, &said, "--login", "shop", "--takeover")
	served := strings.TrimSuffix(servedAt(t, &said), "/mcp")
	var script strings.Builder
	script.WriteString("set -eux\ncurl() { command curl -fsS \"$@\"; }\n")
	for _, block := range shellBlock.FindAllStringSubmatch(string(doc), -1) {
		script.WriteString(block[1])
	}
	cmd := exec.CommandContext(t.Context(), "sh", "-c", strings.NewReplacer("http://127.0.0.1:7337", served, "https://shop.example", a.site.URL).Replace(script.String()))
	cmd.Dir = t.TempDir()
	cmd.Env = append(os.Environ(), "REPRISE_TOKEN="+tokenOfServe)
	out, err := cmd.CombinedOutput()
	if err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	if n := strings.Count(string(out), "+ curl "); n < 20 {
		t.Fatalf("%d examples were run: this test looks in the wrong place", n)
	}
	for _, want := range []string{`"name":"shop"`, `"domain":"127.0.0.1"`, `"browsers":[{"id":`, `"closed":false`, `"who":"ada@example.com"`, `"max_sessions":2`, `"channel":"telegram"`, `"status":"CANCELLED"`} {
		if !strings.Contains(string(out), want) {
			t.Errorf("no answer has %s", want)
		}
	}
	if picture, err := os.ReadFile(filepath.Join(cmd.Dir, "page.png")); err != nil || !strings.HasPrefix(string(picture), "\x89PNG") {
		t.Errorf("the picture is none: %v", err)
	}
	if left := a.run(t, "", "login", "list"); strings.Contains(left, "shop") {
		t.Errorf("the login is there: %s", left)
	}
	a.silent(t, newSink("what passed", out), newSink("standard error", said.bytes()))
}
