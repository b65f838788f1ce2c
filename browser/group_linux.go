package browser

import (
	"bytes"
	"os"
	"path/filepath"
	"strconv"
	"syscall"
)

// groupIsEmpty reports whether no process of the group runs. Zombies do not:
// in a container whose first process reaps no one, they stay for ever.
func groupIsEmpty(group int) bool {
	if syscall.Kill(-group, 0) == syscall.ESRCH {
		return true
	}
	stats, err := filepath.Glob("/proc/[0-9]*/stat")
	if err != nil {
		return true
	}
	for _, path := range stats {
		if state, of := stat(path); of == group && state != 'Z' && state != 'X' {
			return false
		}
	}
	return true
}

// stat reads the state and the group of a process: "pid (name) S parent group …".
func stat(path string) (state byte, group int) {
	data, err := os.ReadFile(path)
	if err != nil {
		return 'X', 0 // it ended just now
	}
	fields := bytes.Fields(data[bytes.LastIndexByte(data, ')')+1:]) // the name may hold anything
	if len(fields) < 3 {
		return 'X', 0
	}
	group, _ = strconv.Atoi(string(fields[2]))
	return fields[0][0], group
}
