package cli

import (
	"path/filepath"
	"testing"

	"github.com/go-reprise/reprise/automation"
	"github.com/go-reprise/reprise/internal/cli/failure"
	"github.com/go-reprise/reprise/internal/cli/files"
	"github.com/go-reprise/reprise/store"
)

func TestAnAddressNeedsNoScheme(t *testing.T) {
	t.Parallel()
	for given, want := range map[string]string{
		"example.com/signin":         "https://example.com/signin",
		"http://example.com":         "http://example.com",
		"localhost:8080/x":           "http://localhost:8080/x",
		"127.0.0.1":                  "http://127.0.0.1",
		"meadow.localhost/":          "http://meadow.localhost/",
		"[::1]:80/":                  "http://[::1]:80/",
		"localhost.example.com":      "https://localhost.example.com",
		"https://example.com/?a=b#c": "https://example.com/?a=b#c",
	} {
		if got, err := address(given); err != nil || got != want {
			t.Errorf("address(%q) is %q, %v; want %q", given, got, err, want)
		}
	}
	for _, given := range []string{"", "file:///etc/passwd", "javascript:alert(1)", "http://169.254.169.254/", "https://user:pass@example.com/", "data:text/html,x"} {
		got, err := address(given)
		if err == nil {
			t.Errorf("address(%q) is %q, want an error", given, got)
		} else if f := failure.Of(err); f.Exit != failure.ExitUsage {
			t.Errorf("address(%q): %v ends with %d, want %d", given, err, f.Exit, failure.ExitUsage)
		}
	}
}

// The command prints where a document is; only the store knows how it names files.
func TestADocumentIsWhereTheStorePutIt(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	a := newApp()
	a.data = dir
	st, err := a.openStore(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = st.Close() })
	for _, account := range []string{"", "ada@example.com", "Ada Lovelace", "a/b%41@c", "é"} {
		doc := &automation.Automation{
			Name: "flow", Match: automation.Scope{URLs: []string{"localhost"}, Account: account},
			Steps: []automation.Step{{Tool: "navigate", URL: "http://localhost/"}},
		}
		if _, err := st.Automations().Save(t.Context(), doc); err != nil {
			t.Fatal(err)
		}
		path := a.documentPath("flow", account)
		got, err := files.ReadDocument(nil, path)
		if err != nil || got.Match.Account != account {
			t.Errorf("the document for %q is not at %q: %v", account, path, err)
		}
	}
	if path := a.documentPath("flow", "stranger"); path != "" {
		t.Errorf("a document that is not stored is at %s", path)
	}
	a.data, a.store = "", "postgres://localhost/x"
	if path := a.documentPath("flow", ""); path != "" {
		t.Errorf("a document in a database is at %s", path)
	}
}

func TestTheDataDirectoryIsTheStores(t *testing.T) {
	t.Setenv(store.DataEnv, "")
	t.Setenv(storeEnv, "")
	t.Setenv("XDG_DATA_HOME", "")
	t.Setenv("HOME", t.TempDir())
	want, err := store.DefaultDir()
	if err != nil {
		t.Fatal(err)
	}
	if got := newApp().dataDir(); got != want {
		t.Errorf("without a flag it is %s, want %s", got, want)
	}
	a := newApp()
	a.data = "here"
	if got := a.dataDir(); !filepath.IsAbs(got) || filepath.Base(got) != "here" {
		t.Errorf("with --data here it is %s", got)
	}
}
