package replayer_test

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/go-reprise/reprise/automation"
	"github.com/go-reprise/reprise/internal/browsertest"
	"github.com/go-reprise/reprise/internal/person"
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

// The page tells of the files that it got by what is in them.
const readsFiles = `<script>
	const got = async (list) => { location.hash = (await Promise.all([...list].map((file) => file.text()))).join() };
</script>`

func TestFilesAreAVariable(t *testing.T) {
	t.Parallel()
	mine, others := files(t, "mine.txt", "too.txt"), files(t, "theirs.txt", "also.txt")
	choose := func(path string, n int) act {
		return func(ctx context.Context, p *person.Person) error { return p.Choose(ctx, path, mine[:n]...) }
	}
	drop := func(path string, n int) act {
		return func(ctx context.Context, p *person.Person) error { return p.Drop(ctx, path, mine[:n]...) }
	}
	for name, test := range map[string]struct {
		html   string
		act    act
		value  any
		step   string
		played string
	}{
		"a field":              {`<input type=file name=resume onchange="got(this.files)">`, choose("input", 1), others[0], "upload ${resume}", "theirs.txt"},
		"a field for several":  {`<input type=file name="photos[]" multiple onchange="got(this.files)">`, choose("input", 2), []any{others[0], others[1]}, "upload ${photos}", "theirs.txt,also.txt"},
		"a label":              {`<label id=l>Pick<input type=file hidden onchange="got(this.files)"></label>`, choose("#l", 1), others[0], "upload ${file}", "theirs.txt"},
		"a button of the page": {`<input type=file id=cv style="display:none" onchange="got(this.files)"><button id=b onclick="cv.click()">Choose</button>`, choose("#b", 1), others[0], "upload ${cv}", "theirs.txt"},
		"a field dropped on":   {`<input type=file onchange="got(this.files)">`, drop("input", 1), others[0], "upload ${file}", "theirs.txt"},
		"a place to drop on":   {`<div id=d ondragover="event.preventDefault()" ondrop="event.preventDefault();got(event.dataTransfer.files)" style="height:99px">Drop here</div>`, drop("#d", 2), []any{others[0], others[1]}, "upload ${file}", "theirs.txt,also.txt"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			server := serve(t, readsFiles+test.html)
			a := record(t, server.URL+"/", test.act)
			if got := toolsOf(a); len(got) != 2 || got[1] != test.step {
				t.Fatalf("recorded %q", got)
			}
			data, err := automation.Marshal(a)
			if err != nil || strings.Contains(string(data), filepath.Dir(mine[0])) {
				t.Errorf("the document says where the file is: %s, %v", data, err)
			}
			page := browsertest.Page(t, "")
			values := replayer.Map{a.Steps[1].Value.Name: test.value}
			if _, err := replayer.Play(t.Context(), page, a, &replayer.Options{Commit: replayer.AllowCommits, Values: values, Timeout: 10 * time.Second}); err != nil {
				t.Fatal(err)
			}
			eventually(t, test.played, func() bool { return strings.HasSuffix(page.URL(), "#"+test.played) })
		})
	}
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
