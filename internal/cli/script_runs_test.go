package cli

import (
	"context"
	"strconv"
	"time"

	"github.com/rogpeppe/go-internal/testscript"

	"github.com/go-reprise/reprise/store"
)

// sells waits until so many orders were sent to the shop: sells 2
func sells(ts *testscript.TestScript, _ bool, args []string) {
	again := time.NewTicker(5 * time.Millisecond)
	defer again.Stop()
	for deadline := time.Now().Add(patience); time.Now().Before(deadline); <-again.C {
		if strconv.Itoa(int(worldOf(ts).shop.sent.Load())) == args[0] {
			return
		}
	}
	ts.Fatalf("%d orders were sent, want %s", worldOf(ts).shop.sent.Load(), args[0])
}

// newest has $RUN be the newest run, and $TOKEN what it goes on with, after it has the
// state that is given: newest failed
func newest(ts *testscript.TestScript, _ bool, args []string) {
	kept, err := store.Open(context.Background(), ts.Getenv("REPRISE_DATA"))
	ts.Check(err)
	defer func() { ts.Check(kept.Close()) }()
	for r, err := range kept.Runs().List(context.Background()) {
		ts.Check(err)
		if string(r.State) != args[0] {
			ts.Fatalf("the newest run %s is %s, want %s: %v", r.ID, r.State, args[0], r.Err)
		}
		ts.Setenv("RUN", r.ID)
		ts.Setenv("TOKEN", r.Resume)
		return
	}
	ts.Fatalf("no run is kept")
}
