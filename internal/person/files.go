package person

import (
	"context"
	"encoding/json"

	"github.com/go-reprise/reprise/internal/cdp"
	"github.com/go-reprise/reprise/internal/input"
)

// Choose presses an element that has the browser ask for files, and chooses some.
func (p *Person) Choose(ctx context.Context, path string, files ...string) error {
	opened := make(chan int, 1)
	remove := p.page.Tree().Client().OnEvent(func(e cdp.Event) {
		var chooser struct {
			Node int `json:"backendNodeId"`
		}
		if e.Method == "Page.fileChooserOpened" && json.Unmarshal(e.Params, &chooser) == nil {
			select {
			case opened <- chooser.Node:
			default:
			}
		}
	})
	defer remove()
	p.page.Send("Page.setInterceptFileChooserDialog", map[string]any{"enabled": true})
	defer p.page.Send("Page.setInterceptFileChooserDialog", map[string]any{"enabled": false})
	if err := p.Click(ctx, path); err != nil {
		return err
	}
	select {
	case node := <-opened:
		_, err := p.page.Send("DOM.setFileInputFiles", map[string]any{"files": files, "backendNodeId": node}).Wait(ctx)
		return err
	case <-ctx.Done():
		return context.Cause(ctx)
	}
}

// Drop drops files on an element.
func (p *Person) Drop(ctx context.Context, path string, files ...string) error {
	at, err := p.find(ctx, path)
	if err != nil {
		return err
	}
	return input.DropFiles(ctx, p.page, at.X, at.Y, files)
}
