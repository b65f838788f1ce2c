package automation

import "github.com/go-reprise/reprise/internal/commit"

// SaysCommit reports whether a control, by its words alone, pays, orders, sends, deletes,
// or binds somebody in another way. A replay looks at more than the words: at what
// surrounds the control, and at the requests that it sends.
func SaysCommit(label string) bool { return commit.Label(label) }
