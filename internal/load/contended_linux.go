package load

import (
	"bytes"
	"os"
	"strconv"
	"time"
)

// contended returns how long, since the machine started, at least one task has waited for a
// processor: "some" of Linux's pressure stall information (kernel docs, accounting/psi). It is 0
// where the kernel does not measure that.
func contended() time.Duration {
	text, err := os.ReadFile("/proc/pressure/cpu")
	if err != nil {
		return 0
	}
	return parsePressure(text)
}

func parsePressure(text []byte) time.Duration {
	line, _, _ := bytes.Cut(text, []byte("\n"))
	_, total, ok := bytes.Cut(line, []byte("total="))
	if !ok || !bytes.HasPrefix(line, []byte("some ")) {
		return 0
	}
	µs, err := strconv.ParseInt(string(total), 10, 64)
	if err != nil {
		return 0
	}
	return time.Duration(µs) * time.Microsecond
}
