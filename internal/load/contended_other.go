//go:build !linux

package load

import "time"

// contended is not measured here: limits are in plain time.
func contended() time.Duration { return 0 }
