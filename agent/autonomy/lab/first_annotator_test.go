package lab

import (
	"flag"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/go-reprise/reprise/agent/autonomy/internal/detect"
)

var showMisses = flag.Bool("misses", false, "log what goes wrong in the part of the first corpus that is for tuning")

// part is the third of the corpus that is held out, or the rest of it.
func part(t testing.TB, held bool) []labelled {
	t.Helper()
	return slices.DeleteFunc(read(t, "corpus"), func(l labelled) bool { return wasHeldOut(l.ID) != held })
}

// tunedOn is what the phrases are tuned on. The third that was held out is spent:
// there are others by other annotators.
func tunedOn(t testing.TB) []labelled {
	t.Helper()
	all := read(t, "corpus")
	all = append(all, read(t, "later")...)
	return append(all, read(t, "tuning")...)
}

// go test -run TestWhatIsTunedOn -misses -v
func TestWhatIsTunedOnIsJudgedRight(t *testing.T) {
	t.Parallel()
	d := detect.New(nil)
	var c tally
	for _, l := range tunedOn(t) {
		r := d.Detect(l.answer())
		c.take(&l, r)
		if asks(r) != l.Asking && *showMisses {
			t.Logf("%s %s asking %t, confidence %.2f, %v\n%s", l.ID, l.Kind, l.Asking, r.Confidence, r.Reasons, l.Text)
		}
	}
	t.Log(c)
	const least = 0.97
	if float64(c.found) < least*float64(c.found+c.wrong) || float64(c.found) < least*float64(c.found+c.missed) {
		t.Errorf("less than %.2f: %v", least, c)
	}
}

func TestWhatWouldBeDoneIsNamedWhereTheAnswerOffersIt(t *testing.T) {
	t.Parallel()
	d := detect.New(nil)
	named, all := 0, 0
	for _, l := range read(t, "corpus") {
		if l.Likely == "" || wasHeldOut(l.ID) {
			continue
		}
		all++
		r := d.Detect(l.answer())
		if sharesAWord(r.Likely, l.Likely) {
			named++
		} else if *showMisses {
			t.Logf("%s: %q, labelled %q\n%s", l.ID, r.Likely, l.Likely, l.Text)
		}
	}
	t.Logf("%d of %d", named, all)
	if named*2 < all {
		t.Errorf("of %d answers that offer something only %d are said to", all, named)
	}
}

// sharesAWord looks for one of four letters or more.
func sharesAWord(a, b string) bool {
	for _, word := range strings.Fields(strings.ToLower(b)) {
		if len(word) > 3 && strings.Contains(strings.ToLower(a), word) {
			return true
		}
	}
	return false
}

// A topic that is missed may spend the user's money, so the net is wide.
func TestWhatOnlyAPersonMaySettleIsSeenAsThat(t *testing.T) {
	t.Parallel()
	d := detect.New(nil)
	for _, held := range []bool{false, true} {
		var seen, needed, wrongly, others int
		for _, l := range part(t, held) {
			r := d.Detect(l.answer())
			switch found := r.Topic != detect.None; {
			case !l.Asking:
			case l.Topic != "none":
				needed++
				seen += one(found)
			default:
				others++
				wrongly += one(found)
			}
		}
		t.Logf("held out %t: %d of %d that need a person are seen, and %d of %d others taken for such", held, seen, needed, wrongly, others)
		if least := map[bool]int{false: needed, true: topicsHeld}[held]; seen < least {
			t.Errorf("held out %t: only %d of %d that need a person are seen, it was %d", held, seen, needed, least)
		}
		if 10*wrongly > 2*others {
			t.Errorf("held out %t: %d of %d others are taken for what needs a person", held, wrongly, others)
		}
	}
}

// topicsHeld is what was measured on the part held out.
const topicsHeld = 26 // of 29

func one(yes bool) int {
	if yes {
		return 1
	}
	return 0
}

// An agent that has worked for an hour reports for pages before it asks.
func TestALongReportIsJudgedByWhatAsksAtItsEnd(t *testing.T) {
	t.Parallel()
	d := detect.New(nil)
	for language, question := range map[string]string{
		"en": "Which of the two accounts should I book it to? I'll finish as soon as I know.",
		"de": "Auf welches der beiden Konten soll ich es buchen? Sobald ich das weiß, mache ich weiter.",
		"fr": "Sur lequel des deux comptes dois-je l'imputer ? Je termine dès que je le sais.",
		"es": "¿En cuál de las dos cuentas lo apunto? En cuanto lo sepa, termino.",
		"ru": "Подскажите, на какой из двух счетов это записать? Как только узнаю, закончу.",
		"zh": "请问应该记到哪个账户？您确认后我再继续。",
	} {
		report := reportsIn(t, language, 6<<10)
		for size := 500; size < len(report); size *= 2 {
			text := strings.ToValidUTF8(report[:size], "")
			text = text[:strings.LastIndex(text, "\n\n")+1]
			if r := d.Detect(detect.Answer{Text: text}); asks(r) {
				t.Errorf("%s: a report of %d bytes is said to ask, %.2f: %+v", language, len(text), r.Confidence, r.Reasons)
			}
			if r := d.Detect(detect.Answer{Text: text + "\n" + question}); !asks(r) {
				t.Errorf("%s: after %d bytes it is not seen to ask, %.2f: %+v", language, len(text), r.Confidence, r.Reasons)
			}
		}
	}
}

// Answers of 4 kB that are prose throughout, of reports in one language.
func BenchmarkJudge4kBOfProse(b *testing.B) {
	for _, language := range []string{"en", "de", "fr", "pl", "ru", "ar", "hi", "zh", "ja", "ko"} {
		b.Run(language, func(b *testing.B) { benchmark(b, reportsIn(b, language, 4<<10)) })
	}
}

// reportsIn are answers that do not ask, one after the other.
func reportsIn(tb testing.TB, language string, size int) string {
	var all strings.Builder
	for all.Len() < size {
		before := all.Len()
		for _, l := range read(tb, "corpus") {
			if l.Lang == language && !l.Asking && l.Context == "" {
				all.WriteString(l.Text + "\n\n")
			}
		}
		if all.Len() == before {
			tb.Fatal("no reports in", language)
		}
	}
	return strings.ToValidUTF8(all.String()[:size], "")
}

func benchmark(b *testing.B, text string) {
	d := detect.New(nil)
	b.SetBytes(int64(len(text)))
	start := spent()
	for b.Loop() {
		d.Detect(detect.Answer{Text: text})
	}
	b.ReportMetric(float64(spent()-start)/float64(b.N), "cpu-ns/op") // whatever else the machine does
}

func spent() time.Duration {
	var used syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &used); err != nil {
		return 0
	}
	return time.Duration(used.Utime.Nano() + used.Stime.Nano())
}
