// Package examples_test runs the examples, and a program outside this module.
package examples_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/go-reprise/reprise/browser"
	"github.com/go-reprise/reprise/internal/browsertest"
	"github.com/go-reprise/reprise/internal/demosite"
	"github.com/go-reprise/reprise/internal/simuser"
)

func startSite(t *testing.T) *demosite.Server {
	t.Helper()
	site, err := demosite.Start(&demosite.Options{Delay: -1})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = site.Close() })
	return site
}

// build makes programs of packages, and gives the directory that they are in.
func build(t *testing.T, in string, packages ...string) string {
	t.Helper()
	dir := t.TempDir()
	cmd := exec.CommandContext(t.Context(), "go", append([]string{"build", "-o", dir + "/"}, packages...)...)
	cmd.Dir = in
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("building %v: %v\n%s", packages, err, out)
	}
	return dir
}

// program runs one with variables of its environment, and gives what it printed.
func program(t *testing.T, env []string, path string, args ...string) string {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), path, args...)
	cmd.Env = append(os.Environ(), env...)
	var stdout, stderr bytes.Buffer
	cmd.Stdout, cmd.Stderr = &stdout, &stderr
	if err := cmd.Run(); err != nil {
		t.Fatalf("%s %v: %v\n%s", filepath.Base(path), args, err, stderr.String())
	}
	return stdout.String()
}

func TestTheExamplesRecordAndPlay(t *testing.T) {
	t.Parallel()
	browsertest.Slot(t)
	site, bin, data := startSite(t), build(t, "..", "./examples/..."), t.TempDir()
	first, second := site.Accounts()[0], site.Accounts()[1]
	env := []string{
		"REPRISE_DATA=" + data, "REPRISE_PASSWORD=" + second.Password,
		"SITE_EMAIL=" + second.Email, "SITE_PASSWORD=" + second.Password,
	}
	out := record(t, env, filepath.Join(bin, "record"), site)
	if want := "sign-in is stored: 8 steps, revision 1\n"; out != want {
		t.Errorf("record printed %q, want %q", out, want)
	}
	file := filepath.Join(data, "automations", "sign-in.json")
	if text, err := os.ReadFile(file); err != nil || strings.Contains(string(text), first.Password) {
		t.Errorf("the document holds the password (%v)", err)
	}
	out = program(t, env, filepath.Join(bin, "play"), file, "email="+second.Email)
	if !strings.HasSuffix(out, "done, at "+site.URL+"/dashboard\n") {
		t.Errorf("play printed %q", out)
	}
	out = program(t, env, filepath.Join(bin, "embed"), site.URL+"/signin", "grace")
	if want := "signed in as " + second.Email + "\n"; out != want {
		t.Errorf("embed printed %q, want %q", out, want)
	}
	if got := site.SignIns(second.Email); got != 2 {
		t.Errorf("the second account was signed in %d times, want once by each program", got)
	}
}

// record runs the example in a browser in which a person signs in, and then
// presses Ctrl-C.
func record(t *testing.T, env []string, path string, site *demosite.Server) string {
	t.Helper()
	b, err := browser.Launch(t.Context(), &browser.Options{DebugPort: true})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := b.Close(); err != nil {
			t.Error(err)
		}
	})
	cmd := exec.CommandContext(t.Context(), path, site.URL+"/signin", "sign-in")
	cmd.Env = append(append(os.Environ(), env...), "REPRISE_BROWSER="+b.Endpoint())
	var stdout, stderr bytes.Buffer
	cmd.Stdout, cmd.Stderr = &stdout, &stderr
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	failed := signIn(t.Context(), b, site)
	if err := errors.Join(cmd.Process.Signal(os.Interrupt), cmd.Wait()); err != nil || failed != nil {
		t.Fatalf("recording: %v, %v\n%s", failed, err, stderr.String())
	}
	return stdout.String()
}

func signIn(ctx context.Context, b *browser.Browser, site *demosite.Server) error {
	page, err := pageAt(ctx, b, site.URL+"/signin")
	if err != nil {
		return err
	}
	page.Target().Use()
	p, account := simuser.At(page.Target()), site.Accounts()[0]
	for _, act := range []func() error{
		func() error { return p.Click(ctx, "#accept-all") },
		func() error { return p.Fill(ctx, "#identifierId", account.Email) },
		func() error { return p.Click(ctx, "#identifierNext") },
		func() error { return p.Fill(ctx, "#password", account.Password) },
		func() error { return p.Click(ctx, "#passwordNext") },
		func() error { return p.See(ctx, "/dashboard") },
	} {
		if err := act(); err != nil {
			return err
		}
	}
	return nil
}

// pageAt waits until another program has opened a page.
func pageAt(ctx context.Context, b *browser.Browser, url string) (*browser.Page, error) {
	again := time.NewTicker(10 * time.Millisecond)
	defer again.Stop()
	for deadline := time.Now().Add(20 * time.Second); time.Now().Before(deadline); <-again.C {
		pages, err := b.Pages(ctx)
		if err != nil {
			return nil, err
		}
		for _, p := range pages {
			if p.URL() == url {
				return p, nil
			}
		}
	}
	return nil, fmt.Errorf("no page came to %s", url)
}
