// Package terminaltest opens pseudo-terminals for tests, on Linux.
package terminaltest
