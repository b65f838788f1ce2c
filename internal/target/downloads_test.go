package target_test

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/go-reprise/reprise/internal/target"
)

// downloads is a page with every way to one. Its elements are large enough to be
// clicked in the middle of the page.
const downloads = `<style>a, button { position: fixed; inset: 0; display: none; opacity: 0 } :target { display: block }</style>
	<a id=link href=/report>a</a> <a id=named download="notes.txt" href="data:text/plain,hi">b</a>
	<a id=tab target=_blank href=/report>c</a> <a id=frame target=inner href=/report>d</a><iframe name=inner></iframe>
	<button id=blob onclick="const a = document.createElement('a'); a.href = window.URL.createObjectURL(new Blob(['x'])); a.download = 'b.bin'; a.click()">e</button>
	<button id=open onclick="window.open('/report')">f</button>
	<form action=/report method=post><button id=form>g</button></form>`

func sendReport(w http.ResponseWriter, _ *http.Request) {
	w.Header().Set("Content-Disposition", `attachment; filename="report of today.csv"`)
	_, _ = fmt.Fprint(w, "a,b\n")
}

// downloadEar hears of downloads in addition to what others hear.
type downloadEar struct {
	ear
	files []string
	pages []*target.Page
}

func (e *downloadEar) Download(p *target.Page, d target.Download) {
	e.note(func() { e.files, e.pages = append(e.files, d.Name), append(e.pages, p) })
}

func TestADownloadIsToldOfWhereItWasAskedFor(t *testing.T) {
	t.Parallel()
	here, _ := site(t, map[string]any{"/": downloads, "/report": sendReport})
	for id, want := range map[string]target.Download{
		"link":  {URL: here + "/report", Name: "report of today.csv"},
		"named": {URL: "data:text/plain,hi", Name: "notes.txt"},
		"tab":   {URL: here + "/report", Name: "report of today.csv"},
		"frame": {URL: here + "/report", Name: "report of today.csv"},
		"blob":  {URL: "blob:", Name: "b.bin"},
		"open":  {URL: here + "/report", Name: "report of today.csv"},
		"form":  {URL: here + "/report", Name: "report of today.csv"},
	} {
		t.Run(id, func(t *testing.T) {
			t.Parallel()
			p := open(t, here)
			heard := &downloadEar{}
			t.Cleanup(p.Watch(heard))
			before := len(p.Downloads())
			clicks(id, "left", 0)(t, p)
			got, err := p.WaitDownload(within(t), before)
			if err != nil {
				t.Fatal(err)
			}
			got.ID, got.Frame = "", ""
			if strings.HasPrefix(got.URL, "blob:") {
				got.URL = "blob:"
			}
			if diff := cmp.Diff(want, got); diff != "" {
				t.Errorf("the download (-want +got):\n%s", diff)
			}
			p.Tree().Do(func() {
				if len(heard.files) != 1 || heard.files[0] != want.Name || heard.pages[0] != p {
					t.Errorf("told of %q in %v, want %q once, in the page that asked", heard.files, heard.pages, want.Name)
				}
			})
			if p.URL() != here+"/#"+id {
				t.Errorf("the page has gone to %s", p.URL())
			}
		})
	}
}

func TestADownloadThatDoesNotComeIsWaitedForNoLonger(t *testing.T) {
	t.Parallel()
	here, _ := site(t, map[string]any{"/": downloads})
	p := open(t, here)
	bounded, cancel := context.WithTimeout(within(t), 20*time.Millisecond)
	defer cancel()
	if d, err := p.WaitDownload(bounded, 0); !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("waiting gave %+v, %v", d, err)
	}
	if err := p.Close(within(t)); err != nil {
		t.Fatal(err)
	}
	if _, err := p.WaitDownload(within(t), 0); !errors.Is(err, target.ErrClosed) {
		t.Errorf("waiting in a page that was closed gave %v", err)
	}
}
