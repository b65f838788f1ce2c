package autonomy

import "fmt"

// Detection says how answers are judged.
type Detection struct {
	// Threshold is the confidence from which on an answer is held to ask; default 0.8.
	Threshold float64 `yaml:"threshold"`
	// Patterns are phrases of one's own, by class: ask, wait, offer, addr, polite, …
	Patterns map[string][]string `yaml:"patterns"`
}

// DefaultThreshold is the confidence from which on an answer is held to ask.
const DefaultThreshold = 0.8

func orElse[T comparable](v, d T) T {
	var zero T
	if v == zero {
		return d
	}
	return v
}

func (d *Detection) check(path string) error {
	for name := range d.Patterns {
		if classNames[name] == 0 {
			return fmt.Errorf("%s.patterns.%s", path, name)
		}
	}
	return nil
}
