package cli

import (
	"testing"
	"time"
)

func TestAnAgeThatIsTooLongIsRefused(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]time.Duration{"30d": 720 * time.Hour, "2w": 336 * time.Hour, "720h": 720 * time.Hour, "0d": 0} {
		if got, err := parseAge(text); err != nil || got != want {
			t.Errorf("%s is %v, %v; want %v", text, got, err, want)
		}
	}
	for _, text := range []string{"", "d", "-1d", "1.5d", "30", "109802048057794951w", "768614336404564652d", "9999999999999999999999d", "-5h", "36501d"} {
		if got, err := parseAge(text); err == nil {
			t.Errorf("%q is %v", text, got)
		}
	}
}
