//go:build !linux

package browser

import "syscall"

// groupIsEmpty reports whether no process of the group runs. Where only zombies
// are left macOS says EPERM.
func groupIsEmpty(group int) bool { return syscall.Kill(-group, 0) != nil }
