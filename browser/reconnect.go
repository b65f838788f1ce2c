package browser

import (
	"context"
	"errors"
	"fmt"
)

// Page returns the open tab of an ID, as from Page.ID, also over another connection. Where there
// is none the error is ErrPageClosed.
func (b *Browser) Page(ctx context.Context, id string) (*Page, error) {
	p, err := b.tree.Page(ctx, id)
	if err != nil {
		return nil, err
	}
	return b.handle(p), nil
}

// Reconnect connects again to a browser of which the connection was lost, and lets go of this one. The
// pages of the new one are those that are open: Page finds one by its ID. Where the browser is gone, or
// cannot be connected to again as one that Launch started, the error is ErrDisconnected; it is ErrTakenOver where
// another program drives it.
func (b *Browser) Reconnect(ctx context.Context) (*Browser, error) {
	if b.reopen == nil {
		return nil, fmt.Errorf("connecting again: %w", ErrDisconnected)
	}
	have := b.tree.Contexts()
	if b.gate != nil {
		have.Gates[""] = b.gate
	}
	again, err := b.reopen(ctx, have)
	if err != nil {
		if errors.Is(err, ErrTakenOver) || errors.Is(err, ErrEnded) { // its gates are another's to serve
			_ = b.Detach()
		}
		return nil, fmt.Errorf("connecting again: %w", err)
	}
	b.tree.LeaveGates()
	again.session, again.endSession = b.session, b.endSession
	b.gate, b.endSession = nil, nil
	_ = b.Detach()
	return again, nil
}
