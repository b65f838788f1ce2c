package main

import (
	"context"
	"fmt"
	"time"

	"github.com/go-reprise/reprise/browser"
	"github.com/go-reprise/reprise/internal/input"
	"github.com/go-reprise/reprise/internal/load"
	"github.com/go-reprise/reprise/internal/simuser"
	"github.com/go-reprise/reprise/internal/target"
)

// person does a flow, one gesture after the other, until one fails.
type person struct {
	ctx  context.Context //nolint:containedctx // one flow long
	user *simuser.User   // who looks, and does what hands do not
	page *browser.Page   // where they began
	hands
	err error
}

// hands are what most gestures need: a user's own, or those of one who acts through the live view.
type hands interface {
	Click(ctx context.Context, path string) error
	Fill(ctx context.Context, path, text string) error
	Type(ctx context.Context, text string) error
	Press(ctx context.Context, key string, modifiers ...string) error
}

// lookFor is how long a page is looked at before it is used, where it never comes to rest.
const lookFor = 1500 * time.Millisecond

func newPerson(ctx context.Context, page *browser.Page) *person {
	user := simuser.At(page.Target())
	return &person{ctx: ctx, user: user, page: page, hands: user}
}

func (p *person) do(what string, act func() error) {
	if p.err != nil {
		return
	}
	look, cancel := load.WithTimeout(p.ctx, lookFor)
	_ = p.user.AtRest(look) // some pages never do
	cancel()
	if err := act(); err != nil {
		p.err = fmt.Errorf("%s: %w", what, err)
	}
}

func (p *person) click(path string) {
	p.do("click "+path, func() error { return p.hands.Click(p.ctx, path) })
}

func (p *person) doubleClick(path string) {
	p.do("double click "+path, func() error { return p.user.DoubleClick(p.ctx, path) })
}

func (p *person) rightClick(path string) {
	p.do("right click "+path, func() error { return p.user.ClickWith(p.ctx, path, input.Button{Name: "right"}) })
}

func (p *person) hover(path string) {
	p.do("hover over "+path, func() error { return p.user.Hover(p.ctx, path) })
}

// clickAt presses a point in pixels from the middle of an element: for what never stands still.
func (p *person) clickAt(path string, dx, dy float64) {
	p.do("click by "+path, func() error { return p.user.ClickAt(p.ctx, path, dx, dy) })
}

// doubleClickAt presses such a point twice, as one does for a word in an editor of code.
func (p *person) doubleClickAt(path string, dx, dy float64) {
	p.do("double click by "+path, func() error {
		x, y, err := p.user.Find(p.ctx, path)
		if err != nil {
			return err
		}
		return input.Press(p.ctx, p.page.Target(), x+dx, y+dy, input.Button{Count: 2})
	})
}

func (p *person) fill(path, text string) {
	p.do("fill "+path, func() error { return p.hands.Fill(p.ctx, path, text) })
}

// refill replaces what is in a field.
func (p *person) refill(path, text string) {
	p.click(path)
	p.press("a", "Control")
	p.typing(text)
}

func (p *person) typing(text string) {
	p.do("type", func() error { return p.hands.Type(p.ctx, text) })
}

func (p *person) press(key string, modifiers ...string) {
	p.do("press "+key, func() error { return p.hands.Press(p.ctx, key, modifiers...) })
}

func (p *person) drag(from, to string, dx, dy float64, native bool) {
	p.do("drag "+from, func() error { return p.user.Drag(p.ctx, from, to, dx, dy, native) })
}

// see waits until an element is there.
func (p *person) see(path string) {
	p.do("see "+path, func() error { _, _, err := p.user.Find(p.ctx, path); return err })
}

// at waits for an address that holds a text.
func (p *person) at(part string) {
	p.do("be at "+part, func() error { return p.user.See(p.ctx, part) })
}

// choose chooses an option of a list of the browser's own by the keys that its text begins with.
func (p *person) choose(path, text string) {
	p.click(path)
	p.typing(text)
	p.press("Enter")
}

// confirm presses what has the browser ask whether it is meant, and says yes.
func (p *person) confirm(path string) {
	p.do("confirm "+path, func() error {
		page := p.page.Target()
		before := page.SetDialogs(target.LeaveDialogs) // it is for the person to answer
		defer func() { page.SetDialogs(before) }()
		return p.user.ClickAndAnswer(p.ctx, path, simuser.Answer{Accept: true})
	})
}

// tab goes on in the tab that was opened.
func (p *person) tab() {
	p.do("go to the new tab", func() error {
		user, err := p.user.NewTab(p.ctx)
		if err == nil {
			p.user, p.hands = user, user
		}
		return err
	})
}
