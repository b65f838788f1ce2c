package agent_test

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func TestAnAgentIsToldWhereDownloadsAre(t *testing.T) {
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
	p := at(t, nil)
	host := strings.TrimPrefix(site.URL, "http://")
	p.keep(fmt.Sprintf(`{"format": 1, "name": "fetch-report", "match": {"urls": ["%[1]s/*"]}, "steps": [
		{"tool": "navigate", "url": "http://%[1]s/"}, {"tool": "click", "selector": "#report", "expect": [{"kind": "download"}]}]}`, host))
	s := p.client(nil)
	saved := func(value map[string]any, dir string) {
		t.Helper()
		files, _ := value["downloads"].([]any)
		if len(files) != 1 {
			t.Fatalf("it tells %v", value)
		}
		file, _ := files[0].(map[string]any)
		path, _ := file["path"].(string)
		content, err := os.ReadFile(path)
		if err != nil || string(content) != "a,b\n" || filepath.Dir(path) != dir || file["state"] != "saved" {
			t.Errorf("%v holds %q, %v, want it in %s", file, content, err, dir)
		}
	}
	ran := must(t, s, "run_automation", map[string]any{"name": "fetch-report"})
	run, _ := ran.Value["run"].(string)
	saved(ran.Value, filepath.Join(p.root, "runs", run, "downloads"))
	told, _ := must(t, s, "run_status", map[string]any{"run": run}).Value["run"].(map[string]any)
	saved(told, filepath.Join(p.root, "runs", run, "downloads"))

	must(t, s, "navigate", map[string]any{"url": site.URL})
	clicked := must(t, s, "click", map[string]any{"target": "#report"})
	saved(clicked.Value, filepath.Join(p.root, "runs", p.trace()[0].Session, "downloads"))
}
