package cases

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"log/slog"
	"os"
	"path/filepath"
	"sync"
	"testing"

	"github.com/go-reprise/reprise/automation"
	"github.com/go-reprise/reprise/automation/exchange"
	"github.com/go-reprise/reprise/internal/browsertest"
	"github.com/go-reprise/reprise/internal/cdp"
	"github.com/go-reprise/reprise/replayer"
	"github.com/go-reprise/reprise/store"
)

// tellsOf notes what the page script tells, while no one else notes anything.
func tellsOf(all sinks) func(cdp.Event) {
	var mu sync.Mutex
	return func(e cdp.Event) {
		if e.Method == "Runtime.bindingCalled" {
			mu.Lock()
			defer mu.Unlock()
			all.note("what the page script tells", string(e.Params))
		}
	}
}

// exportInto notes an automation as it is written, kept, and exported.
func exportInto(t *testing.T, a *automation.Automation, all sinks) {
	t.Helper()
	data, err := automation.Marshal(a)
	if err != nil {
		t.Fatal(err)
	}
	all.note("the document", string(data))
	for _, format := range exchange.Writable() {
		data, report, err := exchange.Export(a, format, nil)
		if err != nil {
			t.Fatalf("%s: %v", format, err)
		}
		all.note("the export to "+string(format), string(data))
		for _, loss := range report {
			all.note("the report of "+string(format), loss)
		}
	}
	keepInto(t, a, all)
}

func keepInto(t *testing.T, a *automation.Automation, all sinks) {
	t.Helper()
	dir := t.TempDir()
	s, err := store.Open(t.Context(), dir)
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	if _, err := s.Automations().Save(t.Context(), a); err != nil {
		t.Fatal(err)
	}
	err = filepath.Walk(dir, func(path string, info os.FileInfo, err error) error {
		if err != nil || info.IsDir() {
			return err
		}
		data, err := os.ReadFile(path)
		all.note("a file of the store", path+string(data))
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
}

// playInto plays with the canary for every secret, and at the end on an element that is
// not there, and notes all that is said of it.
func (s *scene) playInto(ctx context.Context, t *testing.T, a *automation.Automation, secret string, all sinks) {
	t.Helper()
	declared, err := a.Declared()
	if err != nil {
		t.Fatal(err)
	}
	values := replayer.Map{}
	for _, name := range declared.Secrets() {
		values[name] = secret
	}
	failing := *a
	failing.Steps = append(failing.Steps[:len(failing.Steps):len(failing.Steps)], gone)
	var log bytes.Buffer
	result, err := replayer.Play(ctx, browsertest.Page(t, ""), &failing, &replayer.Options{
		Values: values, Commit: replayer.AllowCommits, Timeout: patience / 4,
		Logger: slog.New(slog.NewTextHandler(&log, &slog.HandlerOptions{Level: slog.LevelDebug})),
		OnStep: func(r replayer.StepResult) { all.json("a step of the run", r) },
	})
	var failed *replayer.Error
	if !errors.As(err, &failed) || failed.Step != len(a.Steps) {
		t.Errorf("the run gave %v, want it to fail at its last step", err)
	}
	all.note("the error of the run", err)
	all.json("the error of the run", err)
	all.json("the result of the run", result)
	all.note("the log of the run", log.String())
}

// gone is a step on what is not there.
var gone = func() automation.Step {
	var step automation.Step
	if err := json.Unmarshal([]byte(`{"tool": "click", "selector": "#not-there", "timeout": "100ms"}`), &step); err != nil {
		panic(err)
	}
	return step
}()
