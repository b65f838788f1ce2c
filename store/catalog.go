package store

import (
	"cmp"
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/go-reprise/reprise/automation"
)

// A file that changed this shortly before it was read may change again without
// a visible sign, because some file systems keep times in steps of two seconds
// (FAT) or one (HFS+). It is read again until it is older than that.
const settleTime = 2 * time.Second

// catalog knows what the documents of a directory say without reading them
// again: it looks at every file each time, and reads those that changed.
type catalog struct {
	dir   string
	turn  turn
	files map[string]*cataloged // by file name
	index *automation.Index
	round int // of refresh, to find the files that are gone
}

type cataloged struct {
	summary Summary
	info    fs.FileInfo
	settled bool
	round   int
}

func newCatalog(dir string) *catalog {
	return &catalog{
		dir:   dir,
		turn:  make(turn, 1),
		files: map[string]*cataloged{},
		index: automation.NewIndex(),
	}
}

// list gives the summaries by name and account.
func (c *catalog) list(ctx context.Context) ([]Summary, error) {
	if err := c.turn.take(ctx); err != nil {
		return nil, err
	}
	defer c.turn.give()
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

// match gives the file of the document for an address and an account, and what
// the file was like when its scope was read.
func (c *catalog) match(ctx context.Context, url, account string) (string, fs.FileInfo, error) {
	if err := c.turn.take(ctx); err != nil {
		return "", nil, err
	}
	defer c.turn.give()
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

// forget has a file read again whose times do not tell that it changed, as with
// one that may no longer be read.
func (c *catalog) forget(ctx context.Context, file string) error {
	if err := c.turn.take(ctx); err != nil {
		return err
	}
	defer c.turn.give()
	c.drop(file)
	return nil
}

// unreadOr adds to "nothing matches" that not every document could be seen.
func (c *catalog) unreadOr(err error) error {
	if !errors.Is(err, automation.ErrNoMatch) {
		return err
	}
	unread := &UnreadError{Err: err}
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

// refresh reads what has changed since the last time. The caller has the turn.
func (c *catalog) refresh(ctx context.Context) error {
	names, err := documentFiles(c.dir)
	if err != nil {
		return err
	}
	c.round++
	for _, file := range names {
		if ctx.Err() != nil {
			return context.Cause(ctx)
		}
		if err := c.look(file); err != nil {
			return err
		}
	}
	for file, f := range c.files {
		if f.round != c.round {
			c.drop(file)
		}
	}
	return nil
}

// look reads a file if it is not the one that is known.
func (c *catalog) look(file string) error {
	info, err := os.Lstat(filepath.Join(c.dir, file))
	if errors.Is(err, fs.ErrNotExist) {
		return nil // removed since the directory was read
	}
	if err != nil {
		return pathError("list", c.dir, err)
	}
	if known := c.files[file]; known != nil {
		if known.settled && sameFile(known.info, info) {
			known.round = c.round
			return nil
		}
		c.drop(file)
	}
	return c.add(file, info)
}

func (c *catalog) add(file string, info fs.FileInfo) error {
	now := time.Now()
	a, read, err := readDocument(filepath.Join(c.dir, file))
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	f := &cataloged{round: c.round}
	c.files[file] = f
	if err == nil {
		err = c.index.Add(scopeOf(a))
	}
	if err != nil {
		// Never settled: a change of permissions does not show in the times.
		name, account, _ := fileKey(file)
		f.summary, f.info = Summary{Name: name, Account: account, Err: err}, info
		return nil
	}
	f.summary, f.info = summarize(a), read
	f.settled = now.Sub(read.ModTime()) > settleTime
	return nil
}

func (c *catalog) drop(file string) {
	if f := c.files[file]; f != nil && f.summary.Err == nil {
		c.index.Remove(f.summary.Name, f.summary.Account)
	}
	delete(c.files, file)
}

// documentFiles gives the names of the documents' files, in no order. A
// directory that is not there has none.
func documentFiles(dir string) ([]string, error) {
	d, err := os.Open(dir)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, pathError("list", dir, err)
	}
	defer d.Close()
	names, err := d.Readdirnames(-1)
	if err != nil {
		return nil, pathError("list", dir, err)
	}
	return slices.DeleteFunc(names, func(name string) bool {
		return strings.HasPrefix(name, ".") || !strings.HasSuffix(name, documentExt)
	}), nil
}

func sameFile(a, b fs.FileInfo) bool {
	return os.SameFile(a, b) && a.Size() == b.Size() && a.ModTime().Equal(b.ModTime())
}

// scopeOf is what the index needs of a document: the steps stay on the disk.
func scopeOf(a *automation.Automation) *automation.Automation {
	return &automation.Automation{Name: a.Name, Match: a.Match}
}

func summarize(a *automation.Automation) Summary {
	return Summary{
		Name:        a.Name,
		Account:     a.Match.Account,
		Description: a.Description,
		URLs:        a.Match.URLs,
		Steps:       len(a.Steps),
		Revision:    a.Revision,
	}
}

func byKey(a, b Summary) int {
	return cmp.Or(strings.Compare(a.Name, b.Name), strings.Compare(a.Account, b.Account))
}
