package bench

import (
	"context"
	"encoding/json"
	"fmt"
)

// client plays scripts in a page that stays open.
type client interface {
	// play calls done after each step.
	play(ctx context.Context, site string, s script, done func()) error
	messages() uint64 // sent so far, those that press keys not counted
	close() error
}

// The names of the clients.
const (
	nameFloor      = "floor"
	nameFloorKeys  = "floor by keys"
	nameUnheeded   = "floor by keys, unheeded"
	nameReprise    = "reprise"
	namePlain      = "reprise, plain CSS"
	nameKeys       = "reprise by keys"
	nameRod        = "rod"
	nameReplay     = "@puppeteer/replay"
	namePlaywright = "playwright"
)

// engagement is all that a client gets before it plays.
type engagement struct {
	Client   string   `json:"client"`
	Endpoint string   `json:"endpoint"`
	Site     string   `json:"site"`
	Scripts  []script `json:"scripts"`
	// Documents are the automations of Reprise, by script.
	Documents map[string]json.RawMessage `json:"documents,omitempty"`
}

// newClient engages one of those that are written in Go.
func newClient(ctx context.Context, e engagement) (client, error) {
	switch e.Client {
	case nameFloor:
		return newFloor(ctx, e.Endpoint, inserted)
	case nameFloorKeys:
		return newFloor(ctx, e.Endpoint, byKeys)
	case nameUnheeded:
		return newFloor(ctx, e.Endpoint, byKeysUnheeded)
	case nameRod:
		return newRod(ctx, e.Endpoint)
	case nameReprise, namePlain, nameKeys:
		return newReprise(ctx, e)
	}
	return nil, fmt.Errorf("there is no client %q", e.Client)
}
