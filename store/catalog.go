package store

import (
	"cmp"
	"context"
	"errors"
	"io/fs"
	"os"
	"slices"
	"strings"
	"time"

	"github.com/go-reprise/reprise/automation"
	"github.com/go-reprise/reprise/store/internal/files"
)

// A file that changed this shortly before it was read may change again without
// a visible sign, because some file systems keep times in steps of two seconds
// (FAT) or one (HFS+). It is read again until it is older than that.
const settleTime = 2 * time.Second

// catalog holds the summaries and scopes of the documents of a directory without reading
// them again: it looks at every file each time, and reads those that changed.
type catalog struct {
	dir   *files.Dir
	turn  files.Turn
	files map[string]*cataloged // by name in the folder
	index *automation.Index
	round int // of refresh, to find the files that are gone
}

type cataloged struct {
	summary Summary
	info    fs.FileInfo
	settled bool
	round   int
}

func newCatalog(dir *files.Dir) *catalog {
	return &catalog{dir: dir, turn: files.NewTurn(), files: map[string]*cataloged{}, index: automation.NewIndex()}
}

// list returns the summaries by name and account.
func (c *catalog) list(ctx context.Context) ([]Summary, error) {
	if err := c.turn.Take(ctx); err != nil {
		return nil, err
	}
	defer c.turn.Give()
	if err := c.refresh(ctx); err != nil {
		return nil, err
	}
	list := make([]Summary, 0, len(c.files))
	for _, f := range c.files {
		s := f.summary
		s.URLs = slices.Clone(s.URLs)
		list = append(list, s)
	}
	slices.SortFunc(list, byKey)
	return list, nil
}

// match returns the file of the document for an address and an account, and what
// the file was like when its scope was read.
func (c *catalog) match(ctx context.Context, url, account string) (string, fs.FileInfo, error) {
	if err := c.turn.Take(ctx); err != nil {
		return "", nil, err
	}
	defer c.turn.Give()
	if err := c.refresh(ctx); err != nil {
		return "", nil, err
	}
	found, err := c.index.Match(url, account)
	if err != nil {
		return "", nil, c.unreadOr(err)
	}
	file, err := fileName(found.Name, found.Match.Account)
	if err != nil {
		return "", nil, err
	}
	return file, c.files[file].info, nil
}

// unreadOr adds to "nothing matches" that not every document could be read.
func (c *catalog) unreadOr(err error) error {
	if !errors.Is(err, automation.ErrNoMatch) {
		return err
	}
	unread := &DecodeError{Err: err}
	for _, f := range c.files {
		if f.summary.Err != nil {
			unread.Unread = append(unread.Unread, f.summary)
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
	c.remove(file)
	return nil
}

// refresh reads what has changed since the last time. The caller has the turn.
func (c *catalog) refresh(ctx context.Context) error {
	names, err := c.dir.Names(automationsDir)
	if err != nil {
		return err
	}
	c.round++
	for _, file := range names {
		if !isDocument(file) {
			continue
		}
		if ctx.Err() != nil {
			return context.Cause(ctx)
		}
		if err := c.look(file); err != nil {
			return err
		}
	}
	for file, f := range c.files {
		if f.round != c.round {
			c.remove(file)
		}
	}
	return nil
}

// look reads a file if it is not the one that is in the catalog.
func (c *catalog) look(file string) error {
	info, err := c.dir.Stat(automationsDir + "/" + file)
	if errors.Is(err, fs.ErrNotExist) {
		return nil // removed since the directory was read
	}
	if err != nil {
		return pathError("list", c.dir.Path(automationsDir), err)
	}
	if known := c.files[file]; known != nil {
		if known.settled && sameFile(known.info, info) {
			known.round = c.round
			return nil
		}
		c.remove(file)
	}
	now := time.Now()
	a, read, err := readDocument(c.dir, automationsDir+"/"+file)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	f := &cataloged{round: c.round}
	c.files[file] = f
	if err == nil { // the index needs the scope alone: the steps stay on the disk
		err = c.index.Add(&automation.Automation{Name: a.Name, Match: a.Match})
	}
	if err != nil {
		// Never settled: a change of permissions does not show in the times.
		name, account, _ := fileKey(file)
		f.summary, f.info = Summary{Name: name, Account: account, Err: err}, info
		return nil
	}
	f.summary = Summary{
		Name: a.Name, Account: a.Match.Account, Description: a.Description,
		URLs: a.Match.URLs, Steps: len(a.Steps), Revision: a.Revision,
	}
	f.info, f.settled = read, now.Sub(read.ModTime()) > settleTime
	return nil
}

func (c *catalog) remove(file string) {
	if f := c.files[file]; f != nil && f.summary.Err == nil {
		c.index.Remove(f.summary.Name, f.summary.Account)
	}
	delete(c.files, file)
}

func sameFile(a, b fs.FileInfo) bool {
	return os.SameFile(a, b) && a.Size() == b.Size() && a.ModTime().Equal(b.ModTime())
}

func byKey(a, b Summary) int {
	return cmp.Or(strings.Compare(a.Name, b.Name), strings.Compare(a.Account, b.Account))
}
