package replayer

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/go-reprise/reprise/internal/target"
)

// DefaultSnapshotSize is how many characters an outline of a page has at most when the
// caller does not say: what a model reads in a moment, and more than most pages need.
const DefaultSnapshotSize = 16_000

// leastSnapshotSize is what the address, and the note that there is more, need.
const leastSnapshotSize = 500

// Snapshot is what a page shows, as an outline by roles and names for whoever cannot
// see it. What can be used has a reference, which stays the element's as long as its
// document is there: Session.Refer makes selectors of it.
type Snapshot struct {
	URL     string `json:"url"` // without its query
	Title   string `json:"title,omitempty"`
	Outline string `json:"outline"`
	More    bool   `json:"more,omitempty"` // there is more than the size allowed
}

// snapshots are what a session knows of the references that it gave.
type snapshots struct {
	key       string // of the hashes by which elements are described
	documents []seenDocument
}

// seenDocument is one of which an outline was given.
type seenDocument struct {
	page  string
	frame *target.Frame
	mark  target.Mark
}

// outlined is what the page script says.
type outlined struct {
	Title string `json:"title"`
	Lines []struct {
		Depth   int      `json:"depth"`
		Role    string   `json:"role"`
		Name    string   `json:"name"`
		Ref     int      `json:"ref"`
		Value   string   `json:"value"`
		Options []string `json:"options"`
		States  []string `json:"states"`
	} `json:"lines"`
	More bool `json:"more"`
}

// Snapshot gives an outline of a tab ("" is the first) of at most size characters, 0 is
// DefaultSnapshotSize. Secrets that the session knows are in none.
func (s *Session) Snapshot(ctx context.Context, page string, size int) (Snapshot, error) {
	if s.err != nil {
		return Snapshot{}, s.err
	}
	if size <= 0 {
		size = DefaultSnapshotSize
	}
	size = max(size, leastSnapshotSize)
	p, err := s.run.pageOf(ctx, page)
	if err != nil {
		return Snapshot{}, before(ctx, err)
	}
	ctx, cancel := context.WithTimeout(ctx, s.run.options.Timeout)
	defer cancel()
	var b strings.Builder
	seen, err := s.outline(ctx, page, p.Main(), size, &b)
	if err != nil {
		return Snapshot{}, before(ctx, err)
	}
	shot := Snapshot{Title: s.run.scrub.text(seen.Title), More: seen.More}
	for _, f := range innerFrames(p) { // which are there now that the page has loaded
		if shot.More = shot.More || b.Len() >= size; shot.More {
			break
		}
		seen, err := s.outline(ctx, page, f, size-b.Len(), &b)
		if target.IsLeft(err) || f.Gone() {
			continue
		}
		if err != nil {
			return Snapshot{}, before(ctx, err)
		}
		shot.More = seen.More
	}
	shot.URL = s.run.scrub.text(shown(p.URL()))
	shot.Outline = cut(s.run.scrub.text(b.String()), size)
	shot.More = shot.More || len(shot.Outline) < b.Len()
	return shot, nil
}

// innerFrames are the frames within a page, in an order that stays.
func innerFrames(p *target.Page) []*target.Frame {
	frames := p.Frames()[1:]
	slices.SortFunc(frames, func(a, b *target.Frame) int { return strings.Compare(a.ID(), b.ID()) })
	return frames
}

// outline writes what a frame's document shows.
func (s *Session) outline(ctx context.Context, page string, f *target.Frame, size int, b *strings.Builder) (seen outlined, err error) {
	var mark target.Mark
	for {
		if err := f.Settled(ctx); err != nil {
			return seen, err
		}
		mark, seen = f.Mark(), outlined{}
		if unloaded := f.Unloaded(); unloaded != nil { // what the browser shows there is not the site's
			fmt.Fprintf(b, "not loaded: %s: %s\n", shown(unloaded.URL), unloaded.Reason)
			return seen, nil
		}
		err = f.CallAt(ctx, mark, &seen, "outline", s.run.piecesFor(f), size)
		if !target.IsLeft(err) || f.Parent() != nil {
			break
		}
	}
	if err != nil || f.Parent() != nil && len(seen.Lines) == 0 {
		return seen, err
	}
	number := s.document(page, f, mark)
	if f.Parent() != nil {
		fmt.Fprintf(b, "frame of %s:\n", shown(f.URL()))
	}
	for _, line := range seen.Lines {
		b.WriteString(strings.Repeat("  ", min(line.Depth, 12)))
		if line.Role == "text" {
			b.WriteString(line.Name + "\n")
			continue
		}
		b.WriteString(line.Role)
		if line.Name != "" {
			fmt.Fprintf(b, " %q", line.Name)
		}
		if line.Ref > 0 {
			fmt.Fprintf(b, " [d%de%d]", number, line.Ref)
		}
		if line.Value != "" {
			fmt.Fprintf(b, " value=%q", line.Value)
		}
		if len(line.Options) > 0 {
			fmt.Fprintf(b, " options=%q", line.Options)
		}
		if len(line.States) > 0 {
			b.WriteString(" " + strings.Join(line.States, " "))
		}
		b.WriteByte('\n')
	}
	return seen, nil
}

// document gives the number of a document, from 1: no two of a session have the same.
func (s *Session) document(page string, f *target.Frame, mark target.Mark) int {
	for i, d := range s.snapshots.documents {
		if d.frame == f && d.page == page && !f.Left(d.mark) {
			return i + 1
		}
	}
	s.snapshots.documents = append(s.snapshots.documents, seenDocument{page, f, mark})
	return len(s.snapshots.documents)
}

// cut is a text of at most so many bytes, cut between two lines.
func cut(text string, size int) string {
	if len(text) <= size {
		return text
	}
	return text[:strings.LastIndexByte(text[:size], '\n')+1]
}
