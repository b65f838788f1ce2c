package input

import (
	"context"

	"github.com/go-reprise/reprise/internal/target"
)

// dragCopy is the operation of what comes from outside the browser
// (https://chromedevtools.github.io/devtools-protocol/tot/Input/#type-DragData).
const dragCopy = 1

// DropFiles drops files on a point of the page's viewport, and returns when the page
// has handled it.
func DropFiles(ctx context.Context, page *target.Page, x, y float64, paths []string) error {
	data := map[string]any{"items": []any{}, "files": paths, "dragOperationsMask": dragCopy}
	for _, kind := range []string{"dragEnter", "dragOver", "drop"} {
		_, err := page.Send("Input.dispatchDragEvent", map[string]any{"type": kind, "x": x, "y": y, "data": data}).Wait(ctx)
		if err != nil {
			return err
		}
	}
	return nil
}
