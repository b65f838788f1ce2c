package cli

import (
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/go-reprise/reprise/internal/cli/render"
	"github.com/go-reprise/reprise/replayer"
)

func TestPlaySavesAndShowsWhatIsDownloaded(t *testing.T) {
	t.Parallel()
	site := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path != "/report" {
			_, _ = fmt.Fprint(w, `<a id=report href=/report>report</a>`)
			return
		}
		w.Header().Set("Content-Disposition", `attachment; filename="report.csv"`)
		_, _ = fmt.Fprint(w, "a,b\n")
	}))
	t.Cleanup(site.Close)
	root := t.TempDir()
	data, dir, file := filepath.Join(root, "data"), filepath.Join(root, "files"), filepath.Join(root, "fetch.json")
	document := fmt.Sprintf(`{"format": 1, "name": "fetch", "match": {"urls": ["%[1]s/*"]}, "steps": [
		{"tool": "navigate", "url": "http://%[1]s/"}, {"tool": "click", "selector": "#report", "expect": [{"kind": "download"}]}]}`, strings.TrimPrefix(site.URL, "http://"))
	if err := os.WriteFile(file, []byte(document), 0o600); err != nil {
		t.Fatal(err)
	}
	command := func(args ...string) string {
		t.Helper()
		a := &app{stdin: scratch(t, ""), stdout: scratch(t, ""), stderr: scratch(t, "")}
		if code := a.execute(t.Context(), append(args, "--data", data)); code != 0 {
			text, _ := os.ReadFile(a.stderr.Name())
			t.Fatalf("%v exits %d: %s", args, code, text)
		}
		text, err := os.ReadFile(a.stdout.Name())
		if err != nil {
			t.Fatal(err)
		}
		return string(text)
	}
	var played render.Played
	if err := json.Unmarshal([]byte(command("play", file, "--json", "--report", filepath.Join(root, "reports"))), &played); err != nil {
		t.Fatal(err)
	}
	want := filepath.Join(data, "runs", played.Run, "downloads", "report.csv")
	if len(played.Downloads) != 1 || played.Downloads[0].Path != want || played.Downloads[0].State != replayer.DownloadSaved {
		t.Fatalf("downloads %+v, want %s", played.Downloads, want)
	}
	if content, err := os.ReadFile(want); err != nil || string(content) != "a,b\n" {
		t.Errorf("the file holds %q, %v", content, err)
	}
	if page, err := os.ReadFile(played.Report); err != nil || !strings.Contains(string(page), "report.csv") {
		t.Errorf("the report does not name the file: %v", err)
	}
	if shown := command("runs", played.Run); !strings.Contains(shown, want) {
		t.Errorf("the record shows\n%s", shown)
	}
	for _, name := range []string{"report.csv", "report (1).csv"} { // the second time there is one of that name
		if shown := command("play", file, "--downloads", dir); !strings.Contains(shown, filepath.Join(dir, name)) {
			t.Errorf("play prints\n%s, want %s", shown, name)
		}
	}
}
