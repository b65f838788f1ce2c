package recorder

import (
	"path"
	"regexp"
	"slices"
	"strings"

	"github.com/go-reprise/reprise/automation"
	"github.com/go-reprise/reprise/internal/target"
)

// Download makes the watcher a target.DownloadWatcher.
func (w *watcher) Download(p *target.Page, d target.Download) { w.put(heard{loads: p, loaded: d}) }

func (in *intake) downloaded(h heard) {
	if page, known := in.pages[h.loads]; known {
		in.emit(event{kind: downloaded, page: page, url: h.loaded.URL, file: h.loaded.Name})
	}
}

// downloaded notes a download as the consequence of the last step of its page: where
// from and what it is called, never what is in it.
func (m *merger) downloaded(e event) {
	i := m.lastActIn(e.page)
	if i < 0 {
		return
	}
	expected := automation.Expectation{Kind: "download", Text: m.names.fileText(e.file)}
	if glob, ok := fileGlob(e.url, m.given); ok {
		expected.URL = glob
	}
	en := &m.entries[i]
	en.step.Expect = append(slices.Clone(en.step.Expect), expected)
	m.changed(Update, i)
}

// fileGlob is the glob of where a file came from; what a page made itself, or wrote
// into the address, has no place.
func fileGlob(raw string, given func(part string) bool) (string, bool) {
	if !strings.HasPrefix(raw, "http://") && !strings.HasPrefix(raw, "https://") {
		return "", false
	}
	glob := addressGlob(raw, given)
	_, err := automation.ParseGlob(glob)
	return glob, err == nil
}

var (
	digit     = regexp.MustCompile(`\d`)
	extension = regexp.MustCompile(`^\.[A-Za-z0-9]{1,8}$`)
)

// fileText is what every later file of the kind is called, too: all of a name without
// numbers, which count or date it, or its extension. After a secret was typed pages'
// names are not quoted, as they may hold it.
func (vs *variables) fileText(name string) string {
	secret := slices.ContainsFunc(vs.declared, func(v variable) bool { return v.secret })
	if !secret && !digit.MatchString(name) && !vs.quotedIn(name) && automation.LooksSecret(name) == "" {
		return name
	}
	if ext := path.Ext(name); extension.MatchString(ext) {
		return ext
	}
	return ""
}
