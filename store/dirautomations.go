package store

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"iter"
	"net/url"
	"path"
	"regexp"
	"slices"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/go-reprise/reprise/automation"
	"github.com/go-reprise/reprise/store/internal/files"
)

// dirAutomations has a document in automations/NAME.json or NAME@ACCOUNT.json.
type dirAutomations struct{ *dir }

// Automations returns the documents.
func (d *dir) Automations() Automations { return dirAutomations{d} }

// Save checks and encodes before it takes the lock, and under the lock only
// compares and writes.
func (d dirAutomations) Save(ctx context.Context, a *automation.Automation) (*automation.Automation, error) {
	if err := d.Ready(ctx); err != nil {
		return nil, err
	}
	have := 0
	if a != nil {
		have = a.Revision
	}
	data, saved, err := encodeAutomation(a, have+1)
	if err != nil {
		return nil, err
	}
	name, account := saved.Name, saved.Match.Account
	file, err := fileName(name, account)
	if err != nil {
		return nil, err
	}
	file = automationsDir + "/" + file
	err = d.Write(ctx, func() error {
		if err := d.compare(file, name, account, have); err != nil {
			return err
		}
		return d.Replace(file, data)
	})
	if err != nil {
		return nil, err
	}
	return saved, nil
}

// compare refuses a revision that is not the stored one.
func (d dirAutomations) compare(file, name, account string, have int) error {
	stored := 0
	a, _, err := readDocument(d.Dir, file)
	switch {
	case err == nil:
		stored = a.Revision
	case !errors.Is(err, fs.ErrNotExist):
		return err
	}
	if stored != have {
		return &ConflictError{Name: name, Account: account, Have: have, Stored: stored}
	}
	return nil
}

func (d dirAutomations) Get(ctx context.Context, name, account string) (*automation.Automation, error) {
	if err := d.Ready(ctx); err != nil {
		return nil, err
	}
	file, err := d.existing(name, account)
	if err != nil {
		return nil, err
	}
	a, _, err := readDocument(d.Dir, file)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, d.notFound(name, account)
	}
	return a, err
}

func (d dirAutomations) List(ctx context.Context) iter.Seq2[Summary, error] {
	return func(yield func(Summary, error) bool) {
		if err := d.Ready(ctx); err != nil {
			yield(Summary{}, err)
			return
		}
		for e, err := range d.catalog.list(ctx) {
			if err != nil {
				yield(Summary{}, err)
				return
			}
			s := e.Summary
			s.URLs = slices.Clone(s.URLs)
			if !yield(s, nil) {
				return
			}
		}
	}
}

func (d dirAutomations) Delete(ctx context.Context, name, account string, revision int) error {
	if err := d.Ready(ctx); err != nil {
		return err
	}
	if _, err := d.existing(name, account); err != nil { // before there is a lock to be waited for
		return err
	}
	return d.Write(ctx, func() error {
		file, err := d.existing(name, account)
		if err != nil {
			return err
		}
		if revision != AnyRevision {
			if err := d.compare(file, name, account, revision); err != nil {
				return err
			}
		}
		return d.Remove(file)
	})
}

// Match looks the document up by its scope and then reads it. When the file
// has changed in between, the scope may have, too, and it is looked up again.
func (d dirAutomations) Match(ctx context.Context, url, account string) (*automation.Automation, error) {
	return d.MatchBlocker(ctx, url, account, "")
}

// MatchBlocker is Match for a blocker.
func (d dirAutomations) MatchBlocker(ctx context.Context, url, account string, blocker automation.Reason) (*automation.Automation, error) {
	for {
		if err := d.Ready(ctx); err != nil {
			return nil, err
		}
		found, err := d.catalog.match(ctx, url, account, blocker)
		if err != nil {
			return nil, err
		}
		a, info, err := readDocument(d.Dir, automationsDir+"/"+found.file)
		if err == nil && files.StampOf(info) == found.stamp && slices.Equal(a.Match.URLs, found.URLs) && a.Match.Blocker == found.Blocker {
			return a, nil
		}
		if err := d.catalog.drop(ctx, found.file); err != nil {
			return nil, err
		}
	}
}

// Version returns a text that changes when a document is added, removed or replaced; "" shortly
// after that. It costs one look at the folder, and does not show that a file was changed in its
// place.
func (d dirAutomations) Version(ctx context.Context) (string, error) {
	if err := d.Ready(ctx); err != nil {
		return "", err
	}
	info, err := d.Stat(automationsDir)
	if errors.Is(err, fs.ErrNotExist) {
		return "none", nil
	}
	if err != nil {
		return "", pathError("list", d.Path(automationsDir), err)
	}
	if time.Since(info.ModTime()) <= stableAfter {
		return "", nil
	}
	stamp := files.StampOf(info)
	return fmt.Sprint(stamp.Inode, " ", stamp.Modified), nil
}

// existing returns the file of a document that is there.
func (d dirAutomations) existing(name, account string) (string, error) {
	file, err := fileName(name, account)
	if err != nil || !namePattern.MatchString(name) {
		return "", d.notFound(name, account)
	}
	file = automationsDir + "/" + file
	_, err = d.Stat(file)
	if errors.Is(err, fs.ErrNotExist) {
		return "", d.notFound(name, account)
	}
	return file, pathError("read", d.Path(file), err)
}

// notFound makes the error that names the accounts of a document that is not there.
func (d dirAutomations) notFound(name, account string) error {
	names, err := d.Names(automationsDir)
	if err != nil {
		return err
	}
	missing := &NotFoundError{Name: name, Account: account}
	for _, file := range names {
		if n, a, ok := fileKey(file); ok && n == name && isDocument(file) {
			missing.Accounts = append(missing.Accounts, a)
		}
	}
	slices.Sort(missing.Accounts)
	return missing
}

const documentExt = ".json"

// isDocument reports whether a file of the folder is a document: temporary files, of which
// other programs have some too, begin with a dot.
func isDocument(file string) bool {
	return !strings.HasPrefix(file, ".") && strings.HasSuffix(file, documentExt)
}

// The names that automation allows. They are checked again before one becomes
// part of a path.
var namePattern = regexp.MustCompile(`^[a-z][a-z0-9-]{0,50}$`)

// fileName returns the file of an automation: NAME.json or NAME@ACCOUNT.json. It
// is one path element, and fileKey reads it back. The name is a valid one, so
// it has no @ in it.
func fileName(name, account string) (string, error) {
	if account == "" {
		return name + documentExt, nil
	}
	if !utf8.ValidString(account) {
		return "", &AccountError{account, "it is not valid UTF-8"}
	}
	file := name + "@" + files.Escape(account) + documentExt
	if len(file) > files.MaxName {
		return "", &AccountError{account, "it is too long for the name of a file: use a shorter label"}
	}
	return file, nil
}

// fileKey returns the name and account that a file name stands for; ok is false
// when fileName would not have made it.
func fileKey(file string) (name, account string, ok bool) {
	base, ok := strings.CutSuffix(file, documentExt)
	if !ok {
		return "", "", false
	}
	name, escaped, _ := strings.Cut(base, "@")
	account, err := url.PathUnescape(escaped)
	if err != nil {
		return name, escaped, false
	}
	again, err := fileName(name, account)
	return name, account, err == nil && again == file && namePattern.MatchString(name)
}

// encodeAutomation returns the text of a document at a revision, and what reading it back
// returns, which is the caller's private copy. A document that would not be read
// again is refused here, before anything is written; so is what looks like a secret.
func encodeAutomation(a *automation.Automation, revision int) ([]byte, *automation.Automation, error) {
	if a == nil {
		return nil, nil, errors.New("store: there is no automation to save: it is nil")
	}
	next := *a
	next.Revision = revision
	// Validated also before it is written: JSON cannot hold what is not UTF-8, and would
	// hold something else instead.
	err := errors.Join(next.Validate(), next.CheckSecrets())
	var data []byte
	if err == nil {
		data, err = automation.Marshal(&next)
	}
	var saved *automation.Automation
	if err == nil {
		saved, err = automation.Parse(data, automation.AnyTools())
	}
	if err != nil {
		return nil, nil, fmt.Errorf("store: automation %.60q is not saved: %w", next.Name, err)
	}
	return data, saved, nil
}

// readDocument reads the document of a file, which must be the file that its
// name and account call for, and returns what the file was like.
func readDocument(d *files.Dir, file string) (*automation.Automation, fs.FileInfo, error) {
	data, info, err := d.Read(file, automation.MaxSize)
	if err != nil {
		return nil, nil, err
	}
	a, err := automation.Parse(data, automation.AnyTools())
	if err != nil {
		return nil, nil, pathError("read", d.Path(file), err)
	}
	right, err := fileName(a.Name, a.Match.Account)
	if err == nil && right != path.Base(file) {
		err = ErrMisplaced
	}
	if err != nil {
		misplaced := &PathError{Op: "read", Path: d.Path(file), Err: err}
		if right != "" {
			misplaced.Advice = fmt.Sprintf("it holds %s: rename it to %s, or change what it says", describe(a.Name, a.Match.Account), right)
		}
		return nil, nil, misplaced
	}
	// A document that was written by hand has no revision; 0 would be a new document.
	a.Revision = max(a.Revision, 1)
	return a, info, nil
}
