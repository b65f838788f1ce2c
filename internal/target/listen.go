package target

import (
	"context"
	"encoding/json"
	"strings"

	"github.com/go-reprise/reprise/internal/cdp"
)

// listen lays the way by which a document's world is heard. The script is there
// from the document's start and keeps what it has to tell until then, but not
// beyond the document's end, and the first thing that is done may end it. So
// nothing is waited for: the binding goes to every world of our name, before the
// number of this one is known. That number is told before anything that comes
// through the binding is. The tree is locked.
func (f *Frame) listen() *cdp.Call {
	t, session, documents := f.page.tree, f.session, f.history.documents
	settle := func(reply json.RawMessage) {
		var made struct {
			Context int `json:"executionContextId"`
		}
		t.mu.Lock()
		defer t.mu.Unlock()
		if json.Unmarshal(reply, &made) == nil && f.session == session && f.history.documents == documents && f.err() == nil {
			f.settle(made.Context)
		}
	}
	asked := t.client.SendThen(session, "Page.createIsolatedWorld", map[string]any{"frameId": f.id, "worldName": worldName}, settle)
	f.bind(session)
	return asked
}

// lies is what the page script says when the way was laid.
const lies = `{"type":"here"}`

// heard takes what the script in a frame's world says. The tree is locked.
func (f *Frame) heard(payload string) {
	t := f.page.tree
	f.unheard = false
	switch payload {
	case lies:
	case aimed:
		f.pointedAt(nil)
	case escaped:
		f.pointedAt(ErrNotPointed)
	case hostsAsked:
		t.job(func(ctx context.Context) {
			_ = f.giveRoots(ctx) // a document that has gone needs none
		})
	default:
		if told, ok := ReadPieces([]byte(payload)); ok && f.page.recording != nil {
			f.page.recording.learn(t, told.Hashes, f)
		}
		for _, w := range f.page.watchers {
			w.Message(f, f.url, json.RawMessage(payload))
		}
		t.change()
	}
}

// install makes sure that a document which has just begun is heard, where its
// page is being recorded. The tree is locked.
func (p *Page) install(f *Frame) {
	if p.recording == nil {
		return
	}
	asked := f.listen()
	p.tree.job(func(ctx context.Context) {
		_, _ = asked.Wait(ctx) // record asks again, and gets the error
		_ = f.record(ctx)      // a document that has gone tells by the next one
	})
}

// began notes that a document has come of which nothing is heard yet. On a blank
// one nobody acts.
func (f *Frame) began() {
	f.unheard = f.page.recording != nil && !strings.HasPrefix(f.url, "about:blank")
}

// acts are the reasons of a document in a frame for leaving it that what a person
// does there can be behind: scripts send frames from page to page more often.
var acts = map[string]bool{"anchorClick": true, "formSubmissionGet": true, "formSubmissionPost": true}

// refreshes are reasons for leaving a page that nobody there can be behind.
var refreshes = map[string]bool{"httpHeaderRefresh": true, "metaTagRefresh": true}

// replaced tells of a document that another takes the place of.
func (f *Frame) replaced() {
	if f == f.page.main {
		f.unheard = f.unheard && !refreshes[f.asked]
	} else {
		f.unheard = f.unheard && acts[f.asked]
	}
	f.ended()
}

// ended tells that a document is gone of which nothing was heard: what was done
// there, if anything was, it has taken along.
func (f *Frame) ended() {
	if r := f.page.recording; f.unheard && r != nil && r.Missed != nil {
		r.Missed(f.url)
	}
	f.unheard = false
}
