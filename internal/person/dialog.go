package person

import (
	"context"

	"github.com/go-reprise/reprise/internal/cdp"
)

// Answer is what a person says to a dialog.
type Answer struct {
	Accept bool
	Text   string // typed into a prompt
}

// ClickAndAnswer presses an element, and answers the dialogs that this opens, one
// after the other.
func (p *Person) ClickAndAnswer(ctx context.Context, path string, answers ...Answer) error {
	opened := make(chan struct{}, len(answers))
	remove := p.page.Tree().Client().OnEvent(func(e cdp.Event) {
		if e.Method == "Page.javascriptDialogOpening" && e.SessionID == p.page.Session() {
			select {
			case opened <- struct{}{}:
			default:
			}
		}
	})
	defer remove()
	pressed := make(chan error, 1)
	go func() { pressed <- p.Click(ctx, path) }()
	for _, answer := range answers {
		select {
		case <-opened:
		case <-ctx.Done():
			return context.Cause(ctx)
		}
		params := map[string]any{"accept": answer.Accept, "promptText": answer.Text}
		if _, err := p.page.Send("Page.handleJavaScriptDialog", params).Wait(ctx); err != nil {
			return err
		}
	}
	return <-pressed
}
