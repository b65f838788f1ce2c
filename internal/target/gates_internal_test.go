package target

import (
	"net"
	"testing"

	"github.com/go-reprise/reprise/internal/cdp"
	"github.com/go-reprise/reprise/internal/gate"
)

func TestGatesOutliveAConnectionThatFails(t *testing.T) {
	g, err := gate.NewRules(gate.Options{}).Open()
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = g.Close() })
	ours, theirs := net.Pipe()
	_ = theirs.Close()
	client := cdp.New(cdp.NewPipe(ours, ours))
	t.Cleanup(func() { _ = client.Close() })
	if _, err := New(t.Context(), client, &Options{Contexts: Contexts{Gates: map[string]*gate.Gate{"context": g}}}); err == nil {
		t.Fatal("it is connected")
	}
	conn, err := net.Dial("tcp", g.Addr())
	if err != nil {
		t.Fatalf("the gate is closed: %v", err)
	}
	_ = conn.Close()
}
