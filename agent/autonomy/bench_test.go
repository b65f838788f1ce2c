package autonomy_test

import (
	"strings"
	"testing"
	"time"

	"github.com/go-reprise/reprise/agent/autonomy"
)

// usual is an answer of 4 kB as agents write them.
var usual = answerOf(4 << 10)

func answerOf(size int) string {
	const part = `## Step 3: the importer

I opened the settings, read the "Import" page and compared it with the file from March.
The column ` + "`customer_id`" + ` is missing in 318 rows; these were skipped by the old version, too.

- Rows read: 12,204
- Rows kept: 11,886

` + "```sh\nimport --dry-run march.csv # really?\n```" + `

> Should we drop them? (Priya, 10:02)

Why were they skipped? Because the export has two headers. I took the second one away, and next
I run the import again with the same options as before.

`
	s := strings.Repeat(part, size/len(part)+1)
	const last = "\n\nShall I write the result to the staging database?"
	return s[:size-len(last)] + last
}

func BenchmarkJudge4kB(b *testing.B) { benchmark(b, usual) }
func BenchmarkJudge1MB(b *testing.B) { benchmark(b, answerOf(1<<20)) }

func BenchmarkJudgeRussian4kB(b *testing.B) {
	benchmark(b, strings.Repeat("Отчёт готов и отправлен всем участникам. Почему страница не открывалась? ", 29))
}

func benchmark(b *testing.B, text string) {
	a := analyzer(b)
	b.SetBytes(int64(len(text)))
	for b.Loop() {
		a.Judge(autonomy.Answer{Text: text})
	}
}

// Texts that make careless scanners slow: what opens and never closes, what might
// begin a phrase at every place.
var hostile = map[string]string{
	"questions":     "?",
	"spaced":        "? ",
	"double quotes": `"`,
	"single quotes": " '",
	"opened quotes": "“",
	"all opened":    "“„«‘「『‹",
	"fences":        "```\n",
	"half fences":   "``` `\n",
	"backticks":     "`",
	"spaces":        " ",
	"line ends":     "\n",
	"tags":          "<thinking>",
	"other tags":    "<a",
	"phrases":       "let me know how you let me know how ",
	"letters":       "Dear a,\n",
	"addresses":     "a://",
	"korean":        "까",
	"invalid":       "\xff\xe2\x80",
	"points":        ". ",
	"options":       "1. ",
}

func TestNoTextTakesLongerThanItsLengthAllows(t *testing.T) {
	a := analyzer(t)
	for name, piece := range hostile {
		small, large := strings.Repeat(piece, 1<<16/len(piece)), strings.Repeat(piece, 1<<20/len(piece))
		first, second := timeOf(a, small), timeOf(a, large)
		ratio := float64(second) / float64(first)
		t.Logf("%-14s 64 kB %8v, 1 MB %8v, ratio %.1f", name, first, second, ratio)
		if ratio > mostRatio && second > enough {
			t.Errorf("%s: 16 times the text takes %.0f times as long, %v", name, ratio, second)
		}
	}
}

const (
	mostRatio = 60 // 16 is linear, 256 is quadratic; caches and a busy machine lie between
	enough    = 300 * time.Millisecond
)

// timeOf is the best of three, since the machine does other things, too.
func timeOf(a *autonomy.Analyzer, text string) time.Duration {
	best := time.Hour
	for range 3 {
		start := time.Now()
		a.Judge(autonomy.Answer{Text: text})
		best = min(best, time.Since(start))
	}
	return max(best, time.Microsecond)
}
