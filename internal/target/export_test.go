package target

import "context"

// FramesOf and URLOf are for conditions, which run with the tree locked.
func FramesOf(p *Page) []*Frame { return p.liveFrames() }
func URLOf(f *Frame) string     { return f.url }

// Counts is how much the tree remembers.
type Counts struct{ Pages, Sessions, Worlds, Frames int }

// Count counts what the tree remembers of one page. The tree is locked.
func (t *Tree) Count(p *Page) Counts {
	c := Counts{Frames: len(p.frames)}
	if t.pages[p.id] == p {
		c.Pages = 1
	}
	for _, s := range t.sessions {
		if s.page == p {
			c.Sessions++
			c.Worlds += len(s.worlds)
		}
	}
	return c
}

// AwaitsScripts reports whether something is on its way without which the page is not itself.
func AwaitsScripts(t *Traffic) bool { return !t.heardOfScripts().IsZero() }

// Reading counts the reads of a page's browser context that are under way. The tree is locked.
func Reading(p *Page) int { return len(p.tree.readsOf(p.context).open) }

// Went notes an address as if the frame had gone there; Places counts them.
func Went(f *Frame, url string) { f.history.add(url, "") }
func Places(f *Frame) int       { return len(f.history.places) }

// World is a frame's world as it was at a moment.
type World struct {
	frame *Frame
	at    placed
}

// Enter returns the frame's world, with or without the script.
func Enter(ctx context.Context, f *Frame) (*World, error) {
	w, err := f.enter(ctx)
	return &World{f, w}, err
}

// CallAs calls into it as if its context had that number.
func (w *World) CallAs(ctx context.Context, number int, function string, args ...any) error {
	at := w.at
	at.context = number
	return w.frame.callIn(ctx, at, nil, function, args)
}

// Crashed is for conditions.
func Crashed(p *Page) bool { return p.crashed }
