package store

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"slices"
	"strings"
	"time"

	"github.com/go-reprise/reprise/automation"
	"github.com/go-reprise/reprise/store/internal/files"
)

// A file that changed this shortly before it was read may change again without
// a visible sign, because some file systems keep times in steps of two seconds
// (FAT) or one (HFS+). It is read again until it is older than that.
const stableAfter = 2 * time.Second

// catalog holds the summaries and scopes of the documents of a directory without reading
// them again: it looks at every file each time, and reads those that changed. What it knows
// of a large directory it stores in a file (see catalogfile.go).
type catalog struct {
	dir     *files.Dir
	turn    files.Turn
	loaded  bool
	entries []*cataloged // by file
}

// cataloged is a document as it was when its file was read. It is never changed.
type cataloged struct {
	file   string // in the folder
	stamp  files.Stamp
	stable bool
	Summary
	places []uint64 // the hashes of its automation.Scope.IndexKeys
}

func newCatalog(dir *files.Dir) *catalog { return &catalog{dir: dir, turn: files.NewTurn()} }

// list returns the documents by name and account.
func (c *catalog) list(ctx context.Context) ([]*cataloged, error) {
	if err := c.turn.Take(ctx); err != nil {
		return nil, err
	}
	defer c.turn.Give()
	if err := c.refresh(ctx); err != nil {
		return nil, err
	}
	list := slices.Clone(c.entries)
	slices.SortFunc(list, func(a, b *cataloged) int { return byKey(a.Summary, b.Summary) })
	return list, nil
}

// match returns the document for an address and an account, as automation.Index finds it among
// those that have a place of the address.
func (c *catalog) match(ctx context.Context, url, account string) (*cataloged, error) {
	if err := c.turn.Take(ctx); err != nil {
		return nil, err
	}
	defer c.turn.Give()
	if err := c.refresh(ctx); err != nil {
		return nil, err
	}
	wanted := map[uint64]bool{}
	if places, err := automation.Places(url); err == nil { // otherwise the index says what is wrong with it
		for _, place := range places {
			wanted[hashOfPlace(place)] = true
		}
	}
	index, found := automation.NewIndex(), map[*automation.Automation]*cataloged{}
	for _, e := range c.entries {
		if e.Err != nil || e.Account != "" && e.Account != account || !slices.ContainsFunc(e.places, func(p uint64) bool { return wanted[p] }) {
			continue
		}
		a := &automation.Automation{Name: e.Name, Match: automation.Scope{Account: e.Account, URLs: e.URLs}}
		if err := index.Add(a); err != nil {
			return nil, err // its scope was parsed when its places were made
		}
		found[a] = e
	}
	best, err := index.Match(url, account)
	if err != nil {
		return nil, c.unreadOr(err)
	}
	return found[best], nil
}

// unreadOr adds to "nothing matches" that not every document could be read.
func (c *catalog) unreadOr(err error) error {
	if !errors.Is(err, automation.ErrNoMatch) {
		return err
	}
	unread := &DecodeError{Err: err}
	for _, e := range c.entries {
		if e.Err != nil {
			unread.Unread = append(unread.Unread, e.Summary)
		}
	}
	if len(unread.Unread) == 0 {
		return err
	}
	slices.SortFunc(unread.Unread, byKey)
	return unread
}

// drop has a file read again whose times do not show that it changed, as with
// one that may no longer be read.
func (c *catalog) drop(ctx context.Context, file string) error {
	if err := c.turn.Take(ctx); err != nil {
		return err
	}
	defer c.turn.Give()
	if i, is := slices.BinarySearchFunc(c.entries, file, byFile); is {
		c.entries = slices.Delete(slices.Clone(c.entries), i, i+1)
	}
	return nil
}

func byFile(e *cataloged, file string) int { return strings.Compare(e.file, file) }

// refresh reads what has changed since the last time. The caller has the turn.
func (c *catalog) refresh(ctx context.Context) error {
	if !c.loaded {
		c.entries, c.loaded = loadCatalog(c.dir), true
	}
	names, err := c.dir.Names(automationsDir)
	if err != nil {
		return err
	}
	names = slices.DeleteFunc(names, func(name string) bool { return !isDocument(name) })
	stamps, err := c.dir.Stamps(automationsDir, names)
	if err != nil {
		return err
	}
	known, now, read := c.entries, make([]*cataloged, 0, len(names)), 0
	for i, name := range names {
		if ctx.Err() != nil {
			return context.Cause(ctx)
		}
		if stamps[i] == (files.Stamp{}) {
			continue // removed since the directory was read
		}
		for len(known) > 0 && known[0].file < name {
			known = known[1:]
		}
		if len(known) > 0 && known[0].file == name && known[0].stable && known[0].stamp == stamps[i] {
			now = append(now, known[0])
			continue
		}
		if e := readCataloged(c.dir, name, stamps[i]); e != nil {
			now = append(now, e)
			if e.stable {
				read++
			}
		}
	}
	c.entries = now
	if read > maxUnindexed {
		saveCatalog(ctx, c.dir, now)
	}
	return nil
}

// readCataloged reads the document of a file; nil where it has gone.
func readCataloged(dir *files.Dir, file string, stamp files.Stamp) *cataloged {
	began := time.Now()
	a, info, err := readDocument(dir, automationsDir+"/"+file)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	var places []string
	if err == nil {
		if places, err = a.Match.IndexKeys(); err != nil {
			err = fmt.Errorf("automation %q: %w", a.Name, err)
		}
	}
	if err != nil {
		// Never stable: a change of permissions does not show in the times.
		name, account, _ := fileKey(file)
		return &cataloged{file: file, stamp: stamp, Summary: Summary{Name: name, Account: account, Err: err}}
	}
	e := &cataloged{
		file: file, stamp: files.StampOf(info), stable: began.Sub(info.ModTime()) > stableAfter,
		Summary: Summary{
			Name: a.Name, Account: a.Match.Account, Description: a.Description,
			URLs: a.Match.URLs, Steps: len(a.Steps), Revision: a.Revision,
		},
	}
	for _, place := range places {
		e.places = append(e.places, hashOfPlace(place))
	}
	return e
}

// hashOfPlace is FNV-1a. Where two places have the same, the index of what is found tells
// them apart.
func hashOfPlace(place string) uint64 {
	h := uint64(14695981039346656037)
	for i := range len(place) {
		h = (h ^ uint64(place[i])) * 1099511628211
	}
	return h
}

func byKey(a, b Summary) int {
	return cmp.Or(strings.Compare(a.Name, b.Name), strings.Compare(a.Account, b.Account))
}
