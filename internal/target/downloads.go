package target

import (
	"context"
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"sync"
	"time"

	"github.com/go-reprise/reprise/internal/load"
)

// Download is one that has begun. It is reported also where downloads are refused, as they
// are in a browser without a window until SaveDownloads.
type Download struct {
	ID    string // the browser's name for it
	Frame string // that asked for it
	URL   string // also data: and blob:
	Name  string // that the server or the page suggests for the file
}

// DownloadWatcher is a Watcher that also hears of downloads.
type DownloadWatcher interface {
	Watcher
	Download(p *Page, d Download)
}

// Downloads are those that were begun in the page, oldest first.
func (p *Page) Downloads() []Download {
	p.tree.mu.Lock()
	defer p.tree.mu.Unlock()
	return slices.Clone(p.downloads)
}

// WaitDownload returns the download that is begun in the page after the first n.
func (p *Page) WaitDownload(ctx context.Context, n int) (d Download, err error) {
	err = p.tree.Wait(ctx, func() (bool, error) {
		if len(p.downloads) > n {
			d = p.downloads[n]
			return true, nil
		}
		return false, p.err()
	})
	return d, err
}

// downloadGrace is how long after the end of a navigation that came to nothing the browser
// may tell of its download: a few milliseconds on a quiet machine.
const downloadGrace = 500 * time.Millisecond

// Answered returns when each navigation that the page's frames have asked for has come to a
// document, to a download that Downloads has, or to nothing.
func (p *Page) Answered(ctx context.Context) error {
	for _, f := range p.Frames() {
		if err := f.Settled(ctx); err != nil {
			return err
		}
	}
	told := func() bool {
		for _, f := range p.frames {
			if f.vain && !f.gone {
				return false
			}
		}
		return true
	}
	graced, cancel := load.WithTimeoutCause(ctx, downloadGrace, errUnsettled)
	defer cancel()
	err := p.tree.Wait(graced, func() (bool, error) { return told(), p.err() })
	if !errors.Is(err, errUnsettled) {
		return err
	}
	p.tree.Do(func() {
		for _, f := range p.frames {
			f.vain = false
		}
	})
	return nil
}

// onDownload notes a download where it was asked for: a window that was opened for
// it, and got no document of its own, is only the way there.
func (t *Tree) onDownload(s *session, params json.RawMessage) {
	var e struct {
		FrameID string `json:"frameId"`
		GUID    string `json:"guid"`
		URL     string `json:"url"`
		Name    string `json:"suggestedFilename"`
	}
	if s == nil || json.Unmarshal(params, &e) != nil {
		return
	}
	p := s.page
	if f := p.frames[e.FrameID]; f != nil {
		f.vain = false
	}
	for p.opener != nil && !p.opener.closed && isBlank(p.main.url) {
		p = p.opener
	}
	d := Download{ID: e.GUID, Frame: e.FrameID, URL: e.URL, Name: e.Name}
	p.downloads = append(p.downloads, d)
	for _, w := range p.watchers {
		if w, hears := w.(DownloadWatcher); hears {
			w.Download(p, d)
		}
	}
	t.change()
}

// saving is where the browser writes what is downloaded, and how far that is.
type saving struct {
	sync.Mutex
	dir   string         // "" until a context first saves
	users map[string]int // by browser context

	progress map[string]DownloadProgress // by ID; guarded by the tree
}

// DownloadProgress is how far a download is.
type DownloadProgress struct {
	State    DownloadState
	Received int64
	Path     string // of the file, in the file system of the browser, once it is Completed
}

// DownloadState is the state of a download, as the browser has it.
type DownloadState string

// The states of a download. The last two are ends.
const (
	InProgress DownloadState = "inProgress"
	Completed  DownloadState = "completed"
	Canceled   DownloadState = "canceled"
)

// MaxDownloadSize is how large a file may be: a page that sends without end fills no disk.
const MaxDownloadSize = 4 << 30

// SaveDownloads has the browser save what pages of a browser context download, until stop
// is called as often as SaveDownloads was. The files have the IDs of their downloads as their
// names, in a directory of this process that goes with the tree: the caller moves them.
func (t *Tree) SaveDownloads(ctx context.Context, contextID string) (stop func(), err error) {
	s := &t.saving
	s.Lock()
	defer s.Unlock()
	if s.dir == "" {
		if s.dir, err = os.MkdirTemp("", "reprise-downloads-"); err != nil {
			return nil, err
		}
	}
	if s.users[contextID] == 0 {
		err = t.ask(ctx, "", "Browser.setDownloadBehavior", downloadBehavior(contextID, map[string]any{
			"behavior": "allowAndName", "downloadPath": s.dir, "eventsEnabled": true,
		}), nil)
		if err != nil {
			return nil, err
		}
	}
	s.users[contextID]++
	return sync.OnceFunc(func() { t.stopSaving(contextID) }), nil
}

func (t *Tree) stopSaving(contextID string) {
	s := &t.saving
	s.Lock()
	defer s.Unlock()
	if s.users[contextID]--; s.users[contextID] > 0 {
		return
	}
	delete(s.users, contextID)
	// Other contexts may still save: the switch of events is one for all of them.
	t.mu.Lock()
	e := t.emulation(contextID)
	t.mu.Unlock()
	t.client.Send("", "Browser.setDownloadBehavior", t.unsaved(contextID, e))
}

func downloadBehavior(contextID string, params map[string]any) map[string]any {
	if contextID != "" {
		params["browserContextId"] = contextID
	}
	return params
}

// removeSaved removes the files that no one has moved.
func (t *Tree) removeSaved() {
	t.saving.Lock()
	defer t.saving.Unlock()
	if t.saving.dir != "" {
		_ = os.RemoveAll(t.saving.dir)
		t.saving.dir = ""
	}
}

// CancelDownload ends a download, and removes what there is of its file.
func (t *Tree) CancelDownload(p *Page, id string) {
	params := map[string]any{"guid": id}
	if p.context != "" {
		params["browserContextId"] = p.context
	}
	t.client.Send("", "Browser.cancelDownload", params)
}

// errStalled is the cause that ends a wait for a download that makes no progress.
var errStalled = errors.New("it made no progress")

// WaitDownloaded returns how a download has ended. It waits as long as the download makes
// progress within stall; then the error is context.DeadlineExceeded, with what there is.
func (t *Tree) WaitDownloaded(ctx context.Context, id string, stall time.Duration) (DownloadProgress, error) {
	var now DownloadProgress
	for {
		before := now.Received
		bounded, cancel := context.WithTimeoutCause(ctx, stall, errStalled)
		err := t.Wait(bounded, func() (bool, error) {
			now = t.saving.progress[id]
			return now.State == Completed || now.State == Canceled || now.Received > before, t.client.Err()
		})
		cancel()
		switch {
		case now.State == Completed || now.State == Canceled:
			t.mu.Lock()
			delete(t.saving.progress, id)
			t.mu.Unlock()
			if now.Path == "" && now.State == Completed {
				t.saving.Lock()
				now.Path = filepath.Join(t.saving.dir, id)
				t.saving.Unlock()
			}
			return now, nil
		case errors.Is(err, errStalled):
			return now, context.DeadlineExceeded
		case err != nil:
			return now, err
		}
	}
}

// onProgress notes how far a download is.
func (t *Tree) onProgress(_ *session, params json.RawMessage) {
	var e struct {
		GUID     string        `json:"guid"`
		Received float64       `json:"receivedBytes"`
		State    DownloadState `json:"state"`
		Path     string        `json:"filePath"`
	}
	if json.Unmarshal(params, &e) != nil {
		return
	}
	if e.Received > MaxDownloadSize && e.State == InProgress {
		t.client.Send("", "Browser.cancelDownload", map[string]any{"guid": e.GUID})
	}
	t.saving.progress[e.GUID] = DownloadProgress{State: e.State, Received: int64(e.Received), Path: e.Path}
	t.change()
}

// isBlank reports whether an address is that of a window which has gone nowhere yet.
func isBlank(url string) bool { return url == "" || url == ":" || url == "about:blank" }
