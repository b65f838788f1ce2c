package humanize_test

import (
	"math"
	"slices"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/go-reprise/reprise/internal/humanize"
)

// written is what an empty field holds after some keys.
func written(keys []humanize.Key) string {
	var field []rune
	for _, key := range keys {
		switch key.Name {
		case "Backspace":
			field = field[:len(field)-1]
		case "Enter":
			field = append(field, '\n')
		case "Shift":
		default:
			field = append(field, []rune(key.Name)...)
		}
	}
	return string(field)
}

// lines is a text with every end of a line as a field has it.
func lines(text string) string {
	return strings.ReplaceAll(strings.ReplaceAll(text, "\r\n", "\n"), "\r", "\n")
}

// checkKeys holds what is true of every keyboard.
func checkKeys(t interface{ Errorf(string, ...any) }, text string, keys []humanize.Key) {
	if got := written(keys); got != lines(text) {
		t.Errorf("the keys write %q, want %q", got, lines(text))
	}
	up := map[string]time.Duration{}
	for i, key := range keys {
		switch {
		case i > 0 && key.Down <= keys[i-1].Down:
			t.Errorf("key %d %q goes down at %v, not after the one before", i, key.Name, key.Down)
		case key.Insert && key.Up != key.Down || !key.Insert && key.Up <= key.Down:
			t.Errorf("key %d %q goes down at %v and up at %v", i, key.Name, key.Down, key.Up)
		case !key.Insert && up[strings.ToLower(key.Name)] > key.Down:
			t.Errorf("key %d %q goes down while it is down", i, key.Name)
		}
		up[strings.ToLower(key.Name)] = key.Up
	}
	for i, key := range keys {
		if key.Name == "Shift" || key.Insert {
			continue
		}
		held := slices.ContainsFunc(keys, func(s humanize.Key) bool { return s.Name == "Shift" && s.Down < key.Down && s.Up > key.Down })
		if want := len(key.Name) == 1 && strings.Contains(shifted, key.Name); held != want {
			t.Errorf("key %d %q: Shift is held: %v, want %v", i, key.Name, held, want)
		}
	}
}

const shifted = `ABCDEFGHIJKLMNOPQRSTUVWXYZ~!@#$%^&*()_+{}|:"<>?`

func TestTypingWritesAnyText(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		text := rapid.OneOf(rapid.String(), rapid.StringMatching(`[ -~\n]{0,60}`), rapid.StringMatching(`([a-zA-Z]{1,8}[ é]){0,12}`)).Draw(t, "text")
		p := humanize.New(rapid.Uint64().Draw(t, "seed"))
		checkKeys(t, text, p.Type(text))
		exact := p.TypeExactly(text)
		checkKeys(t, text, exact)
		if slices.ContainsFunc(exact, func(k humanize.Key) bool { return k.Name == "Backspace" }) {
			t.Errorf("it was to be typed without a slip: %v", exact)
		}
	})
}

func FuzzTypingWritesAnyText(f *testing.F) {
	f.Add("jobs@gmail.com", uint64(1))
	f.Add("Grüße,\r\nМир 👩‍👩‍👧 e\u0301\t!", uint64(2))
	f.Fuzz(func(t *testing.T, text string, seed uint64) {
		if utf8.ValidString(text) {
			checkKeys(t, text, humanize.New(seed).Type(text))
		}
	})
}

const prose = "the quick brown fox jumps over the lazy dog and then it was told that people who write for a living make their words count "

// habits are what shows of a person when they write a long text.
type habits struct{ gap, hold, overlap, slips, same, other float64 }

func habitsOf(seed uint64) habits {
	keys := humanize.New(seed).Type(strings.Repeat(prose, 10))
	var h habits
	var gaps, holds, same, other []float64
	overlaps := 0
	for i, key := range keys {
		holds = append(holds, float64(key.Up-key.Down)/1e6)
		if key.Name == "Backspace" {
			h.slips++
		}
		if i == 0 {
			continue
		}
		gap := float64(key.Down-keys[i-1].Down) / 1e6
		gaps = append(gaps, gap)
		if keys[i-1].Up > key.Down {
			overlaps++
		}
		switch pair := keys[i-1].Name + key.Name; pair {
		case "ed", "de", "ce", "un", "ju", "ki", "lo", "ol", "gr", "br":
			same = append(same, gap)
		case "th", "he", "an", "wh", "fo", "pe", "ow", "iv":
			other = append(other, gap)
		}
	}
	h.gap, h.hold, h.same, h.other = mean(gaps), mean(holds), mean(same), mean(other)
	h.overlap = float64(overlaps) / float64(len(gaps))
	return h
}

func mean(values []float64) float64 {
	var sum float64
	for _, v := range values {
		sum += v
	}
	return sum / float64(len(values))
}

func deviationOf(values []float64) float64 {
	m, sum := mean(values), 0.0
	for _, v := range values {
		sum += (v - m) * (v - m)
	}
	return math.Sqrt(sum / float64(len(values)))
}

func TestTypingHasThePaceOfPeople(t *testing.T) {
	t.Parallel()
	var gaps, holds, apart, fast, slow, slips []float64
	for seed := range uint64(300) {
		h := habitsOf(seed)
		gaps, holds, apart, slips = append(gaps, h.gap), append(holds, h.hold), append(apart, h.same-h.other), append(slips, h.slips)
		switch {
		case h.gap < 60_000/(75*5):
			fast = append(fast, h.overlap)
		case h.gap > 60_000/(40*5):
			slow = append(slow, h.overlap)
		}
	}
	for _, c := range []struct {
		what      string
		got       float64
		low, high float64
	}{
		{"mean time from key to key, ms (people: 239)", mean(gaps), 210, 270},
		{"its deviation between people, ms (people: 112)", deviationOf(gaps), 60, 150},
		{"mean hold, ms (people: 116)", mean(holds), 105, 127},
		{"its deviation between people, ms (people: 24)", deviationOf(holds), 12, 30},
		{"one finger slower than two hands, ms (people: 80)", mean(apart), 60, 100},
		{"keys that overlap, of fast typists (people: 0.4-0.7)", mean(fast), 0.4, 0.7},
		{"keys that overlap, of slow typists", mean(slow), 0, 0.25},
		{"keys taken back in 1230 (some)", mean(slips), 5, 80},
	} {
		if t.Logf("%-55s %7.2f", c.what, c.got); c.got < c.low || c.got > c.high {
			t.Errorf("%s: %.2f, want %v to %v", c.what, c.got, c.low, c.high)
		}
	}
}

func TestASlipIsALetterBesideTheOneThatWasMeant(t *testing.T) {
	t.Parallel()
	wrong := map[string]bool{}
	for seed := range uint64(400) {
		keys := humanize.New(seed).Type("g")
		if len(keys) == 3 {
			wrong[keys[0].Name] = true
			if keys[1].Name != "Backspace" || keys[2].Name != "g" {
				t.Errorf("a slip was taken back by %v", keys)
			}
		}
	}
	for name := range wrong {
		if !strings.Contains("ftyhbv", name) {
			t.Errorf("%q was pressed for g", name)
		}
	}
	if len(wrong) < 2 {
		t.Errorf("among 400 people these slipped from g: %v", wrong)
	}
}

func TestSlipsAreTakenBackWhole(t *testing.T) {
	t.Parallel()
	text := strings.Repeat(prose, 3)
	longest := 0
	for seed := range uint64(100) {
		keys := humanize.New(seed).Type(text)
		checkKeys(t, text, keys)
		back := 0
		for _, key := range keys {
			if back++; key.Name != "Backspace" {
				back = 0
			}
			longest = max(longest, back)
		}
	}
	if longest < 2 {
		t.Error("no one typed on after a slip")
	}
}

func TestAChordIsHeldAroundItsKey(t *testing.T) {
	t.Parallel()
	keys := humanize.New(3).Chord("k", "Control", "Shift")
	for i, key := range keys {
		if i > 0 && (key.Down <= keys[i-1].Down || key.Up >= keys[i-1].Up) {
			t.Errorf("%s is not held around %s: %v", keys[i-1].Name, key.Name, keys)
		}
	}
	if last := keys[len(keys)-1]; last.Name != "k" || last.Up <= last.Down {
		t.Errorf("the chord is %v", keys)
	}
}

func TestASeedTypesAlikeAndAnotherDoesNot(t *testing.T) {
	t.Parallel()
	if diff := cmp.Diff(humanize.New(5).Type(prose), humanize.New(5).Type(prose)); diff != "" {
		t.Errorf("the same seed (-one +other):\n%s", diff)
	}
	if cmp.Equal(humanize.New(5).Type(prose), humanize.New(6).Type(prose)) {
		t.Error("two seeds typed alike")
	}
}
