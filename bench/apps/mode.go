package main

import (
	"context"

	"github.com/go-reprise/reprise/browser"
	"github.com/go-reprise/reprise/replayer"
)

// mode is how a run is played.
type mode struct {
	name string
	// set changes the page, and the options of the run.
	set func(ctx context.Context, page *browser.Page, o *replayer.Options) error
}

// How much slower the processor is, and a network as on a phone: how long the way takes
// in ms, and bytes a second.
const (
	slowerBy   = 4
	latency    = 300
	throughput = 400_000
)

// afterRelease is the mode in which what was recorded with the release before is played.
const afterRelease = "release"

func atFullSpeed(context.Context, *browser.Page, *replayer.Options) error { return nil }

var modes = []mode{
	{"strict", atFullSpeed},
	{"human", func(_ context.Context, _ *browser.Page, o *replayer.Options) error {
		o.Humanize = true
		return nil
	}},
	{"cpu", func(ctx context.Context, page *browser.Page, _ *replayer.Options) error {
		_, err := page.Target().Send("Emulation.setCPUThrottlingRate", map[string]any{"rate": slowerBy}).Wait(ctx)
		return err
	}},
	{"network", func(ctx context.Context, page *browser.Page, _ *replayer.Options) error {
		_, err := page.Target().Send("Network.emulateNetworkConditions", map[string]any{
			"offline": false, "latency": latency, "downloadThroughput": throughput, "uploadThroughput": throughput,
		}).Wait(ctx)
		return err
	}},
	{afterRelease, atFullSpeed},
	{takeoverMode, atFullSpeed},
}
