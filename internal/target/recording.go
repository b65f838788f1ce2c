package target

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/go-reprise/reprise/internal/cdp"
	"github.com/go-reprise/reprise/internal/page"
	"github.com/go-reprise/reprise/internal/redact"
)

// Recording is what the page script needs to know to record.
type Recording struct {
	Key             string // of the hashes in fingerprints
	TestIDAttribute string // of the user's own tests, "" for none
	// Missed is called, as the methods of watchers are, with the address of a
	// document that came and went before anything was heard of it, and in which
	// something may have been done. Default: no one is told.
	Missed func(url string)
	// Boxes has where pressed elements stand told, for pictures of them.
	Boxes bool
	// Texts has every text that is typed be a secret, whatever its field is for.
	Texts bool
	// Secrets is the key under which documents hash what is secret in them. What one
	// tells goes to all others.
	Secrets redact.Key

	// Guarded by the tree.
	hidden []Hidden
	known  *redact.Index // of secrets; nil for none
}

// Hidden is how a field is known that is secret because the person says so.
type Hidden struct {
	Origin  string   `json:"origin"`
	Names   []string `json:"names"` // name and id
	Label   string   `json:"label"`
	Element string   `json:"element"` // document and number, as the page script tells them
}

// more is what else the page script is told. The tree is locked.
func (r *Recording) more() any {
	secrets := redact.Hashes{Key: r.Secrets}
	if r.known != nil {
		secrets = r.known.Hashes()
	}
	return map[string]any{"boxes": r.Boxes, "texts": r.Texts, "hidden": append([]Hidden{}, r.hidden...), "secrets": secrets}
}

// Pieces are what a document tells of a secret, see internal/page/src/secret/secrets.ts.
type Pieces struct {
	Type    string        `json:"type"`
	Hashes  redact.Hashes `json:"hashes"`
	Element string        `json:"element"` // the field: document and number; "" for none
	Whole   uint64        `json:"whole"`   // the hash of all of it, 0 while it may be typed still
}

// ReadPieces reads what a document tells. It reports false for another message.
func ReadPieces(payload []byte) (told Pieces, ok bool) {
	if !bytes.HasPrefix(payload, []byte(`{"type":"pieces"`)) {
		return told, false
	}
	return told, json.Unmarshal(payload, &told) == nil
}

// know adds hashes of secrets to those that are known, and gives all of them. The tree
// is locked.
func (r *Recording) know(hashes redact.Hashes) redact.Hashes {
	if r.known == nil {
		r.known = redact.NewWithKey(r.Secrets)
	}
	r.known.Add(hashes) // of another key, or too many: what is known stays known
	return r.known.Hashes()
}

// learn takes hashes of a secret, and has all documents know them but the frame that
// told: those that are there, and in each session those to come, from their start.
// It waits for nothing, as the next document may be on its way. The tree is locked.
func (r *Recording) learn(t *Tree, hashes redact.Hashes, teller *Frame) {
	told, err := json.Marshal(r.know(hashes))
	if err != nil {
		return // numbers only: cannot happen
	}
	for id, s := range t.sessions {
		if s.page.recording != r || s.recorder == nil {
			continue
		}
		before := s.learner
		added := t.client.Send(id, "Page.addScriptToEvaluateOnNewDocument", map[string]any{
			"source": fmt.Sprintf("globalThis.__reprise?.call(%q,%q,%s);", "", "learn", told), "worldName": worldName,
		})
		s.learner = &script{session: id, added: added}
		if before != nil {
			t.job(func(ctx context.Context) { before.remove(ctx, t) })
		}
	}
	for _, p := range t.pages {
		if p.recording != r {
			continue
		}
		for _, f := range p.liveFrames() {
			if f != teller {
				t.job(func(ctx context.Context) { _ = f.Call(ctx, nil, "learn", hashes) }) // one that has gone quotes nothing
			}
		}
	}
}

// Spread has all documents of the recording, now and from now on, quote nothing that
// repeats a secret.
func (p *Page) Spread(hashes redact.Hashes) {
	p.tree.Do(func() {
		if p.recording != nil {
			p.recording.learn(p.tree, hashes, nil)
		}
	})
}

// Hide has the page script tell no more of some fields, in all documents that are
// there and all that are to come, and quote nothing that repeats what they held. It
// returns when those that are there know.
func (p *Page) Hide(ctx context.Context, fields []Hidden, held redact.Hashes) error {
	t := p.tree
	var frames []*Frame
	var before []*script
	t.mu.Lock()
	r := p.recording
	if r != nil {
		r.hidden = fields
		r.know(held)
	}
	for id, s := range t.sessions {
		if r != nil && s.page.recording == r && s.recorder != nil {
			before = append(before, s.recorder)
			if s.learner != nil {
				before = append(before, s.learner)
				s.learner = nil
			}
			s.page.prepareLater(id)
		}
	}
	for _, other := range t.pages {
		if r != nil && other.recording == r {
			frames = append(frames, other.liveFrames()...)
		}
	}
	t.mu.Unlock()
	for _, s := range before {
		s.remove(ctx, t)
	}
	for _, f := range frames {
		err := errors.Join(f.Call(ctx, nil, "learn", held), f.Call(ctx, nil, "hide", fields))
		for IsLeft(err) && !f.Gone() && ctx.Err() == nil {
			err = errors.Join(f.Call(ctx, nil, "learn", held), f.Call(ctx, nil, "hide", fields))
		}
		if err != nil && !f.Gone() {
			return fmt.Errorf("telling a document of it: %w", err) // its address may repeat it
		}
	}
	return nil
}

// Record has every document of the page, now and from now on, in all frames and
// in the pages that it opens, tell what a person does, to the page's watchers.
// It returns when the documents that are there are being recorded.
func (p *Page) Record(ctx context.Context, r *Recording) error {
	p.Use()
	t := p.tree
	err := t.Wait(ctx, func() (bool, error) { return p.surveyed, p.err() })
	if err != nil {
		return err
	}
	t.mu.Lock()
	p.recording = r
	for id, s := range t.sessions {
		if s.page == p {
			p.prepareRecording(id)
		}
	}
	frames := p.liveFrames()
	t.mu.Unlock()
	for _, f := range frames {
		err := f.record(ctx)
		for f == p.main && IsLeft(err) {
			err = f.record(ctx)
		}
		if err != nil && f == p.main {
			return err
		}
	}
	return nil
}

// StopRecording ends Record for the page and those that it opened.
func (p *Page) StopRecording(ctx context.Context) {
	t := p.tree
	var frames []*Frame
	var scripts []*script
	t.mu.Lock()
	r := p.recording
	for _, s := range t.sessions {
		if r != nil && s.page.recording == r && s.recorder != nil {
			scripts = append(scripts, s.recorder)
			if s.learner != nil {
				scripts = append(scripts, s.learner)
			}
			s.recorder, s.learner = nil, nil
		}
	}
	for _, other := range t.pages {
		if r != nil && other.recording == r {
			other.recording = nil
			frames = append(frames, other.liveFrames()...)
		}
	}
	t.mu.Unlock()
	for _, s := range scripts {
		s.remove(ctx, t)
	}
	for _, f := range frames {
		_ = f.Call(ctx, nil, "stop") // a document that is gone has stopped
	}
}

// script is one that runs in each new document of a session.
type script struct {
	session string
	added   *cdp.Call
}

// remove has it run no more when it returns: a document on its way to another
// process takes along what was last confirmed. In a session that has ended it does
// not run anyway.
func (s *script) remove(ctx context.Context, t *Tree) {
	reply, err := s.added.Wait(ctx)
	var name struct {
		Identifier string `json:"identifier"`
	}
	if err == nil && json.Unmarshal(reply, &name) == nil {
		_ = t.ask(ctx, s.session, "Page.removeScriptToEvaluateOnNewDocument", map[string]any{"identifier": name.Identifier}, nil)
	}
}

// Frames are the page's frames, the main one first.
func (p *Page) Frames() []*Frame {
	p.tree.mu.Lock()
	defer p.tree.mu.Unlock()
	return p.liveFrames()
}

func (p *Page) liveFrames() []*Frame {
	frames := []*Frame{p.main}
	for _, f := range p.frames {
		if f != p.main {
			frames = append(frames, f)
		}
	}
	return frames
}

// prepareRecording has the documents to come recorded from before their first script.
func (p *Page) prepareRecording(sessionID string) { p.addRecorder(sessionID, true) }

// prepareLater does so for those alone that are still to come.
func (p *Page) prepareLater(sessionID string) { p.addRecorder(sessionID, false) }

func (p *Page) addRecorder(sessionID string, now bool) {
	s := p.tree.sessions[sessionID]
	if p.recording == nil || s == nil {
		return
	}
	more, err := json.Marshal(p.recording.more())
	if err != nil {
		more = []byte("{}") // strings only: cannot happen
	}
	source := fmt.Sprintf("%s\n__reprise.call(%q,%q,%q,%q,%s);", page.Script, "", "record", p.recording.Key, p.recording.TestIDAttribute, more)
	added := p.tree.client.Send(sessionID, "Page.addScriptToEvaluateOnNewDocument", map[string]any{
		"source": source, "worldName": worldName, "runImmediately": now,
	})
	s.recorder = &script{session: sessionID, added: added}
}

// record makes one document tell.
func (f *Frame) record(ctx context.Context) error {
	t := f.page.tree
	t.mu.Lock()
	r, documents := f.page.recording, f.history.documents
	if r == nil {
		t.mu.Unlock()
		return nil
	}
	more := r.more()
	t.mu.Unlock()
	if err := f.Call(ctx, nil, "record", r.Key, r.TestIDAttribute, more); err != nil {
		return err
	}
	var told struct{ Drained bool }
	if err := f.Call(ctx, &told, "flush"); err != nil {
		return err
	}
	t.Do(func() { f.unheard = f.unheard && !(told.Drained && f.history.documents == documents) })
	return f.Call(ctx, nil, "answers") // the closed roots that are there are known
}

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
// one no one acts.
func (f *Frame) began() {
	f.unheard = f.page.recording != nil && !strings.HasPrefix(f.url, "about:blank")
}

// acts are the reasons of a document in a frame for leaving it that what a person
// does there can cause: scripts send frames from page to page more often.
var acts = map[string]bool{"anchorClick": true, "formSubmissionGet": true, "formSubmissionPost": true}

// refreshes are reasons for leaving a page that no one there can cause.
var refreshes = map[string]bool{"httpHeaderRefresh": true, "metaTagRefresh": true}

// replaced notes a document that another takes the place of.
func (f *Frame) replaced() {
	if f == f.page.main {
		f.unheard = f.unheard && !refreshes[f.asked]
	} else {
		f.unheard = f.unheard && acts[f.asked]
	}
	f.ended()
}

// quickestAct is how long a document must have been there before a person can have done something in it: a simple reaction
// alone takes 0.2 s (Woods et al. 2015, https://doi.org/10.3389/fnhum.2015.00131).
const quickestAct = 150 * time.Millisecond

// ended notes that a document is gone of which nothing was heard: what was done
// there, if anything was, it has taken along.
func (f *Frame) ended() {
	if r := f.page.recording; f.unheard && r != nil && r.Missed != nil {
		r.Missed(f.url)
	}
	f.unheard = false
}
