package target_test

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/go-reprise/reprise/internal/target"
)

// ear is a Watcher that remembers what it heard.
type ear struct {
	mu       sync.Mutex
	went     []target.Navigation
	opened   []*target.Page
	dialogs  []target.Dialog
	answers  []string
	messages []report
}

type report struct {
	frame          *target.Frame
	url, Doc, Type string
	Seq            int
}

func watch(t *testing.T, p *target.Page) *ear {
	t.Helper()
	e := &ear{}
	t.Cleanup(p.Watch(e))
	return e
}

func (e *ear) Message(f *target.Frame, url string, payload json.RawMessage) {
	msg := report{frame: f, url: url}
	if json.Unmarshal(payload, &msg) == nil {
		e.note(func() { e.messages = append(e.messages, msg) })
	}
}

func (e *ear) Navigated(_ *target.Frame, n target.Navigation) {
	e.note(func() { e.went = append(e.went, n) })
}

func (e *ear) Opened(p *target.Page) { e.note(func() { e.opened = append(e.opened, p) }) }

func (e *ear) Dialog(_ *target.Page, d target.Dialog) {
	e.note(func() { e.dialogs = append(e.dialogs, d) })
}

func (e *ear) Answered(_ *target.Page, d target.Dialog, a target.Answer) {
	e.note(func() { e.answers = append(e.answers, fmt.Sprint(d.Type, " ", a.Accepted, " ", a.Text)) })
}

func (e *ear) note(f func()) {
	e.mu.Lock()
	defer e.mu.Unlock()
	f()
}

func heard[T any](e *ear, list *[]T) []T {
	e.mu.Lock()
	defer e.mu.Unlock()
	return slices.Clone(*list)
}

func (e *ear) navigations() []target.Navigation { return heard(e, &e.went) }
func (e *ear) popups() []*target.Page           { return heard(e, &e.opened) }

func endsIn(end string) func(string) bool {
	return func(url string) bool { return strings.HasSuffix(url, end) }
}

func (e *ear) asked() []target.Dialog { return heard(e, &e.dialogs) }
func (e *ear) told() []report         { return heard(e, &e.messages) }

// heardOf counts the reports of a type.
func (e *ear) heardOf(kind string) int {
	n := 0
	for _, r := range e.told() {
		if r.Type == kind {
			n++
		}
	}
	return n
}
