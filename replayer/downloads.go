package replayer

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	"github.com/go-reprise/reprise/internal/load"
	"github.com/go-reprise/reprise/internal/target"
)

// Download is a file that the browser downloaded in a run.
type Download struct {
	// Name of the file. The site suggested it: it is made safe to use as a name, and numbered
	// where the directory had one of that name.
	Name   string        `json:"name"`
	Path   string        `json:"path,omitempty"` // of the file; only where it was saved
	Size   int64         `json:"size"`
	SHA256 string        `json:"sha256,omitempty"`
	URL    string        `json:"url"`  // where it came from, without its query
	Step   int           `json:"step"` // index of the one in which it began
	State  DownloadState `json:"state"`
	Reason string        `json:"reason,omitempty"` // why it was not saved
}

// DownloadState is what became of a download.
type DownloadState string

// The states of a download.
const (
	DownloadSaved      DownloadState = "saved"
	DownloadCanceled   DownloadState = "canceled"   // by the browser, the site or the network
	DownloadUnfinished DownloadState = "unfinished" // it made no progress, or the run was ended
	DownloadLost       DownloadState = "lost"       // it is not where this program can save it
)

const (
	// maxDownloads is how many files a run saves: a page may begin any number.
	maxDownloads = 100
	// maxDownloadTime bounds the wait for all downloads of a run, also for a site that goes on
	// sending a byte now and then.
	maxDownloadTime = 30 * time.Minute
	// maxNameBytes leaves room for a number in the 255 bytes of common file systems.
	maxNameBytes = 200
	maxExtension = 16

	downloadDirPerm, downloadPerm = 0o700, 0o600
)

// downloads are those that pages of a run have begun.
type downloads struct {
	stop func() // nil where none are saved

	// Guarded by the tree.
	begun []begunDownload
	step  int // that is done now
}

type begunDownload struct {
	target.Download
	page     *target.Page
	step     int
	expected bool // a step waits for it
}

// Download notes one. It makes tabs a target.DownloadWatcher.
func (t *tabs) Download(p *target.Page, d target.Download) {
	t.downloads.begun = append(t.downloads.begun, begunDownload{Download: d, page: p, step: t.downloads.step})
}

// expectedDownload notes that a step waits for a download.
func (t *tabs) expectedDownload(id string) {
	t.first.Tree().Do(func() {
		for i := range t.downloads.begun {
			if t.downloads.begun[i].ID == id {
				t.downloads.begun[i].expected = true
			}
		}
	})
}

// saveDownloads has the browser save what the pages of the run download.
func (r *run) saveDownloads(ctx context.Context) (err error) {
	if r.options.Downloads == "" || r.nesting.inside != nil || r.tabs.downloads.stop != nil {
		return nil
	}
	r.tabs.downloads.stop, err = r.tabs.first.Tree().SaveDownloads(ctx, r.tabs.first.ContextID())
	return err
}

// collectDownloads waits for the downloads that have begun, and saves them. The error is of
// the first that a step expected and that was not saved, with that step as its Step.
func (r *run) collectDownloads(ctx context.Context) *Error {
	if outer := r.nesting.inside; outer != nil {
		r.passDownloads(outer)
		return nil
	}
	if r.tabs.downloads.stop == nil {
		return nil
	}
	var begun []begunDownload
	r.tabs.first.Tree().Do(func() { begun, r.tabs.downloads.begun = r.tabs.downloads.begun, nil })
	waiting, cancel := context.WithTimeout(ctx, maxDownloadTime)
	defer cancel()
	var failed *Error
	for _, d := range begun {
		saved, err := r.collectDownload(waiting, d)
		r.result.Downloads = append(r.result.Downloads, saved)
		if err == nil || !d.expected || failed != nil {
			continue
		}
		if ctx.Err() == nil {
			err = &Error{Code: Timeout, Reason: fmt.Sprintf("the download of %s was not saved: %s", saved.Name, saved.Reason), Err: err}
		}
		failed = stepError(ctx, err, d.step, r.automation.Steps[d.step])
	}
	return failed
}

// passDownloads leaves to the outer run what it has not seen itself, as in tabs that this one
// opened. To it they are of the step that plays this run.
func (r *run) passDownloads(outer *run) {
	r.tabs.first.Tree().Do(func() {
		all := &outer.tabs.downloads
		for _, d := range r.tabs.downloads.begun {
			i := slices.IndexFunc(all.begun, func(o begunDownload) bool { return o.ID == d.ID })
			if i < 0 {
				d.step = all.step
				all.begun = append(all.begun, d)
			} else if d.expected {
				all.begun[i].expected = true
			}
		}
		r.tabs.downloads.begun = nil
	})
}

// collectDownload waits for one, and moves it to where it is saved.
func (r *run) collectDownload(ctx context.Context, d begunDownload) (Download, error) {
	saved := Download{Name: fileName(r.secrets.redact(d.Name)), URL: r.secrets.redact(downloadURL(d.URL)), Step: d.step}
	not := func(state DownloadState, reason string, err error) (Download, error) {
		saved.State, saved.Reason = state, reason
		return saved, err
	}
	if len(r.result.Downloads) >= maxDownloads {
		d.page.Tree().CancelDownload(d.page, d.ID)
		reason := fmt.Sprintf("the run has %d files already", maxDownloads)
		return not(DownloadCanceled, reason, errors.New(reason))
	}
	got, err := d.page.Tree().WaitDownloaded(ctx, d.ID, r.options.Timeout)
	saved.Size = got.Received
	switch {
	case errors.Is(err, context.DeadlineExceeded):
		d.page.Tree().CancelDownload(d.page, d.ID)
		return not(DownloadUnfinished, fmt.Sprintf("it had not ended after %d bytes, and none came for %v", got.Received, r.options.Timeout), err)
	case err != nil:
		d.page.Tree().CancelDownload(d.page, d.ID)
		return not(DownloadUnfinished, "the run was ended before it was complete", err)
	case got.State == target.Canceled && got.Received > target.MaxDownloadSize:
		return not(DownloadCanceled, fmt.Sprintf("it is larger than %d bytes", int64(target.MaxDownloadSize)), errDownloadCanceled)
	case got.State == target.Canceled:
		return not(DownloadCanceled, "the browser, the site or the network ended it", errDownloadCanceled)
	}
	err = saved.moveFrom(got.Path, r.options.Downloads)
	if errors.Is(err, fs.ErrNotExist) {
		return not(DownloadLost, "the browser has it on another machine", err)
	}
	if err != nil {
		return not(DownloadLost, "it could not be moved to "+r.options.Downloads, err)
	}
	saved.State = DownloadSaved
	return saved, nil
}

var errDownloadCanceled = errors.New("the download was canceled")

// downloadURL is where a download came from, without what may be secret. The content of a
// data: URL is the file.
func downloadURL(address string) string {
	if strings.HasPrefix(address, "data:") {
		return "data:"
	}
	return shown(address)
}

// moveFrom moves the file into a directory, under a name that no other file there has.
func (d *Download) moveFrom(file, dir string) error {
	in, err := os.Open(file)
	if err != nil {
		return err
	}
	defer func() { _ = in.Close() }()
	sum := sha256.New()
	if d.Size, err = io.Copy(sum, in); err != nil {
		return err
	}
	if dir, err = filepath.Abs(dir); err != nil {
		return err
	}
	if err := os.MkdirAll(dir, downloadDirPerm); err != nil {
		return err
	}
	claimed, err := claimName(dir, d.Name)
	if err != nil {
		return err
	}
	err = os.Chmod(file, downloadPerm)
	if err == nil {
		err = os.Rename(file, claimed.Name()) // over what was claimed, at once
	}
	if err != nil { // as between file systems
		if _, err = in.Seek(0, io.SeekStart); err == nil {
			_, err = io.Copy(claimed, in)
		}
		_ = os.Remove(file)
	}
	if err = errors.Join(err, claimed.Close()); err != nil {
		return errors.Join(err, os.Remove(claimed.Name()))
	}
	d.Path, d.Name, d.SHA256 = claimed.Name(), filepath.Base(claimed.Name()), hex.EncodeToString(sum.Sum(nil))
	return nil
}

// claimName creates a file by a name, or by the next of its numbered names that is free:
// runs that share a directory, in other processes too, never get the same.
func claimName(dir, name string) (*os.File, error) {
	extension := filepath.Ext(name)
	stem := strings.TrimSuffix(name, extension)
	for n := 0; ; n++ {
		if n > 0 {
			name = fmt.Sprintf("%s (%d)%s", stem, n, extension)
		}
		f, err := os.OpenFile(filepath.Join(dir, name), os.O_CREATE|os.O_EXCL|os.O_WRONLY, downloadPerm)
		if !errors.Is(err, fs.ErrExist) {
			return f, err
		}
	}
}

// fileName makes a name that a site suggests one of a file in a directory: no path, not
// hidden, no option of a program, nothing that cannot be seen, and short enough.
func fileName(suggested string) string {
	suggested = suggested[strings.LastIndexAny(suggested, `/\`)+1:]
	name := strings.Map(func(c rune) rune {
		switch {
		case c == utf8.RuneError, strings.ContainsRune(`<>:"|?*`, c):
			return '_'
		case unicode.IsControl(c), unicode.Is(unicode.Cf, c), unicode.Is(unicode.Zl, c), unicode.Is(unicode.Zp, c):
			return -1 // marks of direction make exe.txt of txt.exe
		case unicode.IsSpace(c):
			return ' '
		}
		return c
	}, suggested)
	name = strings.TrimLeft(strings.Trim(name, ". "), "-. ")
	extension := filepath.Ext(name)
	if len(extension) > maxExtension {
		extension = ""
	}
	stem := strings.TrimSuffix(name, extension)
	for len(stem)+len(extension) > maxNameBytes {
		_, size := utf8.DecodeLastRuneInString(stem)
		stem = stem[:len(stem)-size]
	}
	if stem == "" {
		return "download" + extension
	}
	return stem + extension
}

// answerTimeout is how long a navigation may take to turn out to be a download.
const answerTimeout = time.Second

// awaitAnswer waits for the navigations that a call has set off to begin a document or a
// download; a slower one is found out by a later call.
func (s *Session) awaitAnswer(ctx context.Context) {
	ctx, cancel := load.WithTimeout(ctx, answerTimeout)
	defer cancel()
	for _, name := range s.led.opened {
		if page := s.run.tabs.named[name]; page != nil {
			_ = page.Begun(ctx)
		}
	}
	for _, page := range s.run.tabs.named {
		_ = page.Answered(ctx)
	}
}

// Downloads are what the pages of the session have downloaded since the last call of
// Downloads. What has begun is waited for.
func (s *Session) Downloads(ctx context.Context) []Download {
	if s.err == nil && s.run.tabs.downloads.stop != nil {
		s.awaitAnswer(ctx)
		_ = s.run.collectDownloads(ctx) // the states tell
	}
	saved := s.run.result.Downloads
	s.run.result.Downloads = nil
	return saved
}
