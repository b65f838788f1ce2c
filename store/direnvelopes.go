package store

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"iter"
	"net/url"
	"path"
	"slices"
	"strings"

	"github.com/go-reprise/reprise/store/internal/files"
)

const envelopeExt = ".age"

// dirEnvelopes has an envelope in tasks/NAME.age, vault/SITE.age or
// vault/SITE@ACCOUNT.age, and logins as the vault does.
type dirEnvelopes struct {
	*dir
	kind   EnvelopeKind
	folder string
}

// Tasks returns the values of tasks.
func (d *dir) Tasks() Envelopes { return dirEnvelopes{d, TaskEnvelope, tasksDir} }

// Vault returns what people sign in with.
func (d *dir) Vault() Envelopes { return dirEnvelopes{d, CredentialEnvelope, vaultDir} }

// Logins returns the states of browsers in which people are signed in.
func (d *dir) Logins() Envelopes { return dirEnvelopes{d, LoginEnvelope, loginsDir} }

func (d dirEnvelopes) Save(ctx context.Context, e Envelope) (Envelope, error) {
	if err := d.Ready(ctx); err != nil {
		return Envelope{}, err
	}
	have := e.Revision
	e.Kind, e.Revision = d.kind, have+1
	data, err := encodeEnvelope(e)
	if err != nil {
		return Envelope{}, err
	}
	file, err := d.file(e.Name, e.Account)
	if err != nil {
		return Envelope{}, err
	}
	err = d.Write(ctx, func() error {
		if err := d.compare(file, e.Name, e.Account, have); err != nil {
			return err
		}
		return d.Replace(file, data)
	})
	if err != nil {
		return Envelope{}, err
	}
	return decodeEnvelope(data)
}

// compare refuses a revision that is not the stored one.
func (d dirEnvelopes) compare(file, name, account string, have int) error {
	stored, err := d.read(file)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	if stored.Revision != have {
		return &EnvelopeConflictError{d.kind, name, account, have, stored.Revision}
	}
	return nil
}

func (d dirEnvelopes) Get(ctx context.Context, name, account string) (Envelope, error) {
	if err := d.Ready(ctx); err != nil {
		return Envelope{}, err
	}
	missing := &EnvelopeNotFoundError{d.kind, name, account}
	file, err := d.file(name, account)
	if err != nil {
		return Envelope{}, missing
	}
	e, err := d.read(file)
	if errors.Is(err, fs.ErrNotExist) {
		err = missing
	}
	return e, err
}

// List reads one at a time, as far as the caller goes.
func (d dirEnvelopes) List(ctx context.Context) iter.Seq2[EnvelopeSummary, error] {
	return func(yield func(EnvelopeSummary, error) bool) {
		all, err := d.keys(ctx)
		for _, s := range all {
			if err = d.Ready(ctx); err != nil {
				break
			}
			file, unnamed := d.file(s.Name, s.Account)
			if unnamed == nil {
				e, unread := d.read(file)
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

// keys returns the names that have a file, in their order.
func (d dirEnvelopes) keys(ctx context.Context) ([]EnvelopeSummary, error) {
	if err := d.Ready(ctx); err != nil {
		return nil, err
	}
	names, err := d.Names(d.folder)
	if err != nil {
		return nil, err
	}
	var all []EnvelopeSummary
	for _, entry := range names {
		base, ours := strings.CutSuffix(entry, envelopeExt)
		if !ours || strings.HasPrefix(base, ".") {
			continue
		}
		name, escaped, _ := strings.Cut(base, "@")
		account, err := url.PathUnescape(escaped)
		s := EnvelopeSummary{Envelope: Envelope{Kind: d.kind, Name: name, Account: account}}
		if file, unnamed := d.file(name, account); err != nil || unnamed != nil || path.Base(file) != entry {
			s.Err = &PathError{Op: "read", Path: d.Path(d.folder + "/" + entry), Err: ErrMisplaced}
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
	if err := d.Ready(ctx); err != nil {
		return err
	}
	missing := &EnvelopeNotFoundError{d.kind, name, account}
	file, err := d.file(name, account)
	if err != nil {
		return missing
	}
	return d.Write(ctx, func() error {
		if _, err := d.Stat(file); errors.Is(err, fs.ErrNotExist) {
			return missing
		}
		if revision != AnyRevision {
			if err := d.compare(file, name, account, revision); err != nil {
				return err
			}
		}
		return d.Remove(file)
	})
}

// file returns the file of an envelope.
func (d dirEnvelopes) file(name, account string) (string, error) {
	if !envelopeName.MatchString(name) {
		return "", &InvalidEnvelopeError{d.kind, name, "no file can have this name"}
	}
	file := name
	if account != "" {
		file += "@" + files.Escape(account)
	}
	if file += envelopeExt; len(file) > files.MaxName {
		return "", &AccountError{account, "it is too long for the name of a file: use a shorter label"}
	}
	return d.folder + "/" + file, nil
}

// read reads an envelope, which must be the one that its file is for.
func (d dirEnvelopes) read(file string) (Envelope, error) {
	data, _, err := d.Read(file, maxEnvelopeSize)
	if err != nil {
		return Envelope{}, err
	}
	e, err := decodeEnvelope(data)
	if err == nil {
		own, unnamed := d.file(e.Name, e.Account)
		if unnamed != nil || own != file || e.Kind != d.kind {
			err = fmt.Errorf("%w: it holds the %s", ErrMisplaced, describeEnvelope(e.Kind, e.Name, e.Account))
		}
	}
	if err != nil {
		return Envelope{}, pathError("read", d.Path(file), err)
	}
	return e, nil
}
