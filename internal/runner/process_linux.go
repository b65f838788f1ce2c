package runner

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"strconv"
	"strings"
	"syscall"
	"time"
)

// ticks are those of a second in what /proc tells (USER_HZ, see proc(5)).
const ticks = 100

// look reports whether a process is there, and when it began: zero where that is not known.
func look(pid int) (began time.Time, there bool) {
	stat, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
	if err != nil {
		return time.Time{}, !errors.Is(err, fs.ErrNotExist) && !errors.Is(err, syscall.ESRCH)
	}
	// The name in parentheses may hold anything; then comes its state, and as the 20th
	// when it began.
	fields := strings.Fields(string(stat[bytes.LastIndexByte(stat, ')')+1:]))
	const state, starttime = 0, 19
	if len(fields) <= starttime {
		return time.Time{}, true
	}
	if fields[state] == "Z" { // it has ended, and no one has asked how
		return time.Time{}, false
	}
	since, err := strconv.ParseInt(fields[starttime], 10, 64)
	boot := booted()
	if err != nil || boot == 0 {
		return time.Time{}, true
	}
	return time.Unix(boot, 0).Add(time.Duration(since) * time.Second / ticks), true
}

// booted is when the machine began, in seconds of the clock, 0 where it does not tell.
func booted() int64 {
	stat, err := os.ReadFile("/proc/stat")
	if err != nil {
		return 0
	}
	for line := range strings.Lines(string(stat)) {
		if text, found := strings.CutPrefix(line, "btime "); found {
			boot, _ := strconv.ParseInt(strings.TrimSpace(text), 10, 64)
			return boot
		}
	}
	return 0
}
