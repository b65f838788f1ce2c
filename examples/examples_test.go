// Package examples runs the examples as their readers would.
package examples

import (
	"bufio"
	"context"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/go-reprise/reprise/browser"
	"github.com/go-reprise/reprise/internal/demosite"
	"github.com/go-reprise/reprise/internal/person"
	"github.com/go-reprise/reprise/store"
)

// build compiles the examples once for a test.
func build(t *testing.T, names ...string) string {
	t.Helper()
	dir := t.TempDir()
	for _, name := range names {
		out, err := exec.CommandContext(t.Context(), "go", "build", "-o", filepath.Join(dir, name), "./"+name).CombinedOutput()
		if err != nil {
			t.Fatalf("building %s: %v\n%s", name, err, out)
		}
	}
	return dir
}

func TestTheExamplesRecordPlayAndEmbed(t *testing.T) {
	ctx, cancel := context.WithTimeout(t.Context(), 2*time.Minute)
	defer cancel()
	site, err := demosite.Start(nil)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { site.Close() })
	ada, grace := site.Accounts()[0], site.Accounts()[1]
	bin, data := build(t, "record", "play", "embed"), t.TempDir()

	recordSignIn(t, ctx, filepath.Join(bin, "record"), data, site.URL+"/signin", ada)

	out, err := exec.CommandContext(ctx, filepath.Join(bin, "play"), "-data", data, "-name", "sign-in",
		"email="+grace.Email, "password="+grace.Password).CombinedOutput()
	if err != nil || site.SignIns(grace.Email) != 1 {
		t.Fatalf("play: %v, signed in %d times\n%s", err, site.SignIns(grace.Email), out)
	}

	embed := exec.CommandContext(ctx, filepath.Join(bin, "embed"), "-data", data, "-account", grace.Email, site.URL+"/signin")
	embed.Env = append(os.Environ(), "SITE_PASSWORD="+grace.Password)
	out, err = embed.CombinedOutput()
	if err != nil || site.SignIns(grace.Email) != 2 || !strings.Contains(string(out), "signed in: ") {
		t.Fatalf("embed: %v, signed in %d times\n%s", err, site.SignIns(grace.Email), out)
	}
	if strings.Contains(string(out), grace.Password) {
		t.Error("embed printed the password")
	}
}

// recordSignIn runs the record example in a browser of the test's, signs an
// account in there as a person, and closes the page.
func recordSignIn(t *testing.T, ctx context.Context, program, data, url string, account demosite.Account) {
	t.Helper()
	b, err := browser.Launch(ctx, &browser.Options{DebugPort: true})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { b.Close() })
	cmd := exec.CommandContext(ctx, program, "-data", data, "-name", "sign-in", "-browser", b.Endpoint(), url)
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	cmd.Stderr = os.Stderr
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	lines := bufio.NewReader(out)
	if _, err := lines.ReadString('\n'); err != nil { // its first step: it records
		t.Fatal(err)
	}
	pages, err := b.Pages(ctx)
	if err != nil || len(pages) == 0 {
		t.Fatalf("%d pages, %v", len(pages), err)
	}
	page := pages[len(pages)-1]
	p := person.At(page.Target())
	for i, act := range []func() error{
		func() error { return p.Click(ctx, "#accept-all") },
		func() error { return p.Fill(ctx, "#identifierId", account.Email) },
		func() error { return p.Click(ctx, "#identifierNext") },
		func() error { return p.Fill(ctx, "#password", account.Password) },
		func() error { return p.Click(ctx, "#passwordNext") },
		func() error { return p.See(ctx, "/dashboard") },
		func() error { return page.Close(ctx) },
	} {
		if err := act(); err != nil {
			t.Fatalf("act %d: %v", i, err)
		}
	}
	rest, err := io.ReadAll(lines)
	if err == nil {
		err = cmd.Wait()
	}
	if err != nil || !strings.Contains(string(rest), "kept sign-in, 8 steps") {
		t.Fatalf("record: %v\n%s", err, rest)
	}
	kept, err := store.Open(ctx, data)
	if err != nil {
		t.Fatal(err)
	}
	defer kept.Close()
	if _, err := kept.Automations().Get(ctx, "sign-in", ""); err != nil {
		t.Fatal(err)
	}
}
