package browser

import (
	"os"
	"path/filepath"
	"testing"
)

func TestASweepTakesOnlyWhatNoOneOwns(t *testing.T) {
	t.Parallel()
	parent := t.TempDir()
	owned, err := freshProfile(parent)
	if err != nil {
		t.Fatal(err)
	}
	abandoned, err := freshProfile(parent)
	if err != nil {
		t.Fatal(err)
	}
	write(t, filepath.Join(abandoned.dir, "Default", "Cookies"))
	socket := filepath.Join(parent, "org.chromium.Chromium.1", socketName)
	write(t, socket)
	write(t, filepath.Join(filepath.Dir(socket), cookieName))
	if err := os.Symlink(socket, filepath.Join(abandoned.dir, socketName)); err != nil {
		t.Fatal(err)
	}
	if err := abandoned.lock.Unlock(); err != nil { // as the system does for a process that ends
		t.Fatal(err)
	}
	beginning := filepath.Join(parent, profilePrefix+"beginning") // not yet locked by who makes it
	write(t, filepath.Join(beginning, "chrome", "x"))
	foreign := filepath.Join(parent, "other")
	write(t, filepath.Join(foreign, ownerFile))
	link := filepath.Join(parent, profilePrefix+"link")
	if err := os.Symlink(foreign, link); err != nil {
		t.Fatal(err)
	}

	sweepProfiles(parent)

	for path, want := range map[string]bool{
		owned.dir: true, abandoned.temp: false, filepath.Dir(socket): false, beginning: true, filepath.Join(foreign, ownerFile): true, link: true,
	} {
		if _, err := os.Lstat(path); (err == nil) != want {
			t.Errorf("%s: there is %v, want %v", path, err == nil, want)
		}
	}
	if err := owned.remove(); err != nil {
		t.Error(err)
	}
	if _, err := os.Stat(owned.temp); !os.IsNotExist(err) {
		t.Errorf("a removed profile is there: %v", err)
	}
}

func write(t *testing.T, path string) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte("x"), 0o600); err != nil {
		t.Fatal(err)
	}
}

func TestAKeptProfileIsNotRemoved(t *testing.T) {
	t.Parallel()
	dir := filepath.Join(t.TempDir(), "a", "b")
	p, err := newProfile(dir)
	if err != nil {
		t.Fatal(err)
	}
	if err := p.remove(); err != nil {
		t.Error(err)
	}
	if info, err := os.Stat(dir); err != nil || info.Mode().Perm() != 0o700 {
		t.Errorf("the profile: %v, %v", info, err)
	}
}
