package browser_test

import (
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
)

// no one is the user without rights on every system.
const unprivileged = 65534

// Root runs this for a user that is not, as Chrome refuses its sandbox to root.
func TestOrdinaryUsersHaveTheSandboxWhereTheSystemAllowsIt(t *testing.T) {
	t.Parallel()
	temp, err := os.MkdirTemp("", "reprise-test-")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = os.RemoveAll(temp) })
	self := filepath.Join(temp, "self")
	if err := os.Chmod(temp, 0o777); err != nil { // the test's own place is closed to others
		t.Fatal(err)
	}
	program, err := os.ReadFile("/proc/self/exe")
	if err != nil {
		t.Fatal(err)
	}
	writeProgram(t, self, string(program))
	as := &syscall.SysProcAttr{}
	if os.Geteuid() == 0 {
		as.Credential = &syscall.Credential{Uid: unprivileged, Gid: unprivileged}
	}
	possible := exec.Command("unshare", "--user", "true")
	possible.SysProcAttr = as
	refused := possible.Run()

	victim, input, v := startVictimAs(t, self, temp, as)
	args, err := os.ReadFile(filepath.Join("/proc", strconv.Itoa(v.Pid), "cmdline"))
	if err != nil {
		t.Fatal(err)
	}
	if without := strings.Contains(string(args), "--no-sandbox"); without != (refused != nil) {
		t.Errorf("without its sandbox: %v; a user who makes a namespace: %v", without, refused)
	}
	if err := errors.Join(input.Close(), victim.Wait()); err != nil {
		t.Error(err)
	}
}
