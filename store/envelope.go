package store

import (
	"bytes"
	"context"
	"encoding/json"
	"encoding/pem"
	"errors"
	"fmt"
	"iter"
	"regexp"
	"slices"
	"strings"
	"time"
	"unicode/utf8"
)

// Envelope is something that is stored sealed: the values of a task, a credential, or the
// state of a browser in which a user is signed in. Everyone who reads the store can read
// its label; what is in it opens with a key, and no store has one. Package store/sealed
// seals and opens them.
type Envelope struct {
	Kind    EnvelopeKind
	Name    string // of the task, the site or the login; see CheckEnvelopeName
	Account string // whose it is; "" for a task, and where there is only one
	Label
	// Sealed is an armored age file.
	Sealed   []byte
	Revision int // as an automation's: 0 is one that is not stored yet
}

// EnvelopeKind is what is in an envelope.
type EnvelopeKind string

// The kinds of envelopes.
const (
	TaskEnvelope       EnvelopeKind = "task"
	CredentialEnvelope EnvelopeKind = "credential"
	LoginEnvelope      EnvelopeKind = "login"
)

// envelopeKinds are all of them.
var envelopeKinds = []EnvelopeKind{TaskEnvelope, CredentialEnvelope, LoginEnvelope}

// Label is what can be read of an envelope without a key. It is a copy of what is sealed
// in it, for lists: the sealed one counts.
type Label struct {
	Created time.Time `json:"created,omitzero"`
	Updated time.Time `json:"updated,omitzero"`
	// Expires is when the contents are surely of no more use; the zero time is not known.
	Expires time.Time `json:"expires,omitzero"`
	// Fields are the values that are in it, in their order, without the values.
	Fields []Field `json:"fields"`
	// Automations are those that it may be used for; none is any.
	Automations []string `json:"automations,omitempty"`
	// Recipients are the public keys that it is sealed for.
	Recipients []string `json:"recipients"`
	// Login is how a login has fared; nil for what is none, and where nothing is known.
	Login *LoginStatus `json:"login,omitempty"`
}

// LoginStatus is how a login has fared so far.
type LoginStatus struct {
	State LoginState `json:"state,omitempty"` // "" is LoginUnsure
	// LastUsed is when the last run that began with it ended, and LastVerified when its
	// identity check passed last. The zero time is never.
	LastUsed     time.Time `json:"last_used,omitzero"`
	LastVerified time.Time `json:"last_verified,omitzero"`
	// Notes are the user's own, in plain text.
	Notes string `json:"notes,omitempty"`
}

// LoginState is whether someone is signed in with a login.
type LoginState string

// The states of logins.
const (
	LoginGood      LoginState = "good"       // its identity check passed last
	LoginUnsure    LoginState = "unsure"     // no one has looked, or what was seen does not tell
	LoginSignedOut LoginState = "signed_out" // the site asked to sign in
)

// Field is what can be seen of a value.
type Field struct {
	Name    string   `json:"name"`
	Secret  bool     `json:"secret,omitempty"`
	Origins []string `json:"origins,omitempty"` // where a secret may be used
}

// Envelopes stores envelopes of one kind, each under its name and its account.
//
// Every method returns context.Cause(ctx) once ctx is done.
type Envelopes interface {
	// Save stores an envelope whose contents are sealed. Its Revision must be the stored
	// one, 0 for a new one; otherwise an *EnvelopeConflictError is returned and nothing
	// changes. It returns the envelope with its new Revision.
	Save(ctx context.Context, e Envelope) (Envelope, error)
	// Get returns an envelope, or an *EnvelopeNotFoundError.
	Get(ctx context.Context, name, account string) (Envelope, error)
	// List returns them by name and then by account. One that cannot be read is listed
	// with its reason. An error of the iteration itself is its last pair.
	List(ctx context.Context) iter.Seq2[EnvelopeSummary, error]
	// Delete removes an envelope whose stored revision is this one, or any one for
	// AnyRevision.
	Delete(ctx context.Context, name, account string, revision int) error
}

// EnvelopeSummary is an envelope in a list. Where it cannot be read, Err is why, and only
// Kind, Name and Account are set.
type EnvelopeSummary struct {
	Envelope
	Err error
}

// EnvelopeNotFoundError is the error where there is no such task, credential or login. It is ErrNotFound.
type EnvelopeNotFoundError struct {
	Kind          EnvelopeKind
	Name, Account string
}

func (e *EnvelopeNotFoundError) Error() string {
	return fmt.Sprintf("store: there is no %s: `reprise %s list` shows what there is", describeEnvelope(e.Kind, e.Name, e.Account), e.Kind)
}

// Is makes it ErrNotFound.
func (e *EnvelopeNotFoundError) Is(target error) bool { return target == ErrNotFound }

// EnvelopeConflictError is the error where someone else saved or deleted the envelope since the
// caller read it. Nothing was changed. It is ErrConflict.
type EnvelopeConflictError struct {
	Kind          EnvelopeKind
	Name, Account string
	Have, Stored  int // 0 is nothing stored
}

func (e *EnvelopeConflictError) Error() string {
	what := "store: " + describeEnvelope(e.Kind, e.Name, e.Account)
	switch {
	case e.Have == 0:
		return fmt.Sprintf("%s is already stored, at revision %d", what, e.Stored)
	case e.Stored == 0:
		return fmt.Sprintf("%s is no longer stored, and you have revision %d", what, e.Have)
	}
	return fmt.Sprintf("%s is stored at revision %d, and you have revision %d: get it again", what, e.Stored, e.Have)
}

// Is makes it ErrConflict.
func (e *EnvelopeConflictError) Is(target error) bool { return target == ErrConflict }

// InvalidEnvelopeError is why an envelope is not stored.
type InvalidEnvelopeError struct {
	Kind   EnvelopeKind
	Name   string
	Reason string
}

func (e *InvalidEnvelopeError) Error() string {
	return fmt.Sprintf("store: the %s %.80q is not stored: %s", e.Kind, e.Name, e.Reason)
}

func describeEnvelope(kind EnvelopeKind, name, account string) string {
	if account == "" {
		return fmt.Sprintf("%s %.80q", kind, name)
	}
	return fmt.Sprintf("%s %.80q of the account %.80q", kind, name, account)
}

const (
	// envelopeFormat is the number of the format of envelopes.
	envelopeFormat = 1

	// maxEnvelopeSize bounds an envelope, and maxSealedSize what is sealed in it; that of a
	// task has some hundred bytes, that of a login at most 17 MiB, which armored are 23.4.
	maxEnvelopeSize = 26 << 20
	maxSealedSize   = 24 << 20

	// How an age file is armored, and how it begins.
	armorType  = "AGE ENCRYPTED FILE"
	sealedMark = "age-encryption.org/v1\n"
)

// envelopeName are the names of tasks and sites: host names are some, and a name
// becomes part of a file's.
var envelopeName = regexp.MustCompile(`^[a-z0-9][a-z0-9._-]{0,99}$`)

var (
	errEnvelopeFormat = errors.New("not a format of envelopes that this version reads")
	errNotSealed      = errors.New("it is not sealed: only armored age files are stored")

	errTorn = errors.New("it is torn, or was never sealed: take it back from a copy, or remove it and put it there again")
)

// storedEnvelope is what comes before the sealed part.
type storedEnvelope struct {
	Format   int          `json:"format"`
	Kind     EnvelopeKind `json:"kind"`
	Name     string       `json:"name"`
	Account  string       `json:"account,omitempty"`
	Revision int          `json:"revision"`
	Label
}

// checkEnvelope returns why an envelope cannot be stored, as an *InvalidEnvelopeError: its
// name must pass CheckEnvelopeName, and its contents must be sealed.
func checkEnvelope(e Envelope) error {
	invalid := func(reason string) error { return &InvalidEnvelopeError{e.Kind, e.Name, reason} }
	if err := CheckEnvelopeName(e.Kind, e.Name, e.Account); err != nil {
		return err
	}
	switch {
	case !isSealed(e.Sealed):
		return invalid(errNotSealed.Error())
	case len(e.Sealed) > maxSealedSize:
		return invalid("it is too large")
	}
	return nil
}

// CheckEnvelopeName returns why nothing can be stored under a name, as an
// *InvalidEnvelopeError: it must have small letters, digits, dots, hyphens and underscores.
// A program calls it before it makes what is to be stored.
func CheckEnvelopeName(kind EnvelopeKind, name, account string) error {
	invalid := func(reason string) error { return &InvalidEnvelopeError{kind, name, reason} }
	switch {
	case !slices.Contains(envelopeKinds, kind):
		return invalid("it is neither a task nor a credential nor a login")
	case !envelopeName.MatchString(name):
		return invalid("it is named with small letters, digits, dots, hyphens and underscores, at most 100, and begins with a letter or a digit")
	case !utf8.ValidString(account) || strings.ContainsRune(account, 0):
		return invalid("its account is not text")
	}
	return nil
}

// isSealed reports whether data is an age file: what is not sealed gets into no store.
func isSealed(data []byte) bool {
	block, rest := pem.Decode(data)
	return block != nil && block.Type == armorType && len(block.Headers) == 0 &&
		len(bytes.TrimSpace(rest)) == 0 && bytes.HasPrefix(bytes.TrimSpace(data), []byte("-----BEGIN "+armorType)) &&
		bytes.HasPrefix(block.Bytes, []byte(sealedMark))
}

// encodeEnvelope returns the text in which an envelope is stored: its label as JSON, and
// the sealed part after it. It refuses what checkEnvelope does.
func encodeEnvelope(e Envelope) ([]byte, error) {
	if err := checkEnvelope(e); err != nil {
		return nil, err
	}
	text, err := encodeIndented(storedEnvelope{envelopeFormat, e.Kind, e.Name, e.Account, e.Revision, e.Label})
	if err != nil {
		return nil, fmt.Errorf("store: %s is not saved: %w", describeEnvelope(e.Kind, e.Name, e.Account), err)
	}
	return append(append(text, bytes.TrimSpace(e.Sealed)...), '\n'), nil
}

// decodeEnvelope reads what encodeEnvelope returns.
func decodeEnvelope(data []byte) (Envelope, error) {
	var stored storedEnvelope
	d := json.NewDecoder(bytes.NewReader(data))
	if d.Decode(&stored) != nil {
		return Envelope{}, errTorn
	}
	if stored.Format < 1 || stored.Format > envelopeFormat {
		return Envelope{}, fmt.Errorf("%w: format %d", errEnvelopeFormat, stored.Format)
	}
	e := Envelope{
		Kind: stored.Kind, Name: stored.Name, Account: stored.Account, Revision: max(stored.Revision, 1),
		Label: stored.Label, Sealed: bytes.Clone(bytes.TrimSpace(data[d.InputOffset():])),
	}
	if !isSealed(e.Sealed) {
		return Envelope{}, errTorn
	}
	return e, checkEnvelope(e)
}
