package terminal

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"

	"github.com/go-reprise/reprise/internal/cli/render"
	"github.com/go-reprise/reprise/internal/plaintext"
	"github.com/go-reprise/reprise/replayer"
)

// Person is the user at a terminal, for the steps of a run: replayer.Person. Several runs may
// ask; one question is asked at a time.
type Person struct {
	Terminal  *Terminal
	Progress  interface{ Break() }       // of the run, which a question interrupts
	HasWindow func(context.Context) bool // whether the user sees the browser

	mu sync.Mutex
}

// ErrNoWindow is a takeover of a page that the user cannot see.
var ErrNoWindow = errors.New("the browser shows no window: play it with --headed")

// Approve asks whether something may be sent. Only yes is an approval.
func (p *Person) Approve(ctx context.Context, a replayer.Approval) (bool, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.Progress.Break()
	return p.Terminal.Confirm(ctx, render.ApprovalQuestion(a))
}

// TakeOver leaves the page to the user until they are done.
func (p *Person) TakeOver(ctx context.Context, h replayer.Handoff) (replayer.Returned, error) {
	if !p.HasWindow(ctx) {
		return replayer.Returned{}, ErrNoWindow
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	p.Progress.Break()
	message := h.Message
	if message == "" {
		message = cmp.Or(h.Blocker, "it wants you ("+string(h.Reason)+")") + "."
	}
	if h.Tried != "" {
		message += " Before that, " + h.Tried + "."
	}
	if h.Attempt > 1 {
		message += " It is not done yet: " + h.Until + " is wanted."
	}
	answer, err := p.Terminal.Ask(ctx, fmt.Sprintf("\n  Step %d is yours, in the browser's window: %s\n  Press Enter when it is done, or n and Enter if it cannot be: ", h.Step+1, plaintext.Line(message)))
	if err == nil && strings.HasPrefix(strings.ToLower(answer), "n") {
		return replayer.Returned{Status: replayer.Aborted}, nil
	}
	return replayer.Returned{}, err
}
