package examples

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/go-reprise/reprise/internal/demosite"
)

// outside is a program of another module: it records, keeps, finds and plays with
// nothing but what the packages export, and drives the page with rod.
const outside = `package main

import (
	"context"
	"fmt"
	"log"
	"os"

	"github.com/go-rod/rod/lib/input"

	"github.com/go-reprise/reprise/automation"
	"github.com/go-reprise/reprise/browser"
	"github.com/go-reprise/reprise/recorder"
	"github.com/go-reprise/reprise/replayer"
	"github.com/go-reprise/reprise/store"
)

func main() {
	if err := run(context.Background(), os.Args[1], os.Args[2]); err != nil {
		log.Fatal(err)
	}
}

func run(ctx context.Context, site, data string) error {
	b, err := browser.Launch(ctx, nil)
	if err != nil {
		return err
	}
	defer b.Close()
	page, err := b.NewPage(ctx, site+"/signin")
	if err != nil {
		return err
	}
	r, err := recorder.Start(ctx, page, &recorder.Options{Name: "sign-in"})
	if err != nil {
		return err
	}
	hand := page.Rod()
	hand.MustElement("#accept-all").MustClick()
	hand.MustElement("#identifierId").MustClick()
	hand.Keyboard.MustType(keys(os.Args[3])...)
	hand.Keyboard.MustType(input.Enter)
	hand.MustElement("#password").MustWaitInteractable().MustClick()
	hand.Keyboard.MustType(keys(os.Args[4])...)
	hand.Keyboard.MustType(input.Enter)
	hand.MustElement("[data-email]")
	a, integrity, err := r.Stop(ctx)
	if err != nil || integrity.Events == 0 {
		return fmt.Errorf("recording: %w", err)
	}
	kept, err := store.Open(ctx, data)
	if err != nil {
		return err
	}
	defer kept.Close()
	if _, err := kept.Automations().Save(ctx, a); err != nil {
		return err
	}
	var found *automation.Automation
	if found, err = kept.Automations().Match(ctx, site+"/signin?from=mail", ""); err != nil {
		return err
	}
	other, err := b.NewPrivatePage(ctx, "")
	if err != nil {
		return err
	}
	_, err = replayer.Play(ctx, other, found, &replayer.Options{
		Values: replayer.Map{"email": os.Args[5], "password": os.Args[6]},
	})
	return err
}

func keys(text string) []input.Key {
	var all []input.Key
	for _, char := range text {
		all = append(all, input.Key(char))
	}
	return all
}
`

func TestAProgramOutsideTheModule(t *testing.T) {
	t.Parallel()
	site, err := demosite.Start(nil)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { site.Close() })
	dir := t.TempDir()
	root, err := filepath.Abs("..")
	if err != nil {
		t.Fatal(err)
	}
	ours, err := os.ReadFile(filepath.Join(root, "go.mod"))
	if err != nil {
		t.Fatal(err)
	}
	theirs := strings.Replace(string(ours), "module github.com/go-reprise/reprise", "module example.com/outside", 1) +
		"\nrequire github.com/go-reprise/reprise v0.0.0\nreplace github.com/go-reprise/reprise => " + root + "\n"
	sums, err := os.ReadFile(filepath.Join(root, "go.sum"))
	if err != nil {
		t.Fatal(err)
	}
	for name, content := range map[string][]byte{"go.mod": []byte(theirs), "go.sum": sums, "main.go": []byte(outside)} {
		if err := os.WriteFile(filepath.Join(dir, name), content, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	build := exec.CommandContext(t.Context(), "go", "build", "-mod=mod", "-o", "outside", ".")
	build.Dir = dir
	if out, err := build.CombinedOutput(); err != nil {
		t.Fatalf("building: %v\n%s", err, out)
	}
	ada, grace := site.Accounts()[0], site.Accounts()[1]
	run := exec.CommandContext(t.Context(), filepath.Join(dir, "outside"), site.URL, t.TempDir(), ada.Email, ada.Password, grace.Email, grace.Password)
	if out, err := run.CombinedOutput(); err != nil {
		t.Fatalf("running: %v\n%s", err, out)
	}
	if got := site.SignIns(grace.Email); got != 1 {
		t.Errorf("the other account was signed in %d times, want once", got)
	}
}
