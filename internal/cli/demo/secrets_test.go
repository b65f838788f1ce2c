package demo

import (
	"encoding/base64"
	"encoding/hex"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/go-reprise/reprise/internal/demosite"
)

// A search that cannot find is no proof.
func TestAPasswordIsFoundHoweverItIsWritten(t *testing.T) {
	t.Parallel()
	const password = `co"rrect horse/&1`
	site, err := demosite.Start(&demosite.Options{Accounts: []demosite.Account{{Email: "a@b.cc", Password: password}}})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = site.Close() })
	for name, text := range map[string]string{
		"plain":       password,
		"capitals":    strings.ToUpper(password),
		"query":       url.QueryEscape(password),
		"path":        url.PathEscape(password),
		"hex":         strings.ToUpper(hex.EncodeToString([]byte(password))),
		"json":        `{"typed": "co\"rrect horse/\u00261"}`,
		"base64":      base64.StdEncoding.EncodeToString([]byte(password)),
		"base64 at 1": base64.StdEncoding.EncodeToString([]byte("x" + password + "rest")),
		"base64 at 2": base64.StdEncoding.EncodeToString([]byte("xy" + password + "rest")),
	} {
		dir := t.TempDir()
		if err := os.MkdirAll(filepath.Join(dir, "runs", "x"), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(dir, "runs", "x", "run.json"), []byte("before "+text+" after"), 0o600); err != nil {
			t.Fatal(err)
		}
		d := &demo{Options: Options{Dir: dir}, site: site}
		if check, err := d.holdsNoPassword(); err != nil || check.OK {
			t.Errorf("%s: %q was not found (%v)", name, text, err)
		}
	}
	d := &demo{Options: Options{Dir: t.TempDir()}, site: site}
	if check, err := d.holdsNoPassword(); err != nil || !check.OK {
		t.Errorf("an empty directory gives %+v, %v", check, err)
	}
}
