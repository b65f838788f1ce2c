package browser_test

import (
	"errors"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
)

// nobody is the user without rights on every system.
const nobody = 65534

// Root runs this for a user that is not, as Chrome refuses its sandbox to root.
func TestOrdinaryUsersHaveTheSandboxWhereTheSystemAllowsIt(t *testing.T) {
	t.Parallel()
	temp, err := os.MkdirTemp("", "reprise-test-")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = os.RemoveAll(temp) })
	self := filepath.Join(temp, "self")
	if err := errors.Join(os.Chmod(temp, 0o777), copyProgram(self)); err != nil { // the test's own place is closed to others
		t.Fatal(err)
	}
	as := &syscall.SysProcAttr{}
	if os.Geteuid() == 0 {
		as.Credential = &syscall.Credential{Uid: nobody, Gid: nobody}
	}
	possible := exec.Command("unshare", "--user", "true")
	possible.SysProcAttr = as
	refused := possible.Run()

	program, input, v := startVictimAs(t, self, temp, as)
	args, err := os.ReadFile(filepath.Join("/proc", strconv.Itoa(v.Pid), "cmdline"))
	if err != nil {
		t.Fatal(err)
	}
	if without := strings.Contains(string(args), "--no-sandbox"); without != (refused != nil) {
		t.Errorf("without its sandbox: %v; a user who makes a namespace: %v", without, refused)
	}
	if err := errors.Join(input.Close(), program.Wait()); err != nil {
		t.Error(err)
	}
}

func copyProgram(to string) error {
	self, err := os.Executable()
	if err != nil {
		return err
	}
	from, err := os.Open(self)
	if err != nil {
		return err
	}
	defer func() { _ = from.Close() }()
	file, err := os.OpenFile(to, os.O_CREATE|os.O_WRONLY, 0o755)
	if err != nil {
		return err
	}
	_, err = io.Copy(file, from)
	return errors.Join(err, file.Close())
}
