package cases

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/rogpeppe/go-internal/txtar"

	"github.com/go-reprise/reprise/automation"
	"github.com/go-reprise/reprise/browser"
	"github.com/go-reprise/reprise/internal/browsertest"
	"github.com/go-reprise/reprise/recorder"
	"github.com/go-reprise/reprise/replayer"
)

var (
	update = flag.Bool("update", false, "write what is recorded into the cases")
	folder = flag.String("cases", "testdata", "the folder of the cases that TestCases records and plays")
)

// patience is how long a case may take on a machine that is busy.
const patience = time.Minute

func TestMain(m *testing.M) {
	if file := os.Getenv(withoutRedaction); file != "" {
		useScript(file)
	}
	browsertest.Main(m)
}

func TestCases(t *testing.T) {
	t.Parallel()
	paths, err := filepath.Glob(filepath.Join(*folder, "*.txtar"))
	if err != nil || len(paths) == 0 {
		t.Fatalf("there are no cases: %v", err)
	}
	for _, path := range paths {
		t.Run(strings.TrimSuffix(filepath.Base(path), ".txtar"), func(t *testing.T) {
			t.Parallel()
			readCase(t, path).run(t)
		})
	}
}

// scene is a case on this machine.
type scene struct {
	path    string
	archive *txtar.Archive
	site    *site
	folder  string // of the person's own files
}

func readCase(t *testing.T, path string) *scene {
	t.Helper()
	archive, err := txtar.ParseFile(path)
	if err != nil {
		t.Fatal(err)
	}
	s := &scene{path: path, archive: archive, site: serve(t, archive), folder: t.TempDir()}
	for _, f := range archive.Files {
		if name, own := strings.CutPrefix(f.Name, "files/"); own {
			if err := os.WriteFile(filepath.Join(s.folder, name), bytes.TrimSpace(f.Data), 0o600); err != nil {
				t.Fatal(err)
			}
		}
	}
	return s
}

func (s *scene) part(name string) (text string, found bool) {
	for _, f := range s.archive.Files {
		if f.Name == name {
			return string(f.Data), true
		}
	}
	return "", false
}

func (s *scene) run(t *testing.T) {
	ctx := browsertest.Context(t)
	a := s.record(ctx, t)
	s.compare(t, a)
	want, played := s.part("want")
	if failure, fails := s.part("fails"); played || fails {
		s.site.forget()
		s.site.change()
		var heard []string
		if want != "" {
			heard = strings.Split(strings.TrimSuffix(s.site.names.Replace(want), "\n"), "\n")
		}
		s.play(ctx, t, a, heard, strings.TrimSpace(failure))
	}
}

// record has a person do what the case says, and wants nothing to be lost.
func (s *scene) record(ctx context.Context, t *testing.T) *automation.Automation {
	t.Helper()
	gestures := s.gestures(t)
	page := browsertest.Page(t, "")
	p := &player{scene: s, page: page, options: &recorder.Options{Name: "flow", LeaveDialogs: asksDialogs(gestures)}}
	if err := p.start(ctx); err != nil {
		t.Fatal(err)
	}
	if err := page.Navigate(ctx, s.site.URL+"/"); err != nil {
		t.Fatal(err)
	}
	for _, g := range gestures {
		if err := g.do(ctx, p); err != nil {
			t.Fatalf("%s: %v", g.line, err)
		}
	}
	_ = page.Target().Main().Call(ctx, nil, "breathe") // a form may be sent after the key that sends it; the page may have gone
	a, integrity, err := p.recorder.Stop(ctx)
	if err != nil {
		t.Fatalf("%v: %+v", err, integrity)
	}
	return a
}

// compare holds what was recorded to the case's own file, or writes it there.
func (s *scene) compare(t *testing.T, a *automation.Automation) {
	t.Helper()
	text, err := lines(essence(a))
	if err != nil {
		t.Fatal(err)
	}
	got := s.site.general(text)
	want, found := s.part("automation.json")
	if got == want {
		return
	}
	if !*update {
		t.Errorf("recorded (-want +got):\n%s", cmp.Diff(strings.Split(want, "\n"), strings.Split(got, "\n")))
		return
	}
	for i, f := range s.archive.Files {
		if f.Name == "automation.json" {
			s.archive.Files[i].Data = []byte(got)
		}
	}
	if !found {
		after := 1 + slices.IndexFunc(s.archive.Files, func(f txtar.File) bool { return f.Name == "actions" })
		s.archive.Files = slices.Insert(s.archive.Files, after, txtar.File{Name: "automation.json", Data: []byte(got)})
	}
	if err := os.WriteFile(s.path, txtar.Format(s.archive), 0o644); err != nil {
		t.Fatal(err)
	}
}

// lines writes an automation with a line for each step.
func lines(a *automation.Automation) (string, error) {
	data, err := automation.Marshal(a)
	if err != nil {
		return "", err
	}
	var document struct {
		Match     json.RawMessage
		Variables json.RawMessage
		Steps     []json.RawMessage
	}
	if err := json.Unmarshal(data, &document); err != nil {
		return "", err
	}
	all := []string{`{"match": ` + compact(document.Match) + `,`}
	if document.Variables != nil {
		all = append(all, `"variables": `+compact(document.Variables)+`,`)
	}
	all = append(all, `"steps": [`)
	for i, step := range document.Steps {
		all = append(all, "\t"+compact(step)+map[bool]string{true: ",", false: ""}[i < len(document.Steps)-1])
	}
	return strings.Join(append(all, "]}\n"), "\n"), nil
}

func compact(data json.RawMessage) string {
	var b bytes.Buffer
	if json.Compact(&b, data) != nil {
		return string(data) // it was written by ourselves: cannot happen
	}
	return b.String()
}

// essence is an automation without what other tests hold, and what differs between
// machines: evidence, further selectors, and where in an element it was pressed.
func essence(a *automation.Automation) *automation.Automation {
	short := *a
	short.Steps = slices.Clone(a.Steps)
	for i := range short.Steps {
		step := &short.Steps[i]
		step.Fingerprint, step.Alternatives, step.Offset = nil, nil, nil
		step.Expect = slices.DeleteFunc(slices.Clone(step.Expect), func(e automation.Expectation) bool {
			return e.Kind == "request" || e.Kind == "update" // a case ends when it has done all, and not when the browser has noted what followed
		})
		step.FrameAlternatives = nil
		step.Args = roundly(step.Args)
		if step.Hold > 0 { // how long exactly is for the machine to say
			step.Hold = time.Second
		}
	}
	return &short
}

func roundly(args json.RawMessage) json.RawMessage {
	var drag map[string]any
	if json.Unmarshal(args, &drag) != nil || drag["offset"] == nil {
		return args
	}
	offset := drag["offset"].(map[string]any)
	for axis, at := range offset {
		offset[axis] = math.Round(at.(float64)*10) / 10
	}
	data, err := json.Marshal(drag)
	if err != nil {
		return args
	}
	return data
}

// play plays what was recorded, in a page of its own, and wants the server to hear
// just what the case says; where it names the code of a failure, that it fails so.
func (s *scene) play(ctx context.Context, t *testing.T, a *automation.Automation, want []string, fails string) {
	t.Helper()
	code, reason, _ := strings.Cut(fails, ": ")
	values, err := s.values(a)
	if err != nil {
		t.Fatal(err)
	}
	page, timeout := browsertest.Page(t, ""), patience/3
	if fails != "" {
		timeout = patience / 20
	}
	_, err = replayer.Play(ctx, page, a, &replayer.Options{Commit: replayer.AllowCommits, Values: values, Timeout: timeout})
	if failed := (*replayer.Error)(nil); fails != "" && errors.As(err, &failed) && failed.Code == replayer.Code(code) && strings.Contains(failed.Reason, reason) {
		err = nil
	} else if fails != "" && err == nil {
		t.Errorf("it ended well, and should have failed as %s", fails)
	}
	if err != nil {
		data, _ := automation.Marshal(essence(a))
		t.Fatalf("playing: %v; the server heard %q\n%s", err, s.site.said(), data)
	}
	s.waitFor(ctx, page, want)
	if diff := cmp.Diff(want, s.site.said()); diff != "" {
		t.Errorf("heard when it was played (-want +got):\n%s", diff)
	}
}

// waitFor waits until the server has heard as much as it should: pages take their time.
func (s *scene) waitFor(ctx context.Context, page *browser.Page, want []string) {
	ctx, cancel := context.WithTimeout(ctx, patience/6)
	defer cancel()
	tick := time.NewTicker(5 * time.Millisecond)
	defer tick.Stop()
	for len(s.site.said()) < len(want) {
		select {
		case <-tick.C:
		case <-ctx.Done():
			return
		}
	}
	_, _ = page.Target().Send("Runtime.evaluate", map[string]any{"expression": "0"}).Wait(ctx) // and no more than that
}

// values are those that the case plays with; literals of steps are put into the steps.
func (s *scene) values(a *automation.Automation) (replayer.Map, error) {
	text, found := s.part("play")
	if !found {
		return nil, nil
	}
	values := replayer.Map{}
	if err := json.Unmarshal([]byte(text), &values); err != nil {
		return nil, fmt.Errorf("play: %w", err)
	}
	for name, value := range values {
		values[name] = s.filed(value)
		var at int
		if _, err := fmt.Sscanf(name, "step %d", &at); err != nil {
			continue
		}
		delete(values, name)
		data, err := json.Marshal(value)
		if err != nil || at >= len(a.Steps) {
			return nil, fmt.Errorf("play: no %s: %w", name, err)
		}
		a.Steps[at].Value = &automation.Value{Kind: automation.Literal, Value: data}
	}
	return values, nil
}

// filed puts the path of a file for its name.
func (s *scene) filed(value any) any {
	switch v := value.(type) {
	case string:
		if name, file := strings.CutPrefix(v, "@"); file {
			return filepath.Join(s.folder, name)
		}
	case []any:
		for i := range v {
			v[i] = s.filed(v[i])
		}
	}
	return value
}
