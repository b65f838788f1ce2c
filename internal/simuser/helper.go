package simuser

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/go-reprise/reprise/internal/input"
	"github.com/go-reprise/reprise/internal/target"
)

// Helper is a user who drives a page that was handed over, through the live view of it in a browser of their own.
// Where an element is they see in the page itself; all that they do, they do in the view.
type Helper struct {
	eyes, hands *User
}

// Help returns the user of a live view, and of the page that it shows.
func Help(view, handed *target.Page) *Helper { return &Helper{At(handed), At(view)} }

// Click presses an element of the page where the view shows it.
func (h *Helper) Click(ctx context.Context, path string) error {
	if err := h.eyes.AtRest(ctx); err != nil {
		return err
	}
	x, y, err := h.eyes.Find(ctx, path)
	if err != nil {
		return err
	}
	var at struct{ X, Y float64 }
	if err := h.view(ctx, fmt.Sprintf(inView, x, y), &at); err != nil {
		return err
	}
	return input.Press(ctx, h.hands.page, at.X, at.Y, input.Button{})
}

// inView returns where a point of the page is in the live view, once that has shown a frame.
const inView = `(async (x, y) => {
	while (!document.getElementById("page")?.dataset.frames) await new Promise((resolve) => setTimeout(resolve, 20));
	const box = canvas.getBoundingClientRect();
	return {x: box.left + x / shape.w * box.width, y: box.top + (y + shape.top) / shape.h * box.height};
})(%g, %g)`

// Fill presses a field of the page and types into it.
func (h *Helper) Fill(ctx context.Context, path, text string) error {
	if err := h.Click(ctx, path); err != nil {
		return err
	}
	return h.Type(ctx, text)
}

// Type presses the keys of a text, in the view.
func (h *Helper) Type(ctx context.Context, text string) error { return h.hands.Type(ctx, text) }

// Press presses a key, in the view.
func (h *Helper) Press(ctx context.Context, key string, modifiers ...string) error {
	return h.hands.Press(ctx, key, modifiers...)
}

// Learn has the view record what is done from here on.
func (h *Helper) Learn(ctx context.Context) error {
	if err := h.hands.Click(ctx, "#keep"); err != nil {
		return err
	}
	return h.shows(ctx, `state?.keep === true`)
}

// Return returns the page.
func (h *Helper) Return(ctx context.Context) error { return h.hands.Click(ctx, "#done") }

// Offered waits for the offer to save what was done, and returns the names of the values that it asks for.
func (h *Helper) Offered(ctx context.Context) (names []string, err error) {
	if err := h.shows(ctx, `ended`); err != nil {
		return nil, err
	}
	err = h.view(ctx, `(async () => {
		while (document.getElementById("offer").hidden) {
			if (!(await fetch(id + "/offer")).ok) return null;
			await new Promise((resolve) => setTimeout(resolve, 20));
		}
		return [...document.querySelectorAll("#offerFields input")].map((el) => el.name);
	})()`, &names)
	if err == nil && names == nil {
		err = errors.New("what was done through the live view is not offered as an automation")
	}
	return names, err
}

// Save fills in what the offer asks for, and saves it.
func (h *Helper) Save(ctx context.Context, values map[string]string) error {
	names, err := h.Offered(ctx)
	if err != nil {
		return err
	}
	for _, name := range names {
		if text, has := values[name]; has {
			if err := h.hands.Fill(ctx, "#value-"+name, text); err != nil {
				return err
			}
		}
	}
	if err := h.hands.Click(ctx, "#save"); err != nil {
		return err
	}
	var said string
	err = h.view(ctx, `(async () => {
		while (!document.getElementById("offer").hidden && !document.getElementById("offerSaid").textContent) await new Promise((resolve) => setTimeout(resolve, 20));
		return document.getElementById("offer").hidden ? document.getElementById("what").textContent : document.getElementById("offerSaid").textContent;
	})()`, &said)
	if err == nil && !strings.HasPrefix(said, "Saved") {
		err = fmt.Errorf("the live view says: %s", said)
	}
	return err
}

// shows waits until something is so in the live view.
func (h *Helper) shows(ctx context.Context, what string) error {
	var is bool
	return h.view(ctx, `(async () => { while (!(`+what+`)) await new Promise((resolve) => setTimeout(resolve, 20)); return true })()`, &is)
}

// view evaluates an expression in the live view, with the names that its own script has.
func (h *Helper) view(ctx context.Context, expression string, out any) error {
	reply, err := h.hands.page.Send("Runtime.evaluate", map[string]any{"expression": expression, "awaitPromise": true, "returnByValue": true}).Wait(ctx)
	if err != nil {
		return err
	}
	return answer(reply, out)
}
