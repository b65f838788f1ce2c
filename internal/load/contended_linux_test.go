package load

import (
	"testing"
	"time"
)

func TestThePressureOfTheKernelIsRead(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]time.Duration{
		"some avg10=1.43 avg60=34.68 avg300=68.01 total=20672103635\nfull avg10=0.00 total=0\n": 20672103635 * time.Microsecond,
		"full avg10=0.00 avg60=0.00 avg300=0.00 total=7\n":                                      0,
		"some avg10=0.00 total=many\n":                                                          0,
		"":                                                                                      0,
	} {
		if got := parsePressure([]byte(text)); got != want {
			t.Errorf("%q: %v, want %v", text, got, want)
		}
	}
}
