package replayer_test

import (
	"errors"
	"os"
	"path/filepath"
	"strconv"
	"testing"
	"time"

	"github.com/go-reprise/reprise/automation"
	"github.com/go-reprise/reprise/internal/browsertest"
	"github.com/go-reprise/reprise/replayer"
)

// files makes files in a folder, each holding its own name.
func files(t *testing.T, names ...string) []string {
	t.Helper()
	dir := t.TempDir()
	paths := make([]string, len(names))
	for i, name := range names {
		paths[i] = filepath.Join(dir, name)
		if err := os.WriteFile(paths[i], []byte(name), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	return paths
}

func TestFilesThatCannotBeGivenAreSaidBeforeAnythingIsDone(t *testing.T) {
	t.Parallel()
	there := files(t, "a.txt", "b.txt")
	link := filepath.Join(t.TempDir(), "link.txt")
	if err := os.Symlink(there[0], link); err != nil {
		t.Fatal(err)
	}
	server := serve(t, `<input id=f type=file>`)
	variable := automation.Value{Kind: automation.Variable, Name: "file"}
	named := automation.Value{Kind: automation.Literal, Value: []byte(strconv.Quote(there[0]))}
	for name, test := range map[string]struct {
		value automation.Value
		given any
		from  []string
		want  replayer.Code
		step  int
	}{
		"a file that is not there":       {variable, filepath.Join(t.TempDir(), "none"), nil, replayer.InvalidValue, -1},
		"a folder":                       {variable, filepath.Dir(there[0]), nil, replayer.InvalidValue, -1},
		"two where there is one":         {variable, []any{there[0], there[1]}, nil, replayer.InvalidValue, 1},
		"one that the document names":    {named, nil, nil, replayer.Refused, -1},
		"one out of the allowed folders": {variable, there[0], []string{t.TempDir()}, replayer.Refused, -1},
		"a link out of them":             {variable, link, []string{filepath.Dir(link)}, replayer.Refused, -1},
		"one that the document may name": {named, nil, []string{filepath.Dir(there[0])}, "", 0},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			a := document(t, server.URL, `{"tool": "navigate", "url": "`+server.URL+`/"}, {"tool": "upload", "selector": "#f", "value": {"kind": "literal", "value": "x"}}`)
			a.Steps[1].Value = &test.value
			a.Variables = []byte(`{"type": "object", "properties": {"file": {}}}`)
			values := replayer.Map{}
			if test.given != nil {
				values["file"] = test.given
			}
			page := browsertest.Page(t, "")
			_, err := replayer.Play(t.Context(), page, a, &replayer.Options{Commit: replayer.AllowCommits, Values: values, UploadFrom: test.from, Timeout: 5 * time.Second})
			var failed *replayer.Error
			if test.want == "" && err == nil {
				return
			}
			if !errors.As(err, &failed) || failed.Code != test.want || failed.Step != test.step {
				t.Errorf("got %v, want %s at step %d", err, test.want, test.step)
			}
		})
	}
}
