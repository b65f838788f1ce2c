package exchange_test

import (
	"errors"
	"os"
	"path/filepath"
	"testing"

	"github.com/go-reprise/reprise/automation"
	"github.com/go-reprise/reprise/automation/exchange"
)

// fuzzImport holds whatever is read to what is promised: an error of our own, or a
// document that is valid, holds no secret, and can be written in each form.
func fuzzImport(f *testing.F, format exchange.Format, pattern string) {
	files, err := filepath.Glob(filepath.Join("testdata", pattern))
	if err != nil || len(files) == 0 {
		f.Fatalf("no samples: %v", err)
	}
	for _, file := range files {
		data, err := os.ReadFile(file)
		if err != nil {
			f.Fatal(err)
		}
		f.Add(data)
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		a, _, err := exchange.Import(data, &exchange.ImportOptions{Format: format, URLs: []string{"example.com"}})
		if err != nil {
			var e *exchange.Error
			if !errors.As(err, &e) || e.Error() == "" {
				t.Fatalf("the error is %#v, want an *exchange.Error", err)
			}
			return
		}
		if err := a.Validate(); err != nil {
			t.Fatalf("it is not valid: %v", err)
		}
		if err := a.CheckSecrets(); err != nil {
			t.Fatal(err)
		}
		for _, to := range exchange.Writable() {
			text, _, err := exchange.Export(a, to, nil)
			if err != nil {
				t.Fatalf("as %s: %v", to, err)
			}
			if to == exchange.Go || to == exchange.Playwright {
				continue
			}
			back, _, err := exchange.Import(text, &exchange.ImportOptions{Format: to, URLs: []string{"example.com"}})
			if errors.Is(err, exchange.ErrNothing) {
				continue // there was no room for any of its steps
			}
			if err != nil {
				t.Fatalf("written as %s it cannot be read: %v\n%s", to, err, text)
			}
			if _, err := automation.Marshal(back); err != nil {
				t.Fatal(err)
			}
		}
	})
}

func FuzzChrome(f *testing.F) { fuzzImport(f, exchange.Chrome, "*.json") }
func FuzzSide(f *testing.F)   { fuzzImport(f, exchange.Side, "*.side") }
func FuzzJSONL(f *testing.F)  { fuzzImport(f, exchange.JSONL, "*.jsonl") }
