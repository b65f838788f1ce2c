package store

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"iter"
	"slices"
	"strings"
	"sync"
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

func (e *cataloged) scope() automation.Scope {
	return automation.Scope{URLs: e.URLs, Account: e.Account, Blocker: e.Blocker}
}

func newCatalog(dir *files.Dir) *catalog { return &catalog{dir: dir, turn: files.NewTurn()} }

// firstListed is how many files are looked at before the first document is listed; each
// time after that, twice as many.
const firstListed = 32

// list returns the documents by name and account. It looks at the files as far as the caller
// goes, and the caller has no turn meanwhile.
func (c *catalog) list(ctx context.Context) iter.Seq2[*cataloged, error] {
	return func(yield func(*cataloged, error) bool) {
		known, err := c.known(ctx)
		var names []string
		if err == nil {
			names, err = c.names()
		}
		slices.SortFunc(names, byKeyOf)
		now, read := make([]*cataloged, 0, len(names)), 0
		for size := firstListed; len(names) > 0 && err == nil; size *= 2 {
			some := names[:min(size, len(names))]
			names = names[len(some):]
			var stamps []files.Stamp
			if stamps, err = c.dir.Stamps(automationsDir, some); err != nil {
				break
			}
			for i, name := range some {
				if ctx.Err() != nil {
					yield(nil, context.Cause(ctx))
					return
				}
				var old *cataloged
				if at, is := slices.BinarySearchFunc(known, name, byFile); is {
					old = known[at]
				}
				e := old.orRead(c.dir, name, stamps[i])
				if e == nil {
					continue
				}
				if now = append(now, e); e != old && e.stable {
					read++
				}
				if !yield(e, nil) {
					return
				}
			}
		}
		if err == nil {
			slices.SortFunc(now, func(a, b *cataloged) int { return byFile(a, b.file) })
			err = c.store(ctx, now, read)
		}
		if err != nil {
			yield(nil, err)
		}
	}
}

// known returns what is known without a look at the files.
func (c *catalog) known(ctx context.Context) ([]*cataloged, error) {
	if err := c.turn.Take(ctx); err != nil {
		return nil, err
	}
	defer c.turn.Give()
	c.load()
	return c.entries, nil
}

// load reads what is stored, the first time. The caller has the turn.
func (c *catalog) load() {
	if !c.loaded {
		c.entries, c.loaded = loadCatalog(c.dir), true
	}
}

// store takes over the entries of all files, of which some were read.
func (c *catalog) store(ctx context.Context, now []*cataloged, read int) error {
	if err := c.turn.Take(ctx); err != nil {
		return err
	}
	defer c.turn.Give()
	c.replace(ctx, now, read)
	return nil
}

// match returns the document for an address, an account and a blocker, as automation.Index finds it among
// those that have a place of the address.
func (c *catalog) match(ctx context.Context, url, account string, blocker automation.Reason) (*cataloged, error) {
	if err := c.turn.Take(ctx); err != nil {
		return nil, err
	}
	defer c.turn.Give()
	if err := c.refresh(ctx); err != nil {
		return nil, err
	}
	wanted := map[uint64]bool{}
	if places, err := automation.BlockerPlaces(url, blocker); err == nil { // otherwise the index says what is wrong with it
		for _, place := range places {
			wanted[hashOfPlace(place)] = true
		}
	}
	index, found := automation.NewIndex(), map[*automation.Automation]*cataloged{}
	for _, e := range c.entries {
		if e.Err != nil || e.Blocker != blocker || e.Account != "" && e.Account != account || !slices.ContainsFunc(e.places, func(p uint64) bool { return wanted[p] }) {
			continue
		}
		a := &automation.Automation{Name: e.Name, Match: e.scope()}
		if index.Add(a) != nil { // the index file is not what this program wrote
			e = readCataloged(c.dir, e.file, e.stamp)
			if e == nil || e.Err != nil {
				continue
			}
			a.Match = e.scope()
			if err := index.Add(a); err != nil {
				return nil, err // its scope was parsed when it was read
			}
		}
		found[a] = e
	}
	best, err := index.MatchBlocker(url, account, blocker)
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

// byKeyOf compares files as byKey does what is in them.
func byKeyOf(a, b string) int {
	nameA, _, _ := strings.Cut(strings.TrimSuffix(a, documentExt), "@")
	nameB, _, _ := strings.Cut(strings.TrimSuffix(b, documentExt), "@")
	if order := strings.Compare(nameA, nameB); order != 0 {
		return order
	}
	_, accountA, _ := fileKey(a)
	_, accountB, _ := fileKey(b)
	return strings.Compare(accountA, accountB)
}

// refresh reads what has changed since the last time. The caller has the turn.
func (c *catalog) refresh(ctx context.Context) error {
	var loading sync.WaitGroup
	loading.Go(c.load)
	names, err := c.names()
	loading.Wait()
	if err != nil {
		return err
	}
	stamps, err := c.dir.Stamps(automationsDir, names)
	if err != nil {
		return err
	}
	olds := make([]*cataloged, len(names)) // what is known of each
	known := c.entries
	for i, name := range names {
		for len(known) > 0 && known[0].file < name {
			known = known[1:]
		}
		if len(known) > 0 && known[0].file == name {
			olds[i] = known[0]
		}
	}
	news := make([]*cataloged, len(names))
	files.Each(len(names), func(i int) {
		if ctx.Err() == nil {
			news[i] = olds[i].orRead(c.dir, names[i], stamps[i])
		}
	})
	if ctx.Err() != nil {
		return context.Cause(ctx)
	}
	now, read := make([]*cataloged, 0, len(names)), 0
	for i, e := range news {
		if e == nil {
			continue
		}
		if now = append(now, e); e != olds[i] && e.stable {
			read++
		}
	}
	c.replace(ctx, now, read)
	return nil
}

// names returns the files of documents, sorted.
func (c *catalog) names() ([]string, error) {
	names, err := c.dir.Names(automationsDir)
	return slices.DeleteFunc(names, func(name string) bool { return !isDocument(name) }), err
}

// replace stores the entries, in a file where many were read. The caller has the turn.
func (c *catalog) replace(ctx context.Context, now []*cataloged, read int) {
	c.entries = now
	if read > maxUnindexed {
		saveCatalog(ctx, c.dir, now)
	}
}

// orRead returns the entry of a file with this stamp: the one that is known, which may be nil,
// or else what is read; nil where the file has gone.
func (e *cataloged) orRead(dir *files.Dir, file string, stamp files.Stamp) *cataloged {
	switch {
	case stamp == (files.Stamp{}):
		return nil
	case e != nil && e.stable && e.stamp == stamp:
		return e
	}
	return readCataloged(dir, file, stamp)
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
			URLs: a.Match.URLs, Blocker: a.Match.Blocker, Steps: len(a.Steps), Revision: a.Revision,
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
