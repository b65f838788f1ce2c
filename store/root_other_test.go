//go:build !linux

package store_test

import (
	"os"
	"testing"
)

// asAnyone skips a test of permissions for root, who has them all.
func asAnyone(t *testing.T) {
	t.Helper()
	if os.Geteuid() == 0 {
		t.Skip("root passes over permissions")
	}
}
