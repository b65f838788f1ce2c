package store

import (
	"bytes"
	"encoding/json"
	"encoding/pem"
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"unicode/utf8"
)

const (
	// envelopeFormat is the number of the format of envelopes.
	envelopeFormat = 1

	// maxEnvelopeSize bounds an envelope; that of a task has some hundred bytes, that of a
	// login at most a megabyte and a half.
	maxEnvelopeSize = 4 << 20

	// How an age file is armored, and how it begins.
	armorType  = "AGE ENCRYPTED FILE"
	sealedMark = "age-encryption.org/v1\n"
)

// envelopeName are the names of tasks and sites: host names are some, and a name
// becomes part of a file's.
var envelopeName = regexp.MustCompile(`^[a-z0-9][a-z0-9._-]{0,99}$`)

var (
	errEnvelopeFormat = errors.New("not a format of envelopes that this version reads")
	errNotSealed      = errors.New("it is not sealed: only armored age files are kept")

	errTorn = errors.New("it is torn, or was never sealed: take it back from a copy, or remove it and put it there again")
)

// storedEnvelope is what stands before the sealed part.
type storedEnvelope struct {
	Format   int          `json:"format"`
	Kind     EnvelopeKind `json:"kind"`
	Name     string       `json:"name"`
	Account  string       `json:"account,omitempty"`
	Revision int          `json:"revision"`
	Label
}

// CheckEnvelope says why an envelope cannot be kept, as an *InvalidEnvelopeError: it has a
// name that CheckEnvelopeName lets pass, and what is in it is sealed.
func CheckEnvelope(e Envelope) error {
	invalid := func(reason string) error { return &InvalidEnvelopeError{e.Kind, e.Name, reason} }
	if err := CheckEnvelopeName(e.Kind, e.Name, e.Account); err != nil {
		return err
	}
	switch {
	case !isSealed(e.Sealed):
		return invalid(errNotSealed.Error())
	case len(e.Sealed) > maxEnvelopeSize/2:
		return invalid("it is too large")
	}
	return nil
}

// CheckEnvelopeName says why nothing can be kept under a name, as an
// *InvalidEnvelopeError: it has small letters, digits, dots, hyphens and underscores. It is
// for whoever has something made that is to be kept.
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

// isSealed keeps what somebody forgot to seal out of every store.
func isSealed(data []byte) bool {
	block, rest := pem.Decode(data)
	return block != nil && block.Type == armorType && len(block.Headers) == 0 &&
		len(bytes.TrimSpace(rest)) == 0 && bytes.HasPrefix(bytes.TrimSpace(data), []byte("-----BEGIN "+armorType)) &&
		bytes.HasPrefix(block.Bytes, []byte(sealedMark))
}

// EncodeEnvelope gives the text in which an envelope is kept: what stands on it as JSON,
// and the sealed part after it. It refuses what CheckEnvelope does.
func EncodeEnvelope(e Envelope) ([]byte, error) {
	if err := CheckEnvelope(e); err != nil {
		return nil, err
	}
	var text bytes.Buffer
	encoder := json.NewEncoder(&text)
	encoder.SetEscapeHTML(false)
	encoder.SetIndent("", "  ")
	err := encoder.Encode(storedEnvelope{envelopeFormat, e.Kind, e.Name, e.Account, e.Revision, e.Label})
	if err != nil {
		return nil, fmt.Errorf("store: %s is not saved: %w", describeEnvelope(e.Kind, e.Name, e.Account), err)
	}
	text.Write(bytes.TrimSpace(e.Sealed))
	text.WriteByte('\n')
	return text.Bytes(), nil
}

// DecodeEnvelope reads what EncodeEnvelope gives.
func DecodeEnvelope(data []byte) (Envelope, error) {
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
	return e, CheckEnvelope(e)
}
