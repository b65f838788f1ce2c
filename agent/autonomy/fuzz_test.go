package autonomy_test

import (
	"testing"
	"unicode/utf8"

	"github.com/go-reprise/reprise/agent/autonomy"
)

func FuzzJudge(f *testing.F) {
	for _, l := range regressionSet(f) {
		f.Add(l.Text, l.Context, l.HasToolCalls)
	}
	for _, piece := range hostile {
		f.Add(piece+"Shall I?"+piece, piece, false)
	}
	a := analyzer(f)
	f.Fuzz(func(t *testing.T, text, task string, tools bool) {
		answer := autonomy.Answer{Text: text, Task: task}
		if tools {
			answer.ToolCalls = []string{"x"}
		}
		v := a.Judge(answer)
		if !(v.Confidence >= 0 && v.Confidence <= 1) || v.Asking != (v.Confidence >= autonomy.DefaultThreshold) {
			t.Errorf("%+v", v)
		}
		for _, r := range v.Reasons {
			if r.Span.Start < 0 || r.Span.Start >= r.Span.End || r.Span.End > len(text) {
				t.Errorf("%+v is not within %d bytes", r, len(text))
			} else if utf8.ValidString(text) && !utf8.ValidString(text[r.Span.Start:r.Span.End]) {
				t.Errorf("%+v cuts a letter of %q", r, text)
			}
		}
		if utf8.ValidString(text) && !utf8.ValidString(v.Likely) {
			t.Errorf("%q is cut in a letter", v.Likely)
		}
	})
}

func FuzzParseSettings(f *testing.F) {
	f.Add([]byte("human_in_loop: {detection: {threshold: 0.9, patterns: {ask: [a]}}}"))
	f.Add([]byte("human_in_loop: {prevention: &a {keep_messages: 3}, recovery: *a}"))
	f.Add([]byte("{<<: {}}"))
	f.Fuzz(func(t *testing.T, data []byte) {
		s, err := autonomy.ParseSettings(data)
		if err != nil {
			return
		}
		if _, err := autonomy.New(autonomy.Task{}, s, nil); err != nil {
			t.Errorf("what was read cannot be used: %v", err)
		}
	})
}

func FuzzReadTranscript(f *testing.F) {
	f.Add([]byte(`{"role": "assistant", "content": [{"type": "text", "text": "a"}], "tool_calls": ["x"]}`))
	f.Fuzz(func(t *testing.T, data []byte) {
		messages, err := autonomy.ReadTranscript(data)
		if err == nil && autonomy.IsTranscript(data) && len(messages) == 0 {
			t.Error("a transcript without messages")
		}
	})
}
