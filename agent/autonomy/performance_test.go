package autonomy_test

import (
	"strings"
	"syscall"
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

func benchmark(b *testing.B, text string) {
	a := analyzer(b)
	b.SetBytes(int64(len(text)))
	start := spent()
	for b.Loop() {
		a.Judge(autonomy.Answer{Text: text})
	}
	b.ReportMetric(float64(spent()-start)/float64(b.N), "cpu-ns/op") // whatever else the machine does
}

// Texts that make careless scanners slow: what opens and never closes, what might
// begin a phrase at every place.
var hostile = map[string]string{
	"questions":     "?",
	"spaced":        "? ",
	"which":         "Which or what? ",
	"lists":         "- two options\n",
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
	"Greek marks":   "ω;",
	"other tags":    "<a",
	"phrases":       "let me know how you let me know how ",
	"letters":       "Dear a,\n",
	"addresses":     "a://",
	"korean":        "까",
	"invalid":       "\xff\xe2\x80",
	"points":        ". ",
	"options":       "1. ",
	"russian":       russian,
	"usual":         answerOf(1 << 10),
}

const russian = "Отчёт готов и отправлен всем участникам. Почему страница не открывалась? "

// It is not parallel, so that the time of the process is that of what is measured.
func TestNoTextTakesLongerThanItsLengthAllows(t *testing.T) {
	a := analyzer(t)
	for name, piece := range hostile {
		small, large := strings.Repeat(piece, 1<<16/len(piece)), strings.Repeat(piece, 1<<20/len(piece))
		first, second := timeOf(a, small), timeOf(a, large)
		for range 4 {
			if second > enough && float64(second) > maxRatio*float64(first) {
				second = min(second, timeOf(a, large)) // what it took is the least that it takes
			}
		}
		ratio := float64(second) / float64(first)
		t.Logf("%-14s 64 kB %8v, 1 MB %8v, ratio %.1f", name, first, second, ratio)
		if ratio > maxRatio && second > enough {
			t.Errorf("%s: 16 times the text takes %.0f times as long, %v", name, ratio, second)
		}
	}
}

const (
	maxRatio = 60 // 16 is linear, 256 is quadratic; caches lie between
	enough   = 100 * time.Millisecond
)

// timeOf is what the processor spent, the best of three: a busy machine takes
// nothing of that.
func timeOf(a *autonomy.Analyzer, text string) time.Duration {
	best := time.Hour
	for range 3 {
		start := spent()
		a.Judge(autonomy.Answer{Text: text})
		best = min(best, spent()-start)
	}
	return max(best, 100*time.Microsecond)
}

func spent() time.Duration {
	var used syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &used); err != nil {
		return 0
	}
	return time.Duration(used.Utime.Nano() + used.Stime.Nano())
}
