package store_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"syscall"
	"testing"

	"golang.org/x/sys/unix"

	"github.com/go-reprise/reprise/store/storetest"
)

// asAnyone takes from root, for the rest of this test, the power to pass over
// permissions. The power belongs to a thread, and the thread ends with the
// test's goroutine, because it is never unlocked.
func asAnyone(t *testing.T) {
	t.Helper()
	if os.Geteuid() != 0 {
		return
	}
	runtime.LockOSThread()
	header := unix.CapUserHeader{Version: unix.LINUX_CAPABILITY_VERSION_3}
	var powers [2]unix.CapUserData
	try(t, unix.Capget(&header, &powers[0]))
	powers[0].Effective &^= 1<<unix.CAP_DAC_OVERRIDE | 1<<unix.CAP_DAC_READ_SEARCH
	try(t, unix.Capset(&header, &powers[0]))
}

const namespaceEnv = "REPRISE_STORE_TEST_NAMESPACE"

// inNamespace runs the calling test again in a child that has a mount
// namespace of its own, so that what it mounts is seen by no one and ends with
// it. It is true in that child.
func inNamespace(t *testing.T) bool {
	t.Helper()
	if os.Getenv(namespaceEnv) == t.Name() {
		return true
	}
	self, err := os.Executable()
	try(t, err)
	cmd := exec.CommandContext(t.Context(), self, "-test.v", "-test.run=^"+t.Name()+"$")
	cmd.Env = append(os.Environ(), namespaceEnv+"="+t.Name())
	cmd.SysProcAttr = &syscall.SysProcAttr{Cloneflags: syscall.CLONE_NEWNS}
	if os.Geteuid() != 0 {
		cmd.SysProcAttr.Cloneflags |= syscall.CLONE_NEWUSER
		cmd.SysProcAttr.UidMappings = []syscall.SysProcIDMap{{HostID: os.Getuid(), Size: 1}}
		cmd.SysProcAttr.GidMappings = []syscall.SysProcIDMap{{HostID: os.Getgid(), Size: 1}}
	}
	out, err := cmd.CombinedOutput()
	switch {
	case cmd.ProcessState == nil, strings.Contains(string(out), "--- SKIP"):
		t.Skipf("this system lets no one mount a file system: %v %s", err, out)
	case err != nil:
		t.Errorf("%v: %s", err, out)
	}
	return false
}

// mount mounts where no one else sees it, or skips the test.
func mount(t *testing.T, source, dir, kind string, flags uintptr, data string) {
	t.Helper()
	err := unix.Mount("", "/", "", unix.MS_REC|unix.MS_PRIVATE, "")
	if err == nil {
		err = unix.Mount(source, dir, kind, flags, data)
	}
	if err != nil {
		t.Skipf("mount: %v", err)
	}
}

func TestAFullDiskChangesNothing(t *testing.T) {
	t.Parallel()
	if !inNamespace(t) {
		return
	}
	dir := t.TempDir()
	mount(t, "tmpfs", dir, "tmpfs", 0, "size=1m")
	t.Cleanup(func() { unix.Unmount(dir, unix.MNT_DETACH) })
	before := save(t, open(t, dir), storetest.Document(t, "login", ""))
	filler := filepath.Join(dir, "filler")
	write(t, filler, make([]byte, 900<<10))
	files := tree(t, dir)
	try(t, refusedSave(dir, syscall.ENOSPC))
	wantUnchanged(t, dir, before, files)
	try(t, os.Truncate(filler, 0))
	save(t, open(t, dir), before)
}

func TestAReadOnlyFileSystemIsReadAndNotWritten(t *testing.T) {
	t.Parallel()
	if !inNamespace(t) {
		return
	}
	dir := t.TempDir()
	before := save(t, open(t, dir), storetest.Document(t, "login", ""))
	files := tree(t, dir)
	mount(t, dir, dir, "", unix.MS_BIND, "")
	t.Cleanup(func() { unix.Unmount(dir, unix.MNT_DETACH) })
	mount(t, "", dir, "", unix.MS_BIND|unix.MS_REMOUNT|unix.MS_RDONLY, "")
	try(t, refusedSave(dir, syscall.EROFS))
	s := open(t, dir)
	if all := list(t, s); len(all) != 1 {
		t.Errorf("List gives %v", all)
	}
	if _, err := s.Automations().Match(t.Context(), "https://login.example/", ""); err != nil {
		t.Errorf("Match: %v", err)
	}
	wantUnchanged(t, dir, before, files)
}
