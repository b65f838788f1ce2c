package recorder

import (
	"slices"

	"github.com/go-reprise/reprise/automation"
	"github.com/go-reprise/reprise/internal/redact"
)

// answered notes a dialog as the consequence of the last step of its page, and has
// it answered as it was: by a step before that one, as a page waits for the answer.
func (m *merger) answered(e event) {
	i := m.lastActIn(e.page)
	leaving := e.dialog == "beforeunload"
	if i < 0 || leaving && (e.accepted || !m.entries[i].acts()) {
		return // a page may be left anyway
	}
	en := &m.entries[i]
	en.step.Expect = append(slices.Clone(en.step.Expect), automation.Expectation{Kind: "dialog", Method: e.dialog})
	if e.accepted && automation.SaysCommit(e.asks) {
		en.submit = e.asks
	}
	m.changed(Update, i)
	if e.dialog != "alert" {
		m.insert(i, entry{step: m.answer(e)})
	}
}

func asksForSecret(message string) bool { return firstFit(secretsByWords, message, "") != "" }

// hideAnswer has no document quote what repeats a secret answer: it was typed into no
// field that they know.
func (in *intake) hideAnswer(h heard) {
	hashes := redact.NewWithKey(in.recording.Secrets, h.answer.Text).Hashes()
	h.asked.Spread(hashes)
	in.emit(event{kind: learned, hashes: hashes})
}

// lastActIn is the index of the last step that did something in a page.
func (m *merger) lastActIn(page string) int {
	for i, en := range slices.Backward(m.entries) {
		if en.step.Page == page && en.step.Tool != "waitForNav" && en.step.Tool != "dialog" {
			return i
		}
	}
	return -1
}

// answer is the step that answers a dialog. What it asks for says whether what was
// typed is a secret.
func (m *merger) answer(e event) automation.Step {
	step := automation.Step{Tool: "dialog", Page: e.page, Args: []byte(`{"accept":false}`)}
	if e.accepted {
		step.Args = []byte(`{"accept":true}`)
	}
	if !e.accepted || e.dialog != "prompt" {
		return step
	}
	typed := event{el: &element{id: "prompt " + e.page + " " + e.asks, label: e.asks, inputType: "text"}, value: e.value}
	if e.secret || asksForSecret(e.asks) {
		typed.secret, typed.value = true, ""
	}
	whole := e.whole
	if whole == 0 && typed.secret && e.value != "" {
		whole = m.secrets.key.Whole(e.value)
	}
	if i, known := m.secrets.variable[whole]; known && whole != 0 {
		m.names.byField[typed.el.id] = i
	}
	step.Value = m.names.value(typed)
	if i, known := m.names.byField[typed.el.id]; known && whole != 0 && typed.secret {
		m.secrets.variable[whole] = i
	}
	return step
}
