package autonomy

import (
	"fmt"
	"maps"
	"slices"
	"strings"
)

// Settings are those of a guard. The zero value holds the defaults.
type Settings struct {
	Mode       Mode // default Log
	Detection  Detection
	Prevention Prevention
	Recovery   Recovery
}

// Mode is what a guard does about an answer that asks.
type Mode string

// The modes.
const (
	Log Mode = "log" // counts and tells, and changes nothing: begin with this one
	Act Mode = "act" // keeps the task in sight, and answers what asks
)

// Detection says how answers are judged.
type Detection struct {
	// Threshold is the confidence from which on an answer is held to ask, above 0
	// and at most 1; default 0.8.
	Threshold float64
	// Patterns are phrases of one's own, by class: ask, wait, offer, addr, polite and
	// so on, as in the files of phrases. They are added to the built-in ones.
	Patterns map[string][]string
}

// Prevention says how a model is kept from asking.
type Prevention struct {
	// NoSystemPrompt leaves out the sentences of SystemPrompt.
	NoSystemPrompt bool
	// ReminderFrequency is after how many messages the task is told again; default 5,
	// never if negative.
	ReminderFrequency int
	// KeepMessages is how many messages of a long history are kept, the latest; all
	// of them by default. The task is always kept.
	KeepMessages int
}

// Recovery says how a model that asks is answered.
type Recovery struct {
	// MaxAttempts is how often in a row it is told to go on; default 3, never if
	// negative.
	MaxAttempts int
}

// The defaults.
const (
	DefaultThreshold         = 0.8 // where precision and recall are about equal on hands that were left out
	DefaultReminderFrequency = 5   // instructions fade after a handful of long results
	DefaultMaxAttempts       = 3   // what was not understood three times will not be the fourth time
)

// SettingsError is a setting that cannot be used.
type SettingsError struct {
	Path   string // as in human_in_loop.detection.threshold
	Reason string
}

func (e *SettingsError) Error() string { return e.Path + ": " + e.Reason }

// root is where the settings stand in a file.
const root = "human_in_loop"

// check finds what cannot be used.
func (s *Settings) check() error {
	switch s.Mode {
	case "", Log, Act:
	default:
		return &SettingsError{root + ".mode", fmt.Sprintf("%q is neither log nor act", s.Mode)}
	}
	if s.Prevention.KeepMessages < 0 {
		return &SettingsError{root + ".prevention.keep_messages", "must not be negative; 0 keeps all"}
	}
	return s.Detection.check()
}

func (d *Detection) check() error {
	const at = root + ".detection"
	if !(d.Threshold >= 0 && d.Threshold <= 1) { // NaN is neither
		return &SettingsError{at + ".threshold", fmt.Sprintf("%v is not between 0 and 1", d.Threshold)}
	}
	for _, name := range slices.Sorted(maps.Keys(d.Patterns)) {
		path := at + ".patterns." + name
		if classNames[name] == 0 {
			return &SettingsError{path, "no such class; there are " + strings.Join(slices.Sorted(maps.Keys(classNames)), ", ")}
		}
		for i, phrase := range d.Patterns[name] {
			if reason := unusable(phrase); reason != "" {
				return &SettingsError{fmt.Sprintf("%s[%d]", path, i), reason}
			}
		}
	}
	return nil
}

// longestPhrase bounds a phrase, and with it the time that a text takes.
const longestPhrase = 100

// unusable says why a phrase cannot be looked for.
func unusable(phrase string) string {
	switch {
	case strings.Trim(phrase, "*^ \t\n|") == "":
		return "has nothing to look for"
	case len(phrase) > longestPhrase:
		return fmt.Sprintf("is longer than %d bytes", longestPhrase)
	}
	return ""
}

func orElse[T comparable](v, usual T) T {
	var zero T
	if v == zero {
		return usual
	}
	return v
}
