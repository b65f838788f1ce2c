package store

import (
	"fmt"
)

// EnvelopeNotFoundError says that there is no such task, credential or login. It is ErrNotFound.
type EnvelopeNotFoundError struct {
	Kind          EnvelopeKind
	Name, Account string
}

func (e *EnvelopeNotFoundError) Error() string {
	return fmt.Sprintf("store: there is no %s: `reprise %s list` shows what there is", describeEnvelope(e.Kind, e.Name, e.Account), e.Kind)
}

// Is makes it ErrNotFound.
func (e *EnvelopeNotFoundError) Is(target error) bool { return target == ErrNotFound }

// EnvelopeConflictError says that someone else saved or deleted the envelope since the
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

// InvalidEnvelopeError says why an envelope is not kept.
type InvalidEnvelopeError struct {
	Kind   EnvelopeKind
	Name   string
	Reason string
}

func (e *InvalidEnvelopeError) Error() string {
	return fmt.Sprintf("store: the %s %.80q is not kept: %s", e.Kind, e.Name, e.Reason)
}

func describeEnvelope(kind EnvelopeKind, name, account string) string {
	if account == "" {
		return fmt.Sprintf("%s %.80q", kind, name)
	}
	return fmt.Sprintf("%s %.80q of the account %.80q", kind, name, account)
}
