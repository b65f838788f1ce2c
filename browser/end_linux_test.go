package browser_test

import (
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"testing"

	"github.com/go-reprise/reprise/browser"
	"github.com/go-reprise/reprise/internal/browsertest"
)

// Such a helper, like Chrome's crash handler, keeps the browser's error output
// open. No one may wait for it.
func TestAHelperThatLeftTheGroupHoldsNothingUp(t *testing.T) {
	t.Parallel()
	pidFile := filepath.Join(t.TempDir(), "pid")
	path := script(t, "F="+pidFile+`; setsid sh -c "echo \$\$ >$F; exec sleep 300" & until [ -s $F ]; do :; done; exit 3`)
	if _, err := browser.Launch(t.Context(), &browser.Options{Path: path}); err == nil {
		t.Fatal("that was no browser")
	}
	text, err := os.ReadFile(pidFile)
	if err != nil {
		t.Fatal(err)
	}
	pid, err := strconv.Atoi(strings.TrimSpace(string(text)))
	if err != nil {
		t.Fatal(err)
	}
	if err := syscall.Kill(pid, syscall.SIGKILL); err != nil {
		t.Errorf("the helper has ended before Launch returned: %v", err)
	}
}

// A dump of a crashed renderer holds what was typed in it, so it must go where it
// is removed with the profile.
func TestCrashDumpsStayInTheProfile(t *testing.T) {
	t.Parallel()
	b := launch(t, nil)
	browsertest.Until(t, "a crash handler that writes into the profile", func() bool {
		return slices.ContainsFunc(running(t, "crashpad"), func(line string) bool { return strings.Contains(line, "--database="+b.Profile()) })
	})
}
