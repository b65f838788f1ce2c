package browser_test

import (
	"context"
	"errors"
	"os"
	"strings"
	"testing"

	"github.com/go-reprise/reprise/browser"
)

func TestFindTakesTheGivenPathThenTheEnvironmentThenTheUsualNames(t *testing.T) {
	usual, err := browser.Find(nil)
	if err != nil {
		t.Fatal(err)
	}
	given, named := script(t, ""), script(t, "")
	t.Setenv(browser.EnvPath, named)
	if got, err := browser.Find(&browser.Options{Path: given}); err != nil || got != given {
		t.Errorf("with Options.Path: %s, %v", got, err)
	}
	if got, err := browser.Find(nil); err != nil || got != named {
		t.Errorf("with $%s: %s, %v", browser.EnvPath, got, err)
	}
	t.Setenv(browser.EnvPath, "")
	if got, err := browser.Find(&browser.Options{}); err != nil || got != usual {
		t.Errorf("with neither: %s, %v", got, err)
	}
}

func TestWhatIsNamedAndMissingIsNotReplaced(t *testing.T) {
	t.Setenv(browser.EnvPath, "/no/such/chrome")
	_, err := browser.Launch(t.Context(), nil)
	var missing *browser.NotFoundError
	if !errors.As(err, &missing) || !errors.Is(err, os.ErrNotExist) {
		t.Fatalf("got %v, want a NotFoundError", err)
	}
	for _, want := range []string{"/no/such/chrome", "install", browser.EnvPath} {
		if !strings.Contains(err.Error(), want) {
			t.Errorf("%q does not tell %q", err, want)
		}
	}
}

func TestNothingInstalledTellsWhatWasTried(t *testing.T) {
	browser.ForgetPlaces(t) // those do not depend on PATH
	t.Setenv("PATH", t.TempDir())
	t.Setenv(browser.EnvPath, "")
	_, err := browser.Find(nil)
	var missing *browser.NotFoundError
	if !errors.As(err, &missing) || len(missing.Tried) < 5 || !strings.Contains(err.Error(), "chromium-browser") {
		t.Errorf("got %v", err)
	}
}

func TestVersionAsksOnceForEachProgram(t *testing.T) {
	t.Parallel()
	log := t.TempDir() + "/asked"
	path := script(t, "")
	text := "#!/bin/sh\necho >>" + log + "\necho Google Chrome 157.1.2.3 beta\n"
	writeProgram(t, path, text)
	for range 3 {
		if got, err := browser.Version(t.Context(), path); err != nil || got != "157.1.2.3" {
			t.Errorf("got %q, %v", got, err)
		}
	}
	if asked, err := os.ReadFile(log); err != nil || len(asked) != 1 {
		t.Errorf("it was asked %d times, %v", len(asked), err)
	}
	if _, err := browser.Version(t.Context(), "/bin/true"); err == nil {
		t.Error("/bin/true has a version")
	}
	ctx, cancel := context.WithCancelCause(t.Context())
	enough := errors.New("enough")
	cancel(enough)
	if _, err := browser.Version(ctx, "/bin/cat"); !errors.Is(err, enough) {
		t.Errorf("got %v, want the cause of the context", err)
	}
}
