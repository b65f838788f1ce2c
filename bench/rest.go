package bench

import (
	"context"
	"math"
	"time"
)

// A browser rests when its processes have used less than idleShare of a processor
// between two looks. One that does not come to rest is begun with all the same: on a
// busy machine nothing rests.
const (
	restEvery = 20 * time.Millisecond
	idleShare = 0.1
	maxRest   = time.Second
)

// rest waits until the browser has finished what the run before has left it.
func rest(ctx context.Context, control *wire) error {
	patience, cancel := context.WithTimeout(ctx, maxRest)
	defer cancel()
	look := time.NewTicker(restEvery)
	defer look.Stop()
	last, seen := math.Inf(-1), time.Now()
	for {
		used, err := browserCPU(ctx, control)
		now := time.Now()
		if err != nil || used-last < idleShare*now.Sub(seen).Seconds() {
			return err
		}
		last, seen = used, now
		select {
		case <-look.C:
		case <-patience.Done():
			return context.Cause(ctx)
		}
	}
}

// browserCPU is what all processes of a browser have used, in seconds.
func browserCPU(ctx context.Context, control *wire) (float64, error) {
	var info struct {
		Processes []struct {
			CPU float64 `json:"cpuTime"`
		} `json:"processInfo"`
	}
	if err := control.ask(ctx, "", "SystemInfo.getProcessInfo", nil, &info); err != nil {
		return 0, err
	}
	total := 0.0
	for _, p := range info.Processes {
		total += p.CPU
	}
	return total, nil
}
