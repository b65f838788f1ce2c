package store

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"iter"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

const (
	tasksDir    = "tasks"
	vaultDir    = "vault"
	loginsDir   = "logins"
	envelopeExt = ".age"
)

// dirEnvelopes keeps each envelope in a file: tasks/NAME.age, vault/SITE.age or
// vault/SITE@ACCOUNT.age, and logins as the vault does.
type dirEnvelopes struct {
	*dir
	kind   EnvelopeKind
	folder string
}

// Tasks gives the values of tasks.
func (d *dir) Tasks() Envelopes { return dirEnvelopes{d, TaskEnvelope, tasksDir} }

// Vault gives what people sign in with.
func (d *dir) Vault() Envelopes { return dirEnvelopes{d, CredentialEnvelope, vaultDir} }

// Logins gives the states of browsers in which people are signed in.
func (d *dir) Logins() Envelopes { return dirEnvelopes{d, LoginEnvelope, loginsDir} }

func (d dirEnvelopes) Save(ctx context.Context, e Envelope) (Envelope, error) {
	if err := d.ready(ctx); err != nil {
		return Envelope{}, err
	}
	have := e.Revision
	e.Kind, e.Revision = d.kind, have+1
	data, err := EncodeEnvelope(e)
	if err != nil {
		return Envelope{}, err
	}
	path, err := d.path(e.Name, e.Account)
	if err != nil {
		return Envelope{}, err
	}
	err = d.write(ctx, func() error {
		if err := d.compare(path, e.Name, e.Account, have); err != nil {
			return err
		}
		return writeFile(filepath.Join(d.root, d.folder), path, data)
	})
	if err != nil {
		return Envelope{}, err
	}
	return DecodeEnvelope(data)
}

// compare refuses a revision that is not the stored one.
func (d dirEnvelopes) compare(path, name, account string, have int) error {
	stored, err := d.read(path)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	if stored.Revision != have {
		return &EnvelopeConflictError{d.kind, name, account, have, stored.Revision}
	}
	return nil
}

func (d dirEnvelopes) Get(ctx context.Context, name, account string) (Envelope, error) {
	if err := d.ready(ctx); err != nil {
		return Envelope{}, err
	}
	path, err := d.path(name, account)
	if err != nil {
		return Envelope{}, &EnvelopeNotFoundError{d.kind, name, account}
	}
	e, err := d.read(path)
	if errors.Is(err, fs.ErrNotExist) {
		err = &EnvelopeNotFoundError{d.kind, name, account}
	}
	return e, err
}

// List reads one at a time, as far as the caller goes.
func (d dirEnvelopes) List(ctx context.Context) iter.Seq2[EnvelopeSummary, error] {
	return func(yield func(EnvelopeSummary, error) bool) {
		all, err := d.keys(ctx)
		for _, s := range all {
			if err = d.ready(ctx); err != nil {
				break
			}
			path, unnamed := d.path(s.Name, s.Account)
			if unnamed == nil {
				e, unread := d.read(path)
				if errors.Is(unread, fs.ErrNotExist) {
					continue // removed meanwhile
				}
				if s.Err = unread; unread == nil {
					s.Envelope = e
				}
			}
			if !yield(s, nil) {
				return
			}
		}
		if err != nil {
			yield(EnvelopeSummary{}, err)
		}
	}
}

// keys gives the names that have a file, in their order.
func (d dirEnvelopes) keys(ctx context.Context) ([]EnvelopeSummary, error) {
	if err := d.ready(ctx); err != nil {
		return nil, err
	}
	folder := filepath.Join(d.root, d.folder)
	entries, err := os.ReadDir(folder)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, pathError("list", folder, err)
	}
	var all []EnvelopeSummary
	for _, entry := range entries {
		base, ours := strings.CutSuffix(entry.Name(), envelopeExt)
		if !ours || strings.HasPrefix(base, ".") {
			continue
		}
		name, escaped, _ := strings.Cut(base, "@")
		account, err := url.PathUnescape(escaped)
		s := EnvelopeSummary{Envelope: Envelope{Kind: d.kind, Name: name, Account: account}}
		if path, unnamed := d.path(name, account); err != nil || unnamed != nil || filepath.Base(path) != entry.Name() {
			s.Err = &PathError{Op: "read", Path: filepath.Join(folder, entry.Name()), Err: ErrMisplaced}
			s.Name, s.Account = base, ""
		}
		all = append(all, s)
	}
	slices.SortFunc(all, func(a, b EnvelopeSummary) int {
		return byKey(Summary{Name: a.Name, Account: a.Account}, Summary{Name: b.Name, Account: b.Account})
	})
	return all, nil
}

func (d dirEnvelopes) Delete(ctx context.Context, name, account string, revision int) error {
	if err := d.ready(ctx); err != nil {
		return err
	}
	path, err := d.path(name, account)
	missing := &EnvelopeNotFoundError{d.kind, name, account}
	if err != nil {
		return missing
	}
	return d.write(ctx, func() error {
		if _, err := os.Lstat(path); errors.Is(err, fs.ErrNotExist) {
			return missing
		}
		if revision != AnyRevision {
			if err := d.compare(path, name, account, revision); err != nil {
				return err
			}
		}
		return removeFile(path)
	})
}

// path gives the file of an envelope.
func (d dirEnvelopes) path(name, account string) (string, error) {
	if !envelopeName.MatchString(name) {
		return "", &InvalidEnvelopeError{d.kind, name, "no file can have this name"}
	}
	file := name
	if account != "" {
		file += "@" + escape(account)
	}
	if file += envelopeExt; len(file) > maxFileName {
		return "", &AccountError{account, "it is too long for the name of a file: use a shorter label"}
	}
	return filepath.Join(d.root, d.folder, file), nil
}

// read reads an envelope, which must be the one that its file is for.
func (d dirEnvelopes) read(path string) (Envelope, error) {
	data, _, err := readFile(path, maxEnvelopeSize)
	if err != nil {
		return Envelope{}, err
	}
	e, err := DecodeEnvelope(data)
	if err == nil {
		own, unnamed := d.path(e.Name, e.Account)
		if unnamed != nil || own != path || e.Kind != d.kind {
			err = fmt.Errorf("%w: it holds the %s", ErrMisplaced, describeEnvelope(e.Kind, e.Name, e.Account))
		}
	}
	if err != nil {
		return Envelope{}, pathError("read", path, err)
	}
	return e, nil
}
