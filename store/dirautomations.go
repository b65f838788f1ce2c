package store

import (
	"context"
	"errors"
	"io/fs"
	"iter"
	"os"
	"path/filepath"
	"slices"

	"github.com/go-reprise/reprise/automation"
)

type dirAutomations struct{ *dir }

// Save checks and encodes before it takes the lock, and under the lock only
// compares and writes.
func (d dirAutomations) Save(ctx context.Context, a *automation.Automation) (*automation.Automation, error) {
	if err := d.ready(ctx); err != nil {
		return nil, err
	}
	have := 0
	if a != nil {
		have = a.Revision
	}
	data, saved, err := encode(a, have+1)
	if err != nil {
		return nil, err
	}
	name, account := saved.Name, saved.Match.Account
	file, err := fileName(name, account)
	if err != nil {
		return nil, err
	}
	path := d.path(file)
	err = d.write(ctx, func() error {
		if err := compare(path, name, account, have); err != nil {
			return err
		}
		return writeFile(filepath.Dir(path), path, data)
	})
	if err != nil {
		return nil, err
	}
	return saved, nil
}

func (d dirAutomations) Get(ctx context.Context, name, account string) (*automation.Automation, error) {
	if err := d.ready(ctx); err != nil {
		return nil, err
	}
	path, err := d.existing(name, account)
	if err != nil {
		return nil, err
	}
	a, _, err := readDocument(path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, d.notFound(name, account)
	}
	return a, err
}

func (d dirAutomations) List(ctx context.Context) iter.Seq2[Summary, error] {
	return func(yield func(Summary, error) bool) {
		list, err := d.list(ctx)
		for _, s := range list {
			if !yield(s, nil) {
				return
			}
		}
		if err != nil {
			yield(Summary{}, err)
		}
	}
}

func (d dirAutomations) list(ctx context.Context) ([]Summary, error) {
	if err := d.ready(ctx); err != nil {
		return nil, err
	}
	return d.catalog.list(ctx)
}

func (d dirAutomations) Delete(ctx context.Context, name, account string, revision int) error {
	if err := d.ready(ctx); err != nil {
		return err
	}
	path, err := d.existing(name, account)
	if err != nil {
		return err
	}
	return d.write(ctx, func() error {
		if _, err := d.existing(name, account); err != nil {
			return err
		}
		if revision != AnyRevision {
			if err := compare(path, name, account, revision); err != nil {
				return err
			}
		}
		return removeFile(path)
	})
}

// Match looks the document up by its scope and then reads it. When the file
// has changed in between, the scope may have, too, and it is looked up again.
func (d dirAutomations) Match(ctx context.Context, url, account string) (*automation.Automation, error) {
	for {
		if err := d.ready(ctx); err != nil {
			return nil, err
		}
		file, seen, err := d.catalog.match(ctx, url, account)
		if err != nil {
			return nil, err
		}
		a, info, err := readDocument(d.path(file))
		if err == nil && sameFile(seen, info) {
			return a, nil
		}
		if err := d.catalog.forget(ctx, file); err != nil {
			return nil, err
		}
	}
}

func (d dirAutomations) path(file string) string {
	return filepath.Join(d.root, automationsDir, file)
}

// existing gives the path of a document that there is.
func (d dirAutomations) existing(name, account string) (string, error) {
	file, err := fileName(name, account)
	if err != nil || !namePattern.MatchString(name) {
		return "", d.notFound(name, account)
	}
	path := d.path(file)
	_, err = os.Lstat(path)
	if errors.Is(err, fs.ErrNotExist) {
		return "", d.notFound(name, account)
	}
	return path, pathError("read", path, err)
}

// notFound makes the error that says what there is instead.
func (d dirAutomations) notFound(name, account string) error {
	files, err := documentFiles(filepath.Join(d.root, automationsDir))
	if err != nil {
		return err
	}
	missing := &NotFoundError{Name: name, Account: account}
	for _, file := range files {
		if n, a, ok := fileKey(file); ok && n == name {
			missing.Accounts = append(missing.Accounts, a)
		}
	}
	slices.Sort(missing.Accounts)
	return missing
}

// compare refuses a revision that is not the stored one.
func compare(path, name, account string, have int) error {
	stored, err := storedRevision(path)
	if err != nil {
		return err
	}
	if stored != have {
		return &ConflictError{Name: name, Account: account, Have: have, Stored: stored}
	}
	return nil
}
