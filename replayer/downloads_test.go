package replayer_test

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"
	"unicode/utf8"

	"github.com/go-reprise/reprise/automation"
	"github.com/go-reprise/reprise/internal/browsertest"
	"github.com/go-reprise/reprise/replayer"
)

// downloadSite serves a page of downloads. What /slow sends ends when the test lets it.
func downloadSite(t *testing.T, finish <-chan struct{}) *httptest.Server {
	t.Helper()
	mux := http.NewServeMux()
	mux.HandleFunc("/{$}", func(w http.ResponseWriter, _ *http.Request) {
		_, _ = fmt.Fprint(w, `<a id=report href="/report?token=hidden">report</a> <a id=slow href=/slow>slow</a> <a id=cut href=/cut>cut</a>
			<a id=named download="notes.txt" href="data:text/plain,hi">notes</a>`)
	})
	mux.HandleFunc("/report", func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Disposition", `attachment; filename="report of s3cret-value.csv"`)
		_, _ = fmt.Fprint(w, "a,b\n")
	})
	mux.HandleFunc("/slow", func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Disposition", `attachment; filename=".slow.bin"`)
		_, _ = w.Write(make([]byte, 100_000))
		w.(http.Flusher).Flush()
		select {
		case <-finish:
		case <-r.Context().Done():
		}
		_, _ = w.Write([]byte("the end"))
	})
	mux.HandleFunc("/cut", func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Disposition", `attachment; filename="cut.bin"`)
		w.Header().Set("Content-Length", "200000")
		_, _ = w.Write(make([]byte, 100_000))
		w.(http.Flusher).Flush()
		panic(http.ErrAbortHandler)
	})
	site := httptest.NewServer(mux)
	t.Cleanup(site.Close)
	return site
}

// downloading clicks on links that download.
func downloading(t *testing.T, site string, ids ...string) *automation.Automation {
	t.Helper()
	steps := fmt.Sprintf(`{"tool": "navigate", "url": %q}`, site+"/")
	for _, id := range ids {
		steps += fmt.Sprintf(`, {"tool": "click", "selector": "#%s", "expect": [{"kind": "download"}]}`, id)
	}
	a, err := automation.Parse([]byte(fmt.Sprintf(`{"format": 1, "name": "fetch", "match": {"urls": [%q]}, "steps": [%s]}`, strings.TrimPrefix(site, "http://")+"/**", steps)))
	if err != nil {
		t.Fatal(err)
	}
	return a
}

func TestDownloadsAreSavedBeforeTheRunEnds(t *testing.T) {
	t.Parallel()
	finish := make(chan struct{})
	site := downloadSite(t, finish)
	dir := filepath.Join(t.TempDir(), "made", "here")
	last := false
	hidden, err := automation.NewSecret("s3cret-value")
	if err != nil {
		t.Fatal(err)
	}
	options := &replayer.Options{Downloads: dir, Redact: []automation.Secret{hidden}}
	a := downloading(t, site.URL, "report", "slow", "named")
	options.OnStep = func(s replayer.StepResult) {
		if last = s.Index == len(a.Steps)-1; last {
			time.AfterFunc(200*time.Millisecond, func() { close(finish) }) // after the last step, before the run may end
		}
	}
	result, err := replayer.Play(t.Context(), browsertest.Page(t, ""), a, options)
	if err != nil {
		t.Fatal(err)
	}
	if len(result.Downloads) != 3 {
		t.Fatalf("downloads: %+v", result.Downloads)
	}
	for i, want := range []struct {
		name, url string
		content   []byte
	}{
		{"report of [secret].csv", site.URL + "/report", []byte("a,b\n")},
		{"slow.bin", site.URL + "/slow", append(make([]byte, 100_000), "the end"...)},
		{"notes.txt", "data:", []byte("hi")},
	} {
		d := result.Downloads[i]
		content, err := os.ReadFile(d.Path)
		if err != nil || string(content) != string(want.content) {
			t.Errorf("%s holds %d bytes, %v, want %d", d.Path, len(content), err, len(want.content))
		}
		sum := sha256.Sum256(want.content)
		if d.Name != want.name || d.URL != want.url || d.Step != i+1 || d.State != replayer.DownloadSaved || d.Size != int64(len(want.content)) || d.SHA256 != hex.EncodeToString(sum[:]) {
			t.Errorf("download %d is %+v, want %q of %q", i, d, want.name, want.url)
		}
		if d.Path != filepath.Join(dir, d.Name) {
			t.Errorf("it is at %s, want it in %s", d.Path, dir)
		}
		info, err := os.Stat(d.Path)
		if err != nil || info.Mode().Perm() != 0o600 {
			t.Errorf("its mode is %v, %v", info.Mode(), err)
		}
	}
	if info, err := os.Stat(dir); err != nil || info.Mode().Perm() != 0o700 {
		t.Errorf("the mode of the directory is %v, %v", info.Mode(), err)
	}
}

func TestARunFailsWhoseExpectedDownloadIsNotComplete(t *testing.T) {
	t.Parallel()
	for id, state := range map[string]replayer.DownloadState{"slow": replayer.DownloadUnfinished, "cut": replayer.DownloadCanceled} {
		t.Run(id, func(t *testing.T) {
			t.Parallel()
			site := downloadSite(t, nil)
			dir := t.TempDir()
			result, err := replayer.Play(t.Context(), browsertest.Page(t, ""), downloading(t, site.URL, id), &replayer.Options{Downloads: dir, Timeout: 3 * time.Second})
			var failed *replayer.Error
			if !errors.As(err, &failed) || failed.Code != replayer.Timeout || failed.Step != 1 || failed.Resume == "" {
				t.Fatalf("the run ended with %+v", err)
			}
			if len(result.Downloads) != 1 || result.Downloads[0].State != state || result.Downloads[0].Path != "" || result.Downloads[0].Reason == "" {
				t.Errorf("downloads: %+v, want one that is %s", result.Downloads, state)
			}
			if files, err := os.ReadDir(dir); err != nil || len(files) > 0 {
				t.Errorf("the directory holds %v, %v", files, err)
			}
		})
	}
}

func TestRunsThatShareADirectoryNeverShareAFile(t *testing.T) {
	t.Parallel()
	site := downloadSite(t, nil)
	dir := t.TempDir()
	var all sync.WaitGroup
	paths := make([]string, 3)
	for i := range paths {
		page := browsertest.Page(t, "")
		a := downloading(t, site.URL, "report")
		all.Go(func() {
			result, err := replayer.Play(t.Context(), page, a, &replayer.Options{Downloads: dir})
			if err != nil || len(result.Downloads) != 1 {
				t.Errorf("run %d: %+v, %v", i, result, err)
				return
			}
			paths[i] = filepath.Base(result.Downloads[0].Path)
		})
	}
	all.Wait()
	slices.Sort(paths)
	want := []string{"report of s3cret-value (1).csv", "report of s3cret-value (2).csv", "report of s3cret-value.csv"}
	if !slices.Equal(paths, want) {
		t.Errorf("the files are %q, want %q", paths, want)
	}
}

func TestACallReturnsWhatItDownloaded(t *testing.T) {
	t.Parallel()
	site := downloadSite(t, nil)
	page := browsertest.Page(t, site.URL)
	session := replayer.Begin(page, &replayer.Options{Downloads: t.TempDir()})
	t.Cleanup(session.Close)
	a := downloading(t, site.URL, "report")
	if _, err := session.Do(t.Context(), a.Steps[1]); err != nil {
		t.Fatal(err)
	}
	if got := session.Downloads(t.Context()); len(got) != 1 || got[0].State != replayer.DownloadSaved {
		t.Errorf("downloads: %+v", got)
	}
	if got := session.Downloads(t.Context()); len(got) != 0 {
		t.Errorf("told twice: %+v", got)
	}
}

func TestNamesThatSitesSuggestAreMadeSafe(t *testing.T) {
	t.Parallel()
	for suggested, want := range map[string]string{
		"report.csv":        "report.csv",
		"../../.ssh/id_rsa": "id_rsa",
		`..\..\boot.ini`:    "boot.ini",
		"/etc/passwd":       "passwd",
		".bashrc":           "bashrc",
		"...":               "download",
		"":                  "download",
		".. /":              "download",
		"-rf":               "rf",
		"a\x00b\nc.txt":     "abc.txt",
		"gnp.\u202etxt.exe": "gnp.txt.exe",
		"\u200b.profile":    "profile",
		"con:stream?.txt":   "con_stream_.txt",
		"\xff\xfe.bin":      "__.bin",
		"name. . ":          "name",
		"a\u2028b":          "ab",
	} {
		if got := replayer.FileName(suggested); got != want {
			t.Errorf("%q is %q, want %q", suggested, got, want)
		}
	}
	long := replayer.FileName(strings.Repeat("é", 400) + ".csv")
	if len(long) > 200 || !strings.HasSuffix(long, ".csv") || !utf8.ValidString(long) {
		t.Errorf("a long name is %d bytes: %q", len(long), long)
	}
}
