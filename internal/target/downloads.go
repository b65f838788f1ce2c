package target

import (
	"context"
	"encoding/json"
	"slices"
)

// Download is one that has begun. What becomes of it is for anyone who set how the
// browser deals with downloads: it is told of also where they are refused, as they
// are in a browser without a window.
type Download struct {
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

// onDownload notes a download where it was asked for: a window that was opened for
// it, and got no document of its own, is only the way there.
func (t *Tree) onDownload(s *session, params json.RawMessage) {
	var e struct {
		FrameID string `json:"frameId"`
		URL     string `json:"url"`
		Name    string `json:"suggestedFilename"`
	}
	if s == nil || json.Unmarshal(params, &e) != nil {
		return
	}
	p := s.page
	for p.opener != nil && !p.opener.closed && isBlank(p.main.url) {
		p = p.opener
	}
	d := Download{Frame: e.FrameID, URL: e.URL, Name: e.Name}
	p.downloads = append(p.downloads, d)
	for _, w := range p.watchers {
		if w, hears := w.(DownloadWatcher); hears {
			w.Download(p, d)
		}
	}
	t.change()
}

// isBlank reports whether an address is that of a window which has gone nowhere yet.
func isBlank(url string) bool { return url == "" || url == ":" || url == "about:blank" }
