package autonomy_test

import (
	"errors"
	"math"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/go-reprise/reprise/agent/autonomy"
)

func TestSettingsAreReadFromYAML(t *testing.T) {
	t.Parallel()
	got, err := autonomy.ParseSettings([]byte(`
human_in_loop:
  mode: act
  detection:
    threshold: 0.9
    patterns: {ask: [over and out], polite: [ciao, "bye*"]}
  prevention: {reminder_frequency: 7, keep_messages: 40, no_system_prompt: true}
  recovery: {max_attempts: 2}
`))
	if err != nil {
		t.Fatal(err)
	}
	want := &autonomy.Settings{
		Mode:       autonomy.Act,
		Detection:  autonomy.Detection{Threshold: 0.9, Patterns: map[string][]string{"ask": {"over and out"}, "polite": {"ciao", "bye*"}}},
		Prevention: autonomy.Prevention{ReminderFrequency: 7, KeepMessages: 40, NoSystemPrompt: true},
		Recovery:   autonomy.Recovery{MaxAttempts: 2},
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
}

func TestNoSettingsAreTheDefaults(t *testing.T) {
	t.Parallel()
	for _, text := range []string{"", "# nothing", "human_in_loop:", "human_in_loop: {}", "human_in_loop: {detection: }"} {
		got, err := autonomy.ParseSettings([]byte(text))
		if err != nil {
			t.Errorf("%q: %v", text, err)
		} else if diff := cmp.Diff(&autonomy.Settings{}, got); diff != "" {
			t.Errorf("%q: %s", text, diff)
		}
	}
}

func TestAWrongSettingIsNamedByItsPath(t *testing.T) {
	t.Parallel()
	for text, path := range map[string]string{
		"human_in_lop: {}":             "human_in_lop",
		"human_in_loop: 3":             "human_in_loop",
		"- a":                          "human_in_loop",
		"human_in_loop: {mode: loud}":  "human_in_loop.mode",
		"human_in_loop: {mode: [log]}": "human_in_loop.mode",
		"human_in_loop: {detection: {treshold: 1}}":                     "human_in_loop.detection.treshold",
		"human_in_loop: {detection: {threshold: 1.1}}":                  "human_in_loop.detection.threshold",
		"human_in_loop: {detection: {threshold: .nan}}":                 "human_in_loop.detection.threshold",
		"human_in_loop: {detection: {threshold: high}}":                 "human_in_loop.detection.threshold",
		"human_in_loop: {detection: {patterns: {asks: [a]}}}":           "human_in_loop.detection.patterns.asks",
		"human_in_loop: {detection: {patterns: {ask: a}}}":              "human_in_loop.detection.patterns.ask",
		"human_in_loop: {detection: {patterns: {ask: [a, '*']}}}":       "human_in_loop.detection.patterns.ask[1]",
		"human_in_loop: {detection: {patterns: {ask: [{}]}}}":           "human_in_loop.detection.patterns.ask[0]",
		"human_in_loop: {prevention: {reminder_frequency: 2.5}}":        "human_in_loop.prevention.reminder_frequency",
		"human_in_loop: {prevention: {keep_messages: -1}}":              "human_in_loop.prevention.keep_messages",
		"human_in_loop: {recovery: {max_attempts: many}}":               "human_in_loop.recovery.max_attempts",
		"human_in_loop: {recovery: {max_attempts: 1, max_attempts: 2}}": "human_in_loop.recovery.max_attempts",
		"human_in_loop: {recovery: [1]}":                                "human_in_loop.recovery",
		"human_in_loop: {}\n---\nhuman_in_loop: {}":                     "human_in_loop",
		"human_in_loop: {detection: &a {threshold: 1}, recovery: *a}":   "human_in_loop.recovery",
		"a: [": "human_in_loop",
		"human_in_loop: {detection: {patterns: {ask: ['" + strings.Repeat("a", 101) + "']}}}": "human_in_loop.detection.patterns.ask[0]",
	} {
		_, err := autonomy.ParseSettings([]byte(text))
		var wrong *autonomy.SettingsError
		if !errors.As(err, &wrong) || wrong.Path != path {
			t.Errorf("%s: %v, not an error of %s", text, err, path)
		}
	}
}

func TestAGuardRefusesSettingsThatCannotBe(t *testing.T) {
	t.Parallel()
	for path, s := range map[string]*autonomy.Settings{
		"human_in_loop.mode":                     {Mode: "loud"},
		"human_in_loop.detection.threshold":      {Detection: autonomy.Detection{Threshold: math.NaN()}},
		"human_in_loop.detection.patterns.x":     {Detection: autonomy.Detection{Patterns: map[string][]string{"x": {"y"}}}},
		"human_in_loop.prevention.keep_messages": {Prevention: autonomy.Prevention{KeepMessages: -1}},
	} {
		var wrong *autonomy.SettingsError
		if _, err := autonomy.New(autonomy.Task{}, s, nil); !errors.As(err, &wrong) || wrong.Path != path {
			t.Errorf("%v, not an error of %s", err, path)
		}
	}
}
