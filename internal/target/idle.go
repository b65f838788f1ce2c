package target

import (
	"context"
	"errors"
	"slices"
	"strings"
	"time"

	"github.com/go-reprise/reprise/internal/load"
)

// How long the replies are waited for that a page's scripts need: some requests are answered when
// something happens, if ever. One that takes much longer than those before it is such a one.
const (
	minPatience = 2 * time.Second
	maxPatience = 6 * time.Second
	timesMedian = 4
	afterReply  = 30 * time.Millisecond // for the request that a reply leads to
	maxAsked    = 5                     // times an address is read before that counts as asking again and again
)

// stalled is how long nothing more may come of a script before it is not waited for.
const stalled = 5 * time.Second

// WaitScripts returns when neither a document of the page nor any of its scripts is on its way, or none gets further. What
// does not end within the time of the context is not waited for again.
func (t *Traffic) WaitScripts(ctx context.Context) error {
	heard := t.heardOfScripts()
	if heard.IsZero() {
		return nil
	}
	for {
		wait, loads := stalled-time.Since(heard), false
		if heard.IsZero() {
			wait = afterReply // what has come asks for more
			loads = t.page.main.isLoading()
		}
		bounded, cancel := context.WithTimeoutCause(ctx, wait, errQuiet)
		err := t.page.tree.Wait(bounded, func() (bool, error) {
			if loads && !t.page.main.loading { // by then it has asked for more
				return true, errQuiet
			}
			return t.lastOfScripts() != heard, t.page.err()
		})
		cancel()
		switch {
		case errors.Is(err, errQuiet):
			return nil
		case errors.Is(err, context.DeadlineExceeded):
			t.giveUp(isCode)
			return err
		case err != nil:
			return err
		}
		heard = t.heardOfScripts()
	}
}

// isCode reports whether a page is not itself before it has the reply. The document of a frame is not the page's, and
// where the frame has a process of its own, its end is told to no one who heard of its beginning.
func isCode(e Exchange) bool { return e.Type == "Script" || e.Type == "Document" && !e.inFrame }

func (t *Traffic) heardOfScripts() time.Time {
	t.page.tree.mu.Lock()
	defer t.page.tree.mu.Unlock()
	return t.lastOfScripts()
}

// lastOfScripts is when something was last heard of a document or a script that is on its way, zero where none is. The tree is locked.
func (t *Traffic) lastOfScripts() (last time.Time) {
	for _, e := range t.live {
		if !isCode(*e) || e.Whole || t.lasting[placeOf(e.URL)] {
			continue
		}
		for _, at := range []time.Time{e.began, e.heard} {
			if at.After(last) {
				last = at
			}
		}
	}
	return last
}

var errLasting = errors.New("a reply does not come soon")

// WaitIdle returns when the page has the replies that its scripts have asked for, and the scripts; and whether one has
// come since it returned last, so that the page may be at it. An address whose reply did not come in time is not waited
// for again, and of what is read again and again only what was asked for before.
func (t *Traffic) WaitIdle(ctx context.Context) (news bool, err error) {
	whole, end := load.WithTimeoutCause(ctx, maxPatience, errLasting) // it may ask for ever more
	defer end()
	for later := false; ; later = true {
		open, patience := t.busy(later)
		if open == nil {
			return t.takeNews(), nil
		}
		bounded, cancel := load.WithTimeoutCause(whole, patience, errLasting)
		err = t.WaitOver(bounded, open.mark, open.has)
		if err == nil {
			err = t.page.tree.Wait(bounded, func() (bool, error) { return !t.awaitsSocket(), t.page.err() })
		}
		cancel()
		if errors.Is(err, errLasting) {
			t.giveUp(func(e Exchange) bool { return !e.Over() && open.has(e) })
			t.giveUpSockets()
			return false, nil
		}
		if err != nil {
			return false, err
		}
		bounded, cancel = context.WithTimeoutCause(ctx, afterReply, errQuiet)
		err = t.page.tree.Wait(bounded, func() (bool, error) { return !t.isIdle(true), t.page.err() })
		cancel()
		if err != nil && !errors.Is(err, errQuiet) {
			return false, err
		}
	}
}

func (t *Traffic) takeNews() (news bool) {
	t.page.tree.mu.Lock()
	defer t.page.tree.mu.Unlock()
	news, t.news = t.news, false
	return news
}

// AsksOn reports whether the page has asked for something after a mark that it does not ask for all the time.
func (t *Traffic) AsksOn(mark int) bool {
	t.page.tree.mu.Lock()
	defer t.page.tree.mu.Unlock()
	return slices.ContainsFunc(t.all[min(mark, len(t.all)):], func(e *Exchange) bool { return t.isNeeded(*e) && !t.isPoll(e) })
}

// isPoll reports whether a request reads what was read often before. The tree is locked.
func (t *Traffic) isPoll(e *Exchange) bool {
	return e.Method == "GET" && t.asked[placeOf(e.URL)] > maxAsked
}

// open are requests that are needed, and whose replies were still to come at a moment.
type open struct {
	mark   int // before the first
	began  time.Time
	places map[string]bool
}

func (o *open) has(e Exchange) bool {
	return o.places[placeOf(e.URL)] && !e.began.After(o.began) && ofScripts[e.Type]
}

// busy returns what is needed and open, nil where nothing is, and how long to wait for it. What is read again and again
// counts only the first time.
func (t *Traffic) busy(later bool) (all *open, patience time.Duration) {
	t.page.tree.mu.Lock()
	defer t.page.tree.mu.Unlock()
	if t.isIdle(later) {
		return nil, 0
	}
	all = &open{mark: len(t.all), began: time.Now(), places: map[string]bool{}}
	for i, e := range slices.Backward(t.all) {
		if t.counts(e, later) {
			all.mark, all.places[placeOf(e.URL)] = i, true
		}
	}
	var took []time.Duration
	for _, e := range t.all {
		if e.Over() {
			took = append(took, e.answered.Sub(e.began))
		}
	}
	slices.Sort(took)
	if len(took) > 0 {
		patience = timesMedian * took[len(took)/2]
	}
	return all, min(max(patience, minPatience), maxPatience)
}

// isIdle reports whether nothing is open that is needed. The tree is locked.
func (t *Traffic) isIdle(later bool) bool {
	for _, e := range t.live {
		if t.counts(e, later) {
			return false
		}
	}
	return !t.awaitsSocket()
}

func (t *Traffic) counts(e *Exchange, later bool) bool {
	return e.isOpen() && t.isNeeded(*e) && !(later && t.isPoll(e))
}

// awaitsSocket reports whether something is to come over a socket. The tree is locked.
func (t *Traffic) awaitsSocket() bool {
	for _, s := range t.sockets.all {
		if s.waits && !t.lasting[placeOf(s.url)] {
			return true
		}
	}
	return false
}

// isNeeded reports whether the page may do nothing useful before a request is answered.
func (t *Traffic) isNeeded(e Exchange) bool {
	return ofScripts[e.Type] && !t.lasting[placeOf(e.URL)]
}

// ofScripts are the types of what scripts ask for, and of scripts.
var ofScripts = map[string]bool{"Script": true, "XHR": true, "Fetch": true}

// giveUp notes what is open as what is not waited for again.
func (t *Traffic) giveUp(which func(Exchange) bool) {
	t.page.tree.mu.Lock()
	defer t.page.tree.mu.Unlock()
	for _, e := range t.live {
		if which(*e) && len(t.lasting) < keptExchanges {
			t.lasting[placeOf(e.URL)] = true
		}
	}
}

func (t *Traffic) giveUpSockets() {
	t.page.tree.mu.Lock()
	defer t.page.tree.mu.Unlock()
	for _, s := range t.sockets.all {
		if s.waits && len(t.lasting) < keptExchanges {
			t.lasting[placeOf(s.url)] = true
		}
	}
}

// placeOf is an address without its query.
func placeOf(address string) string {
	before, _, _ := strings.Cut(address, "?")
	return before
}
