package exchange_test

import (
	"errors"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/go-reprise/reprise/automation"
	"github.com/go-reprise/reprise/automation/exchange"
)

var update = flag.Bool("update", false, "write the golden files again")

// golden compares with a file under testdata/golden.
func golden(t *testing.T, name, got string) {
	t.Helper()
	file := filepath.Join("testdata", "golden", name)
	if *update {
		if err := os.WriteFile(file, []byte(got), 0o600); err != nil {
			t.Fatal(err)
		}
		return
	}
	want, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(string(want), got); diff != "" {
		t.Errorf("%s (-want +got):\n%s", file, diff)
	}
}

// sample reads a file of testdata, with its site in it.
func sample(t *testing.T, name, site string) []byte {
	t.Helper()
	text, err := os.ReadFile(filepath.Join("testdata", name))
	if err != nil {
		t.Fatal(err)
	}
	return []byte(strings.ReplaceAll(string(text), "$SITE", site))
}

// samples are recordings of other tools. The order and the sign-in of Playwright are
// its recorder's own; testdata/tools/record.mjs makes them again.
var samples = []struct {
	file   string
	format exchange.Format
	test   string
}{
	{"chrome-signin.json", exchange.Chrome, ""},
	{"chrome-everything.json", exchange.Chrome, ""},
	{"selenium.side", exchange.Side, ""},
	{"selenium.side", exchange.Side, "everything"},
	{"playwright-order.jsonl", exchange.JSONL, ""},
	{"playwright-signin.jsonl", exchange.JSONL, ""},
	{"playwright-everything.jsonl", exchange.JSONL, ""},
}

const anySite = "https://shop.example.com"

func TestRecordingsOfOtherToolsBecomeDocuments(t *testing.T) {
	t.Parallel()
	for _, s := range samples {
		t.Run(s.file+s.test, func(t *testing.T) {
			t.Parallel()
			data := sample(t, s.file, anySite)
			if got := exchange.Detect(data); got != s.format {
				t.Errorf("it is taken for %q, want %q", got, s.format)
			}
			a, report, err := exchange.Import(data, &exchange.ImportOptions{Test: s.test})
			if err != nil {
				t.Fatal(err)
			}
			text, err := automation.Marshal(a)
			if err != nil {
				t.Fatal(err)
			}
			if _, err := automation.Parse(text); err != nil {
				t.Errorf("what was made cannot be read: %v", err)
			}
			golden(t, strings.TrimSuffix(s.file+"-"+s.test, "-")+".golden", string(text)+"\n"+told(report))
		})
	}
}

func told(report exchange.Report) string {
	var b strings.Builder
	for _, loss := range report {
		fmt.Fprintf(&b, "%s: %s\n", loss.Kind, loss)
	}
	return b.String()
}

func TestNoSecretOfARecordingIsKept(t *testing.T) {
	t.Parallel()
	// Each of the secrets stands in one of the samples, typed, repeated in a text that
	// is looked for, or in an address.
	secrets := []string{
		"analytical-engine-1843", "4111111111111111", "4111 1111 1111 1111", "eyJhbGciOiJIUzI1NiJ9", "hunter2-hunter2", "sk_live_", "914027",
		"ada@example.com", "grace@example.com",
	}
	for _, s := range samples {
		data := sample(t, s.file, anySite)
		a, report, err := exchange.Import(data, &exchange.ImportOptions{Test: s.test})
		if err != nil {
			t.Fatal(err)
		}
		text, err := automation.Marshal(a)
		if err != nil {
			t.Fatal(err)
		}
		for _, secret := range secrets {
			if strings.Contains(string(text), secret) {
				t.Errorf("%s: %q is in the document:\n%s", s.file, secret, text)
			}
			if strings.Contains(told(report), secret) {
				t.Errorf("%s: %q is in the report", s.file, secret)
			}
		}
	}
}

func TestWhatCannotBeReadIsToldWithFileAndStep(t *testing.T) {
	t.Parallel()
	many := `{"title":"x","steps":[` + strings.Repeat(`{"type":"close"},`, 6000) + `{"type":"close"}]}`
	loop := `{"url":"https://a.example.com","tests":[{"name":"a","commands":[{"command":"run","target":"a"}]}]}`
	for name, test := range map[string]struct {
		data     string
		sentinel error
		step     int
		says     string
	}{
		"nothing":                  {"", exchange.ErrFormat, -1, "neither"},
		"something else":           {`{"a":1}`, exchange.ErrFormat, -1, "neither"},
		"a document of our own":    {`{"format":1,"steps":[]}`, exchange.ErrFormat, -1, "neither"},
		"too many bytes":           {strings.Repeat(" ", exchange.MaxSize+1), exchange.ErrTooLarge, -1, "bytes"},
		"too many steps":           {many, exchange.ErrTooLarge, -1, "6001 steps"},
		"a test that runs itself":  {loop, exchange.ErrTooLarge, 0, "deep"},
		"too many values":          {typing(201), exchange.ErrTooLarge, -1, "201 values"},
		"no steps":                 {`{"title":"x","steps":[]}`, exchange.ErrNothing, -1, "no step"},
		"no address":               {`{"title":"x","steps":[{"type":"click","selectors":[["#a"]],"offsetX":1,"offsetY":1}]}`, exchange.ErrNothing, -1, "no address"},
		"a step of another shape":  {`{"title":"x","steps":[{"type":"close"},{"type":"click","selectors":7}]}`, nil, 1, "not a step"},
		"a step without type":      {`{"title":"x","steps":[{}]}`, nil, 0, "no type"},
		"a line that is no action": {`{"browserName":"chromium"}` + "\n{", nil, 1, "not an action"},
		"no tests":                 {`{"tests":[]}`, exchange.ErrNothing, -1, "no test"},
	} {
		_, _, err := exchange.Import([]byte(test.data), &exchange.ImportOptions{File: "flow.json"})
		var e *exchange.Error
		if !errors.As(err, &e) {
			t.Errorf("%s: the error is %v, want an *exchange.Error", name, err)
			continue
		}
		if test.sentinel != nil && !errors.Is(err, test.sentinel) {
			t.Errorf("%s: %v is not %v", name, err, test.sentinel)
		}
		if e.Step != test.step || !strings.HasPrefix(err.Error(), "flow.json: ") || !strings.Contains(err.Error(), test.says) {
			t.Errorf("%s: %q at step %d, want step %d and %q", name, err, e.Step, test.step, test.says)
		}
	}
}

// typing is a recording that types so many passwords.
func typing(passwords int) string {
	var b strings.Builder
	for i := range passwords {
		fmt.Fprintf(&b, `{"type":"change","selectors":[["#password"]],"value":"hunter%d"},`, i)
	}
	return `{"title":"x","steps":[` + b.String() + `{"type":"navigate","url":"https://a.example.com/"}]}`
}

func TestScriptsOfAFileAreNeverTakenOver(t *testing.T) {
	t.Parallel()
	for _, data := range []string{
		`{"title":"x","steps":[{"type":"navigate","url":"https://a.example.com/"},{"type":"waitForExpression","expression":"steal()"}]}`,
		`{"title":"x","steps":[{"type":"navigate","url":"https://a.example.com/"},{"type":"navigate","url":"javascript:steal()"}]}`,
		`{"title":"x","steps":[{"type":"navigate","url":"https://a.example.com/"},{"type":"customStep","name":"reprise","parameters":{"step":{"tool":"own.steal","args":{"a":1}}}}]}`,
		`{"url":"https://a.example.com","tests":[{"name":"a","commands":[{"command":"open","target":"/"},{"command":"executeScript","target":"steal()"},{"command":"runScript","target":"steal()"}]}]}`,
	} {
		a, report, err := exchange.Import([]byte(data), nil)
		if err != nil {
			t.Fatal(err)
		}
		text, err := automation.Marshal(a)
		if err != nil {
			t.Fatal(err)
		}
		if strings.Contains(string(text), "steal") || len(a.Steps) != 1 || len(report) == 0 {
			t.Errorf("%s\nbecame %s\nand was told as %v", data, text, report)
		}
	}
}

func TestWhatAStoreWouldRefuseIsLeftOut(t *testing.T) {
	t.Parallel()
	data := `{"title":"For ada@example.com","steps":[
		{"type":"navigate","url":"https://a.example.com/"},
		{"type":"click","selectors":[["text/ada@example.com"]],"offsetX":1,"offsetY":1},
		{"type":"click","selectors":[["#go"]],"offsetX":1,"offsetY":1},
		{"type":"customStep","name":"reprise","parameters":{"step":{"tool":"click","selector":"text/4111 1111 1111 1111","x":{"public":"it is none"}}}}]}`
	a, report, err := exchange.Import([]byte(data), &exchange.ImportOptions{Account: "ada"})
	if err != nil {
		t.Fatal(err)
	}
	if err := a.CheckSecrets(); err != nil {
		t.Error(err)
	}
	if len(a.Steps) != 2 || a.Steps[1].Selector.String() != "#go" || a.Description != "" {
		t.Errorf("%d steps and the description %q are left, want the first and the third and none", len(a.Steps), a.Description)
	}
	if len(report) < 2 {
		t.Errorf("what is left out is not told: %s", told(report))
	}
}

func TestMetadataAddressesAreNotTakenOver(t *testing.T) {
	t.Parallel()
	a, report, err := exchange.Import([]byte(`{"title":"x","steps":[{"type":"navigate","url":"http://169.254.169.254/latest"},{"type":"navigate","url":"https://a.example.com/"},{"type":"navigate","url":"file:///etc/passwd"}]}`), nil)
	if err != nil {
		t.Fatal(err)
	}
	if len(a.Steps) != 1 || a.Steps[0].URL != "https://a.example.com/" || len(report) != 2 {
		t.Errorf("%d steps, to %q; told: %v", len(a.Steps), a.Steps[0].URL, report)
	}
	if diff := cmp.Diff([]string{"a.example.com/*"}, a.Match.URLs); diff != "" {
		t.Errorf("where it may be used (-want +got):\n%s", diff)
	}
}
