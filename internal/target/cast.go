package target

import (
	"encoding/json"
)

// Cast describes a screencast: JPEG, of a quality from 0 to 100, and no larger than Size in either direction,
// in pixels. Frame is called with each frame, and File when the page asks for files; both with the tree locked.
type Cast struct {
	Quality, Size int
	Frame         func(CastFrame)
	File          func(FileChooser)
}

// CastFrame is a picture of the page's viewport.
type CastFrame struct {
	JPEG []byte
	// Width and Height are those of the viewport, and Top how far it lies below the picture's top, in CSS pixels.
	Width, Height, Top float64

	page *Page
	id   int
}

// Ack has the browser send the next frames: without it there are none after the first few.
func (f CastFrame) Ack() {
	f.page.Send("Page.screencastFrameAck", map[string]any{"sessionId": f.id})
}

// FileChooser is a page's question for files.
type FileChooser struct {
	Multiple bool

	page    *Page
	session string // of the frame that asks
	node    int
}

// Choose answers the question with the files of these paths.
func (c FileChooser) Choose(paths []string) {
	c.page.tree.client.Send(c.session, "DOM.setFileInputFiles", map[string]any{"files": paths, "backendNodeId": c.node})
}

// StartCast begins a screencast, until stop is called. Of two at once the later one counts. While it runs the page
// asks no window of the browser for files.
func (p *Page) StartCast(c Cast) (stop func()) {
	p.tree.mu.Lock()
	p.cast = &c
	p.interceptFiles(true)
	p.tree.mu.Unlock()
	p.Send("Page.startScreencast", map[string]any{"format": "jpeg", "quality": c.Quality, "maxWidth": c.Size, "maxHeight": c.Size})
	return func() {
		p.tree.mu.Lock()
		defer p.tree.mu.Unlock()
		if p.cast != &c {
			return
		}
		p.cast = nil
		p.Send("Page.stopScreencast", nil)
		p.interceptFiles(false)
	}
}

// interceptFiles has the questions for files come as events, of frames of other sites, too.
func (p *Page) interceptFiles(on bool) {
	for id, s := range p.tree.sessions {
		if s.page == p {
			p.tree.client.Send(id, "Page.setInterceptFileChooserDialog", map[string]any{"enabled": on})
		}
	}
}

func (t *Tree) onScreencastFrame(s *session, params json.RawMessage) {
	if s == nil || s.page.cast == nil {
		return
	}
	var e struct {
		Data     []byte `json:"data"` // encoding/json reads base64
		ID       int    `json:"sessionId"`
		Metadata struct {
			Width  float64 `json:"deviceWidth"`
			Height float64 `json:"deviceHeight"`
			Top    float64 `json:"offsetTop"`
		} `json:"metadata"`
	}
	if json.Unmarshal(params, &e) == nil {
		s.page.cast.Frame(CastFrame{e.Data, e.Metadata.Width, e.Metadata.Height, e.Metadata.Top, s.page, e.ID})
	}
}

func (t *Tree) onFileChooser(s *session, params json.RawMessage) {
	if s == nil || s.page.cast == nil {
		return
	}
	var e struct {
		Mode string `json:"mode"`
		Node int    `json:"backendNodeId"`
	}
	if json.Unmarshal(params, &e) == nil {
		s.page.cast.File(FileChooser{e.Mode == "selectMultiple", s.page, s.id, e.Node})
	}
}
