package autonomy_test

import (
	"errors"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/go-reprise/reprise/agent/autonomy"
)

func TestTranscriptsOfTheUsualKindsAreRead(t *testing.T) {
	t.Parallel()
	got, err := autonomy.ReadTranscript([]byte(`{"role": "developer", "content": "Be brief."}
{"role": "human", "text": "Go"}

{"role": "assistant", "content": null, "tool_calls": [{"id": "1", "function": {"name": "click", "arguments": "{}"}}, "scroll", {"name": "wait"}]}
{"role": "tool", "content": [{"type": "text", "text": "ok"}]}
{"role": "model", "content": [{"type": "text", "text": "a"}, {"type": "tool_use", "name": "type"}, {"type": "output_text", "text": "b"}]}`))
	if err != nil {
		t.Fatal(err)
	}
	want := []autonomy.Message{
		{Role: autonomy.System, Text: "Be brief."},
		{Role: autonomy.User, Text: "Go"},
		{Role: autonomy.Assistant, ToolCalls: []string{"click", "scroll", "wait"}},
		{Role: autonomy.Tool, Text: "ok"},
		{Role: autonomy.Assistant, Text: "a\n\nb", ToolCalls: []string{"type"}},
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
}

func TestALineThatIsNoMessageIsNamed(t *testing.T) {
	t.Parallel()
	const good = "{\"role\": \"user\", \"content\": \"a\"}\n"
	for _, line := range []string{"x", "[]", `{"content": "a"}`, `{"role": "wizard"}`, `{"role": "user", "content": 3}`, `{"role": "user", "tool_calls": [3]}`} {
		_, err := autonomy.ReadTranscript([]byte(good + line))
		var wrong *autonomy.TranscriptError
		if !errors.As(err, &wrong) || wrong.Line != 2 {
			t.Errorf("%s: %v", line, err)
		}
	}
}

func TestAnAnswerIsNotTakenForATranscript(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]bool{
		"": false, "Shall I?": false, `{"status": "needs input"}`: false, "[1]": false,
		"\n {\"role\": \"user\"}\nx": true,
	} {
		if autonomy.IsTranscript([]byte(text)) != want {
			t.Errorf("%q: %t", text, !want)
		}
	}
}
