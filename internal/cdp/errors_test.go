package cdp_test

import (
	"errors"
	"fmt"
	"testing"

	rodcdp "github.com/go-rod/rod/lib/cdp"

	"github.com/go-reprise/reprise/internal/cdp"
)

func TestErrorsAreRodsErrorsToo(t *testing.T) {
	t.Parallel()
	err := fmt.Errorf("step 3: %w", &cdp.Error{Method: "Runtime.evaluate", Code: -32000, Message: "Cannot find context with specified id"})
	if !errors.Is(err, rodcdp.ErrCtxNotFound) {
		t.Error("not rod's ErrCtxNotFound")
	}
	if errors.Is(err, rodcdp.ErrCtxDestroyed) || errors.Is(err, cdp.ErrSessionGone) {
		t.Error("another error too")
	}
	var r *rodcdp.Error
	if !errors.As(err, &r) || *r != *rodcdp.ErrCtxNotFound {
		t.Errorf("as rod's error it is %v", r)
	}
	if want := "step 3: Runtime.evaluate: Cannot find context with specified id (-32000)"; err.Error() != want {
		t.Errorf("text %q, want %q", err, want)
	}
	gone := &cdp.Error{Code: rodcdp.ErrSessionNotFound.Code, Message: rodcdp.ErrSessionNotFound.Message}
	if !errors.Is(gone, cdp.ErrSessionGone) || !errors.Is(gone, rodcdp.ErrSessionNotFound) {
		t.Error("Chrome's answer for an ended session is not ErrSessionGone")
	}
}

func TestIsContextGone(t *testing.T) {
	t.Parallel()
	for _, e := range []*rodcdp.Error{rodcdp.ErrCtxNotFound, rodcdp.ErrCtxDestroyed} {
		if !cdp.IsContextGone(fmt.Errorf("x: %w", &cdp.Error{Code: e.Code, Message: e.Message})) {
			t.Errorf("%v is not churn", e)
		}
	}
	for _, err := range []error{nil, cdp.ErrClosed, cdp.ErrSessionGone, &cdp.Error{Message: "Invalid parameters"}} {
		if cdp.IsContextGone(err) || cdp.IsFrameGone(err) {
			t.Errorf("%v is churn", err)
		}
	}
}
