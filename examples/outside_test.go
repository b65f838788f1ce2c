package examples_test

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

const module = "github.com/go-reprise/reprise"

// outside makes a module in a directory of its own that uses this one in place,
// and needs nothing from the network.
func outside(t *testing.T) string {
	t.Helper()
	root, err := filepath.Abs("..")
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	for from, to := range map[string]string{"testdata/outside/main.go": "main.go", "../go.sum": "go.sum"} {
		text, err := os.ReadFile(from)
		if err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(dir, to), text, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	mod := fmt.Sprintf("module example.com/outside\n\ngo 1.26.0\n\nrequire %s v0.0.0\n\nreplace %[1]s => %[2]s\n", module, root)
	if err := os.WriteFile(filepath.Join(dir, "go.mod"), []byte(mod), 0o600); err != nil {
		t.Fatal(err)
	}
	return dir
}

func TestAProgramOutsideTheModuleDoesTheWholeWay(t *testing.T) {
	t.Parallel()
	dir := outside(t)
	text, err := os.ReadFile(filepath.Join(dir, "main.go"))
	if err != nil || strings.Contains(string(text), module+"/internal") {
		t.Fatalf("the program must do with what is exported (%v)", err)
	}
	bin := build(t, dir, "-mod=mod", ".")
	site, data := startSite(t), t.TempDir()
	first, second := site.Accounts()[0], site.Accounts()[1]
	out := program(t, []string{
		"FIRST_EMAIL=" + first.Email, "FIRST_PASSWORD=" + first.Password,
		"SECOND_EMAIL=" + second.Email, "SECOND_PASSWORD=" + second.Password,
	}, filepath.Join(bin, "outside"), site.URL, data)
	var got map[string]any
	if err := json.Unmarshal([]byte(out), &got); err != nil {
		t.Fatalf("%v in %q", err, out)
	}
	delete(got, "changes") // some more or fewer, as the keys come
	want := map[string]any{
		"steps": []any{
			"navigate ", `click aria/Accept all[role="button"]`,
			`typeInput aria/Email[role="textbox"]`, `click aria/Next[role="button"]`, "waitForNav ",
			`typeInput aria/Enter your password[role="textbox"]`, `click aria/Next[role="button"]`, "waitForNav ",
		},
		"user": first.Email, "matched": "sign-in", "missing": "invalid_value", "played": 8.0,
		"ended": site.URL + "/dashboard", "runs": 1.0,
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("what it did (-want +got):\n%s", diff)
	}
	if a, b := site.SignIns(first.Email), site.SignIns(second.Email); a != 1 || b != 1 {
		t.Errorf("the server saw %d and %d sign-ins, want one of each account", a, b)
	}
	document, err := os.ReadFile(filepath.Join(data, "automations", "sign-in@ada.json"))
	if err != nil || strings.Contains(string(document), first.Password) {
		t.Errorf("the document holds the password (%v)", err)
	}
}
