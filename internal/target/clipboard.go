package target

import "slices"

// NoteSecret notes that a secret was typed at an origin: pages of the browser share one
// clipboard, and a page may have put there what was typed in it.
func (t *Tree) NoteSecret(origin string) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if !slices.Contains(t.secretOrigins, origin) {
		t.secretOrigins = append(t.secretOrigins, origin)
	}
}

// HoldsSecrets reports whether a secret was typed anywhere in the browser.
func (t *Tree) HoldsSecrets() bool {
	t.mu.Lock()
	defer t.mu.Unlock()
	return len(t.secretOrigins) > 0
}

// MayPaste reports whether no secret of another origin may be in the clipboard.
func (t *Tree) MayPaste(origin string) bool {
	t.mu.Lock()
	defer t.mu.Unlock()
	return !slices.ContainsFunc(t.secretOrigins, func(other string) bool { return other != origin })
}
