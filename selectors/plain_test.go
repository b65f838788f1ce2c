package selectors_test

import (
	"testing"

	"github.com/go-reprise/reprise/selectors"
)

func TestEscapesOfCSSAreRead(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		`#\31 23`:                `#123`,
		`#\0000317`:              `#17`,
		`[name="a\"b"]`:          `[name="a"b"]`,
		`.sm\:w-1\/2`:            `.sm:w-1/2`,
		`#\4b \61 \6e a`:         `#Kana`,
		`text/nothing to read`:   `text/nothing to read`,
		`ends in a backslash\`:   `ends in a backslash\`,
		`out of range \ffffffff`: "out of range \uFFFDff",
	} {
		if got := selectors.Plain(text); got != want {
			t.Errorf("%s is read as %q, want %q", text, got, want)
		}
	}
}
