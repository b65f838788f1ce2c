package examples_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

const walked = `navigate (intent: open the order form): done
type_input (intent: none): done
click (intent: of 0 characters): INVALID_INTENT
click (intent: of 128 characters): INVALID_INTENT
extract (intent: none): done
journal 1: navigate, done, intent "open the order form"
journal 2: type_input, done, intent ""
journal 3: extract, done, intent ""
the trace is whole: 3 calls
`

func TestTheAgentExampleWalksThroughIntents(t *testing.T) {
	t.Parallel()
	bin := build(t, "..", "./examples/agent")
	if diff := cmp.Diff(walked, program(t, nil, filepath.Join(bin, "agent"))); diff != "" {
		t.Errorf("it prints (-want +got):\n%s", diff)
	}
}

const exampleSignIn = `{"format": 1, "name": "meadow-sign-in", "match": {"urls": ["HOST/signin", "HOST/signin/*"]},
  "variables": {"type": "object", "properties": {"email": {"type": "string"}, "password": {"type": "string", "writeOnly": true}}, "required": ["email", "password"]},
  "steps": [
    {"tool": "click", "selector": "#accept-all", "optional": true},
    {"tool": "typeInput", "selector": "#identifierId", "value": {"kind": "variable", "name": "email"}},
    {"tool": "click", "selector": "#identifierNext"},
    {"tool": "typeInput", "selector": "#password", "value": {"kind": "variable", "name": "password"}},
    {"tool": "click", "selector": "#passwordNext"},
    {"tool": "waitForNav", "url": "HOST/dashboard"}]}
`

func TestTheAgentLoopGetsPastASignIn(t *testing.T) {
	t.Parallel()
	site, bin, data := startSite(t), build(t, "..", "./examples/agentloop"), t.TempDir()
	account := site.Accounts()[1]
	document := strings.ReplaceAll(exampleSignIn, "HOST", strings.TrimPrefix(site.URL, "http://"))
	if err := os.MkdirAll(filepath.Join(data, "automations"), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(data, "automations", "meadow-sign-in.json"), []byte(document), 0o600); err != nil {
		t.Fatal(err)
	}
	env := []string{"REPRISE_DATA=" + data, "SITE_EMAIL=" + account.Email, "SITE_PASSWORD=" + account.Password}
	got := program(t, env, filepath.Join(bin, "agentloop"), site.URL+"/dashboard")
	want := "a sign-in is in the way\nrun_meadow_sign_in is done\nthe account is " + account.Email + "\n"
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("it prints (-want +got):\n%s", diff)
	}
	if site.SignIns(account.Email) != 1 {
		t.Error("no one was signed in")
	}
}
