package cli

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/jackc/pgx/v5"

	"github.com/go-reprise/reprise/internal/browsertest"
	"github.com/go-reprise/reprise/internal/canary"
	"github.com/go-reprise/reprise/internal/demosite"
	"github.com/go-reprise/reprise/internal/postgrestest"
	"github.com/go-reprise/reprise/store/sealed"
)

// sink is a place that something may have been written to.
type sink struct {
	name string
	data []byte
}

func newSink(name string, data []byte) sink { return sink{name, data} }

// holds returns in which way a text is in a sink, "" for in none.
func (s sink) holds(text string) string {
	form, _ := canary.Find(s.data, text)
	return form
}

// folder returns all files below a directory as one sink.
func folder(t *testing.T, name, dir string) sink {
	t.Helper()
	var all []byte
	err := filepath.WalkDir(dir, func(path string, e fs.DirEntry, err error) error {
		if errors.Is(err, fs.ErrNotExist) {
			return nil
		}
		all = append(all, path+"\n"...)
		if err != nil || !e.Type().IsRegular() {
			return err
		}
		data, err := os.ReadFile(path)
		if errors.Is(err, fs.ErrNotExist) {
			return nil // a server removes files at any time
		}
		all = append(all, data...)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return newSink(name, all)
}

// sealedScene is a site with two accounts whose passwords are canaries, one whose sign-in
// leaves canaries in the browser, and two stores.
type sealedScene struct {
	t           *testing.T
	site        *demosite.Server
	entered     *canarySite
	root        string
	env         []string
	said        bytes.Buffer // by all commands
	task, vault string       // the canaries
	marker      string       // what may be seen, and must be found wherever a canary could be
}

func newSealedScene(t *testing.T) *sealedScene {
	t.Helper()
	browsertest.Slot(t)
	s := &sealedScene{t: t, root: t.TempDir(), task: canary.NewOf(`Kanarie+<"é`), vault: canary.NewOf("Wellensittich&'"), marker: canary.NewOf("sichtbar")}
	var err error
	s.site, err = demosite.Start(&demosite.Options{Delay: -1, Accounts: []demosite.Account{
		{Email: "ada@example.com", Password: s.task, Name: "Ada"}, {Email: "grace@example.com", Password: s.vault, Name: "Grace"},
	}})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = s.site.Close() })
	s.entered = newCanarySite(t)
	b, err := sharedBrowser()
	if err != nil {
		t.Fatal(err)
	}
	for _, dir := range []string{"home", "tmp"} {
		if err := os.Mkdir(s.path(dir), 0o700); err != nil {
			t.Fatal(err)
		}
	}
	s.env = append(os.Environ(), "HOME="+s.path("home"), "TMPDIR="+s.path("tmp"), sealed.FileEnv+"="+s.path("key"), "REPRISE_BROWSER="+b.Endpoint())
	return s
}

func (s *sealedScene) path(name string) string { return filepath.Join(s.root, name) }

// reprise runs a command, which must succeed.
func (s *sealedScene) reprise(stdin string, args ...string) {
	s.t.Helper()
	cmd := exec.CommandContext(s.t.Context(), os.Args[0])
	cmd.Args = append([]string{"reprise"}, args...)
	cmd.Env, cmd.Stdin = s.env, strings.NewReader(stdin)
	out, err := cmd.CombinedOutput()
	s.said.Write(out)
	if err != nil {
		s.t.Fatalf("%v: %v\n%s", args, err, out)
	}
}

// document keeps the sign-in, with the marker in its text.
func (s *sealedScene) document(dir string) {
	s.t.Helper()
	text := fmt.Sprintf(`{"format": 1, "name": "sign-in", "description": %q, "match": {"urls": ["%[2]s/*"]},
		"variables": {"type": "object", "properties": {"email": {"type": "string"}, "password": {"type": "string", "writeOnly": true}}, "required": ["email", "password"]},
		"steps": [
			{"tool": "navigate", "url": "%[2]s/signin"},
			{"tool": "click", "selector": "#accept-all", "optional": true},
			{"tool": "typeInput", "selector": "#identifierId", "value": {"kind": "variable", "name": "email"}},
			{"tool": "click", "selector": "#identifierNext"},
			{"tool": "typeInput", "selector": "input[name=\"Passwd\"]", "value": {"kind": "variable", "name": "password"}},
			{"tool": "click", "selector": "#passwordNext"},
			{"tool": "waitForNav", "url": "%[2]s/dashboard"}]}`, s.marker, s.site.URL)
	if err := errors.Join(os.MkdirAll(filepath.Join(dir, "automations"), 0o700), os.WriteFile(filepath.Join(dir, "automations", "sign-in.json"), []byte(text), 0o600)); err != nil {
		s.t.Fatal(err)
	}
}

// use does in a store all that comes near a secret.
func (s *sealedScene) use(store ...string) {
	s.t.Helper()
	do := func(stdin string, args ...string) { s.t.Helper(); s.reprise(stdin, append(args, store...)...) }
	values, err := json.Marshal(map[string]any{"email": "ada@example.com", s.marker: 1, "password": map[string]any{"secret": s.task, "origins": []string{s.site.URL}}})
	if err != nil {
		s.t.Fatal(err)
	}
	do(string(values), "task", "put", "ada", "-v")
	do(s.vault+"\n", "credential", "set", s.marker, "--account", "grace@example.com", "--origin", s.site.URL, "--from-stdin", "-v")
	do("", "play", "sign-in", "--task", "ada", "-v", "--report", s.path("report"))
	do("", "play", "sign-in", "--account", "grace@example.com", "--var", "email=grace@example.com", "-v", "--json")
	do("", "login", "save", s.marker, "--automation", "enter", "--account", "ada", "--check", "#known", "--check-at", s.entered.URL, "--notes", "of a test", "-v")
	do("", "play", "inside", "--login", s.marker, "--account", "ada", "--save-login", "-v")
	do("", "login", "check", s.marker, "--account", "ada", "-v")
	do("", "play", "inside", "--login", s.marker, "--account", "ada", "-v", "--report", s.path("report"))
	do("", "key", "rotate", "-v")
	do("", "play", "inside", "--login", s.marker, "--account", "ada", "-v", "--json")
	do("", "task", "token", "ada")
	for _, list := range [][]string{{"task", "list"}, {"credential", "list"}, {"login", "list", "--json"}, {"runs", "--json"}, {"list", "--json"}, {"show", "sign-in"}} {
		do("", list...)
	}
}

func TestWhatIsSealedIsReadableNowhere(t *testing.T) {
	t.Parallel()
	s := newSealedScene(t)
	server := postgrestest.Start(t)
	address := server.Database(t)
	s.document(s.path("data"))
	s.entered.documents(t, s.path("data"))
	s.use("--data", s.path("data"))
	first, err := os.ReadFile(s.path("key"))
	if err != nil {
		t.Fatal(err)
	}
	s.reprise("", "copy", s.path("data"), address, "-v")
	s.use("--store", address)
	s.reprise("", "copy", address, s.path("copied"), "--json")
	for _, email := range []string{"ada@example.com", "grace@example.com"} {
		if n := s.site.SignIns(email); n != 2 {
			t.Errorf("%s signed in %d times, want 2: what follows proves nothing", email, n)
		}
	}
	if n := s.entered.back.Load(); n != 12 { // twice: checked, played and checked, checked, played, played
		t.Errorf("a login was used %d times, want 12: what follows proves nothing", n)
	}
	last, err := os.ReadFile(s.path("key"))
	if err != nil {
		t.Fatal(err)
	}
	secrets := map[string]string{"the secret of the task": s.task, "the secret of the vault": s.vault, "the cookie of the login": s.entered.cookie, "the storage of the login": s.entered.stored, "its session storage": s.entered.session, "its databases": s.entered.record}
	for _, line := range strings.Fields(string(first) + string(last)) {
		if strings.HasPrefix(line, "AGE-SECRET-KEY-") {
			secrets["the key "+line[len(line)-4:]] = line
		}
	}
	if len(secrets) < 9 { // three keys: one made, and one for each rotation
		t.Errorf("there are %d secrets to look for", len(secrets))
	}
	for _, sink := range s.sinks(server, address) {
		if sink.holds(s.marker) == "" {
			t.Errorf("what may be seen is not found in %s (%d bytes): looking there proves nothing", sink.name, len(sink.data))
		}
		for what, secret := range secrets {
			if form := sink.holds(secret); form != "" {
				t.Errorf("%s holds %s (%s)", sink.name, what, form)
			}
		}
	}
}

// sinks are all places where something was written: a server has what it wrote in its
// files once it was told to.
func (s *sealedScene) sinks(server *postgrestest.Server, address string) []sink {
	t := s.t
	t.Helper()
	tables := newSink("the tables", rowsOfAllTables(t, address))
	dump, err := exec.CommandContext(t.Context(), postgrestest.Program(t, "pg_dump"), address).CombinedOutput()
	if err != nil {
		t.Fatalf("pg_dump: %v\n%s", err, dump)
	}
	all := []sink{
		tables, newSink("a dump", dump), newSink("what the command says", s.said.Bytes()),
		folder(t, "the log that is written ahead", filepath.Join(server.Dir(), "data", "pg_wal")),
		folder(t, "the files of the database", filepath.Join(server.Dir(), "data", "base")),
		folder(t, "the directory store", s.path("data")), folder(t, "the copy", s.path("copied")),
	}
	// Where nothing at all may be, the marker is put.
	for name, dir := range map[string]string{"the server's own log": filepath.Join(server.Dir(), "log"), "reports": s.path("report"), "temporary files": s.path("tmp"), "the home directory": s.path("home")} {
		all = append(all, newSink(name, append(folder(t, name, dir).data, s.marker...)))
	}
	return all
}

// rowsOfAllTables returns all rows of all tables that are no part of Postgres.
func rowsOfAllTables(t *testing.T, address string) []byte {
	t.Helper()
	ctx := t.Context()
	conn, err := pgx.Connect(ctx, address)
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close(ctx)
	if _, err := conn.Exec(ctx, "CHECKPOINT"); err != nil {
		t.Fatal(err)
	}
	rows, err := conn.Query(ctx, "SELECT format('%I.%I', schemaname, tablename) FROM pg_tables WHERE schemaname NOT IN ('pg_catalog', 'information_schema')")
	if err != nil {
		t.Fatal(err)
	}
	tables, err := pgx.CollectRows(rows, pgx.RowTo[string])
	if err != nil {
		t.Fatal(err)
	}
	var all []byte
	for _, table := range tables {
		rows, err := conn.Query(ctx, "SELECT t::text FROM "+table+" t")
		if err != nil {
			t.Fatal(err)
		}
		texts, err := pgx.CollectRows(rows, pgx.RowTo[string])
		if err != nil {
			t.Fatal(err)
		}
		all = append(all, table+"\n"+strings.Join(texts, "\n")+"\n"...)
	}
	if len(tables) < 5 {
		t.Errorf("there are only the tables %v", tables)
	}
	return all
}
