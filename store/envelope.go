package store

import (
	"context"
	"iter"
	"time"
)

// Envelope is something that is kept sealed: the values of a task, what somebody signs
// in with, or a browser's state in which they are. What stands on it may be read by
// whoever reads the store; what is in it opens with a key, and no store has one. Package
// store/sealed closes and opens them.
type Envelope struct {
	Kind    EnvelopeKind
	Name    string // of the task, the site or the login; see CheckEnvelope
	Account string // whose it is; "" for a task, and where there is only one
	Label
	// Sealed is an armored age file.
	Sealed   []byte
	Revision int // as an automation's: 0 is one that is not stored yet
}

// EnvelopeKind says what is in an envelope.
type EnvelopeKind string

// The kinds of envelopes.
const (
	TaskEnvelope       EnvelopeKind = "task"
	CredentialEnvelope EnvelopeKind = "credential"
	LoginEnvelope      EnvelopeKind = "login"
)

// envelopeKinds are all of them.
var envelopeKinds = []EnvelopeKind{TaskEnvelope, CredentialEnvelope, LoginEnvelope}

// Label is what stands on an envelope. It is a copy of what is in it, for lists:
// whoever opens it goes by what is in it.
type Label struct {
	Created time.Time `json:"created,omitzero"`
	Updated time.Time `json:"updated,omitzero"`
	// Expires is when what is in it is surely of no more use; the zero time is not known.
	Expires time.Time `json:"expires,omitzero"`
	// Fields are the values that are in it, in their order, without the values.
	Fields []Field `json:"fields"`
	// Automations are those that it may be used for; none is any.
	Automations []string `json:"automations,omitempty"`
	// Recipients are the public keys that it is sealed for.
	Recipients []string `json:"recipients"`
}

// Field says of a value what may be seen.
type Field struct {
	Name    string   `json:"name"`
	Secret  bool     `json:"secret,omitempty"`
	Origins []string `json:"origins,omitempty"` // where a secret may be used
}

// Envelopes keeps envelopes of one kind, each under its name and its account.
//
// Every method returns context.Cause(ctx) once ctx is done.
type Envelopes interface {
	// Save keeps an envelope that CheckEnvelope lets pass. Its Revision must be the
	// stored one, 0 for a new one; otherwise an *EnvelopeConflictError is returned and
	// nothing changes. It gives the envelope with its new Revision.
	Save(ctx context.Context, e Envelope) (Envelope, error)
	// Get gives an envelope, or an *EnvelopeNotFoundError.
	Get(ctx context.Context, name, account string) (Envelope, error)
	// List gives them by name and then by account. One that cannot be read is listed
	// with its reason. An error of the iteration itself is its last pair.
	List(ctx context.Context) iter.Seq2[EnvelopeSummary, error]
	// Delete removes an envelope whose stored revision is this one, or any one for
	// AnyRevision.
	Delete(ctx context.Context, name, account string, revision int) error
}

// EnvelopeSummary is an envelope in a list. Where Err says why it cannot be read, it has
// its Kind, Name and Account alone.
type EnvelopeSummary struct {
	Envelope
	Err error
}
