package autonomy_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"log/slog"
	"strings"
	"testing"

	"github.com/go-reprise/reprise/agent/autonomy"
)

// says is a model that returns these answers, one after another, and records what it
// was sent.
type says struct {
	answers []string
	sent    [][]autonomy.Message
}

func (s *says) Complete(_ context.Context, history []autonomy.Message) (autonomy.Message, error) {
	s.sent = append(s.sent, history)
	if len(s.answers) == 0 {
		return autonomy.Message{}, errors.New("the model has nothing more to say")
	}
	text := s.answers[0]
	s.answers = s.answers[1:]
	return autonomy.Message{Role: autonomy.Assistant, Text: text}, nil
}

func guarded(t *testing.T, mode autonomy.Mode, answers ...string) (*autonomy.Guard, *says, autonomy.Model) {
	t.Helper()
	g, err := autonomy.New(errand, &autonomy.Settings{Mode: mode}, nil)
	if err != nil {
		t.Fatal(err)
	}
	m := &says{answers: answers}
	return g, m, g.Wrap(m)
}

func TestAWrappedModelGoesOnByItself(t *testing.T) {
	t.Parallel()
	g, m, model := guarded(t, autonomy.Act, "I found it. Shall I put it into the cart?", "It is in the cart.")
	history := talk(1)
	answer, err := model.Complete(t.Context(), history)
	if err != nil || answer.Text != "It is in the cart." || len(history) != 1 {
		t.Fatalf("%+v, %v", answer, err)
	}
	if len(m.sent) != 2 || !m.sent[0][0].Added {
		t.Fatalf("sent: %+v", m.sent)
	}
	last := m.sent[1][len(m.sent[1])-1]
	if last.Role != autonomy.User || !strings.Contains(last.Text, "put it into the cart") {
		t.Errorf("it was told %+v", last)
	}
	s := g.Stats()
	if s.Answers != 2 || s.Asking != 1 || s.Continued != 1 || len(s.Warnings) != 1 || s.Warnings[0].Answer != 1 || s.Features[string(autonomy.Question)] != 1 {
		t.Errorf("%+v", s)
	}
}

func TestAWrappedModelHandsOverWhatIsAPersons(t *testing.T) {
	t.Parallel()
	_, m, model := guarded(t, autonomy.Act, "It is 40 euros. Shall I pay?", "Paid.")
	answer, err := model.Complete(t.Context(), talk(1))
	var needed *autonomy.PersonNeededError
	if !errors.As(err, &needed) || needed.Topic != autonomy.Payment || needed.Question != "Shall I pay?" || len(m.sent) != 1 {
		t.Errorf("%+v, %v", answer, err)
	}
}

func TestAWrappedModelThatKeepsAskingIsStopped(t *testing.T) {
	t.Parallel()
	const asks = "Shall I look for it?"
	_, m, model := guarded(t, autonomy.Act, asks, asks, asks, asks, asks)
	_, err := model.Complete(t.Context(), talk(1))
	var stalled *autonomy.StalledError
	if !errors.As(err, &stalled) || stalled.Attempts != 3 || len(m.sent) != 4 || stalled.Question != asks {
		t.Errorf("after %d calls: %v", len(m.sent), err)
	}
}

func TestTheLogModeChangesNothing(t *testing.T) {
	t.Parallel()
	g, m, model := guarded(t, "", "Shall I look for it?", "Shall I pay?")
	for range 2 {
		if _, err := model.Complete(t.Context(), talk(7)); err != nil {
			t.Fatal(err)
		}
	}
	if len(m.sent) != 2 || len(m.sent[0]) != 7 {
		t.Errorf("sent: %+v", m.sent)
	}
	s := g.Stats()
	if !s.LogOnly || s.Asking != 2 || s.Continued != 1 || s.NeedsPerson != 1 || s.Topics[string(autonomy.Payment)] != 1 {
		t.Errorf("%+v", s)
	}
}

func TestAModelsOwnErrorAndCancellationArePassedOn(t *testing.T) {
	t.Parallel()
	_, _, model := guarded(t, autonomy.Act)
	if _, err := model.Complete(t.Context(), talk(1)); err == nil || !strings.Contains(err.Error(), "nothing more to say") {
		t.Errorf("%v", err)
	}
	ctx, cancel := context.WithCancelCause(t.Context())
	gone := errors.New("gone")
	cancel(gone)
	if _, err := model.Complete(ctx, talk(1)); !errors.Is(err, gone) {
		t.Errorf("%v", err)
	}
}

func TestNothingThatWasSaidIsLoggedOrCounted(t *testing.T) {
	t.Parallel()
	const canary = "canary4711"
	var log bytes.Buffer
	g, err := autonomy.New(errand, nil, &autonomy.Options{Logger: slog.New(slog.NewTextHandler(&log, nil))})
	if err != nil {
		t.Fatal(err)
	}
	d, err := g.After(t.Context(), nil, autonomy.Message{Role: autonomy.Assistant, Text: "Shall I type " + canary + "?"})
	if err != nil || d.Response.Action != autonomy.Pass || d.Would.Action == autonomy.Pass {
		t.Fatalf("%+v, %v", d, err)
	}
	stats, err := json.Marshal(g.Stats())
	if err != nil {
		t.Fatal(err)
	}
	if !strings.Contains(log.String(), "asks a person") || strings.Contains(log.String()+string(stats), canary) {
		t.Errorf("%s\n%s", log.String(), stats)
	}
}

func TestAReportKeepsTheFirstWarningsAndCountsTheRest(t *testing.T) {
	t.Parallel()
	g, _, _ := guarded(t, autonomy.Log)
	for range 150 {
		if _, err := g.After(t.Context(), nil, autonomy.Message{Text: "Which one do you want?"}); err != nil {
			t.Fatal(err)
		}
	}
	if s := g.Stats(); s.Asking != 150 || len(s.Warnings) != 100 {
		t.Errorf("%d asked, %d warnings", s.Asking, len(s.Warnings))
	}
}
