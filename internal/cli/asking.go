package cli

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"
	"sync"

	"github.com/go-reprise/reprise/automation"
	"github.com/go-reprise/reprise/internal/cli/render"
	"github.com/go-reprise/reprise/replayer"
)

// terminalPerson is who sits at the terminal: replayer.Person. Several runs may ask;
// one question is asked at a time.
type terminalPerson struct {
	in     *os.File
	out    func() (io.Writer, func())
	shown  interface{ Break() } // what is told of the run meanwhile
	window func(context.Context) bool

	mu sync.Mutex
}

// personFor gives who can be asked, nil where nobody is at a terminal.
func (a *app) personFor(window func(context.Context) bool, shown interface{ Break() }) replayer.Person {
	if !render.IsTerminal(a.stdin) {
		return nil
	}
	return &terminalPerson{in: a.stdin, out: a.questions, shown: shown, window: window}
}

// errNobodyThere is a takeover of a page that nobody can see.
var errNobodyThere = errors.New("the browser shows no window: play it with --headed")

// Approve asks whether something may be sent. Anything but yes is a no.
func (p *terminalPerson) Approve(ctx context.Context, a replayer.Approval) (bool, error) {
	out, done := p.ask()
	defer done()
	answer, err := readAnswer(ctx, p.in, out, question(a))
	answer = strings.ToLower(answer)
	return answer == "y" || answer == "yes", err
}

// ask is held by one at a time, until it is done.
func (p *terminalPerson) ask() (out io.Writer, done func()) {
	p.mu.Lock()
	p.shown.Break()
	out, closed := p.out()
	return out, func() {
		closed()
		p.mu.Unlock()
	}
}

// question says what is to be sent.
func question(a replayer.Approval) string {
	title := fmt.Sprintf("Step %d pays, orders, sends or deletes.", a.Step+1)
	if a.Tool == "approve" {
		title = fmt.Sprintf("Step %d asks for your approval.", a.Step+1)
	}
	var facts render.Facts
	for _, fact := range []struct{ name, value string }{
		{"to", a.Intent}, {"presses", quotedIf(a.Says)}, {"pays", a.Payee}, {"amount", strings.TrimSpace(a.Amount + " " + a.Currency)},
		{"sends", requestWords(a.Method, a.Request, a.Type, a.Size)}, {"at", a.Origin}, {"page", a.URL}, {"run", a.Run},
	} {
		if fact.value != "" {
			facts.Add(fact.name, fact.value)
		}
	}
	return fmt.Sprintf("\n  %s\n%s  Do it? [y/N] ", title, indentEach(render.Table(facts)))
}

// requestWords tells of the request that waits, "" where none does.
func requestWords(method, address, contentType string, size int) string {
	if address == "" {
		return ""
	}
	words := method + " " + address
	if size > 0 {
		words += fmt.Sprintf(", %d bytes", size)
	}
	if contentType != "" {
		words += " of " + contentType
	}
	return words
}

func quotedIf(text string) string {
	if text == "" {
		return ""
	}
	return "“" + text + "”"
}

func indentEach(lines string) string {
	return "  " + strings.ReplaceAll(strings.TrimSuffix(lines, "\n"), "\n", "\n  ") + "\n"
}

// TakeOver leaves the page to the person, until they say that they are done.
func (p *terminalPerson) TakeOver(ctx context.Context, h replayer.Handoff) error {
	if !p.window(ctx) {
		return errNobodyThere
	}
	out, done := p.ask()
	defer done()
	message := h.Message
	if message == "" {
		message = "It wants you (" + h.Reason + ")."
	}
	answer, err := readAnswer(ctx, p.in, out, fmt.Sprintf("\n  Step %d is yours, in the browser's window: %s\n  Press Enter when it is done, or n and Enter if it cannot be: ", h.Step+1, message))
	if err == nil && strings.HasPrefix(strings.ToLower(answer), "n") {
		err = errors.New("they said that it cannot be done")
	}
	return err
}

// errQuit is a run that a person ended with q.
var errQuit = errors.New("it was ended with q")

// letStep waits until a person at the terminal lets a step be played.
func (a *app) letStep(ctx context.Context, doc *automation.Automation, index int) error {
	out, done := a.questions()
	defer done()
	restore, err := singleKeys(a.stdin)
	if err != nil {
		return err
	}
	step := doc.Steps[index]
	fmt.Fprintf(out, "  next is step %d of %d: %s  %s", index+1, len(doc.Steps), render.Step(step), "[any key plays it, q ends] ")
	key, err := readKey(ctx, a.stdin)
	fmt.Fprint(out, "\r\x1b[K")
	if key == "q" {
		err = errQuit
	}
	return errors.Join(err, restore())
}

// readKey gives the next key that is pressed.
func readKey(ctx context.Context, in *os.File) (string, error) {
	return interruptible(ctx, func() (string, error) {
		var pressed [1]byte
		n, err := in.Read(pressed[:])
		return string(pressed[:n]), err
	})
}
