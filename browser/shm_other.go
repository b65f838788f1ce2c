//go:build !linux

package browser

func sharedMemoryIsSmall() bool { return false }
