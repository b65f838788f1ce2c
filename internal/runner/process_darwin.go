package runner

import (
	"errors"
	"time"

	"golang.org/x/sys/unix"
)

// look reports whether a process is there, and when it began: zero where that is not known.
func look(pid int) (began time.Time, there bool) {
	if errors.Is(unix.Kill(pid, 0), unix.ESRCH) {
		return time.Time{}, false
	}
	info, err := unix.SysctlKinfoProc("kern.proc.pid", pid)
	if err != nil {
		return time.Time{}, true
	}
	return time.Unix(info.Proc.P_starttime.Unix()), true
}
