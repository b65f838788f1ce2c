package browser

import (
	"fmt"
	"strings"
	"testing"
)

func TestTheEndOfWhatABrowserSaysIsKept(t *testing.T) {
	t.Parallel()
	var said strings.Builder
	for i := range 3 * keptLines {
		fmt.Fprintf(&said, "line %d\n\n[1:2:ERROR:dbus/bus.cc:405] Failed to connect to the bus\n", i)
	}
	fmt.Fprintln(&said, "DevTools listening on ws://127.0.0.1:1/first")
	fmt.Fprintln(&said, "DevTools listening on ws://127.0.0.1:1/second")
	fmt.Fprint(&said, strings.Repeat("x", 10*lineLength)+"end")
	s := newStderr()
	s.listen(strings.NewReader(said.String()))
	if got := <-s.address; got != "ws://127.0.0.1:1/first" {
		t.Errorf("the address is %s", got)
	}
	got := s.String()
	lines := strings.Split(got, "\n")
	if len(lines) != keptLines || lines[0] != fmt.Sprintf("line %d", 3*keptLines-1) || !strings.HasSuffix(got, "x\nend") || strings.Contains(got, "dbus") {
		t.Errorf("kept were %d lines:\n%.200s", len(lines), got)
	}
}
