package bench

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
)

// peers are the clients of others, which come from npm.
var peers = []string{nameReplay, namePlaywright}

// ofOthers reports whether what goes wrong with a client is for others to mend.
func ofOthers(name string) bool { return name == nameRod || slices.Contains(peers, name) }

// mayFail reports whether a run of a client that has failed is played again: those of others,
// and of the bare clients, which do not look what becomes of what they press.
func mayFail(name string) bool { return ofOthers(name) || slices.Contains(bare, name) }

var bare = []string{nameFloor, nameFloorKeys, nameUnheeded}

// errNoPeers is why they are left out.
var errNoPeers = errors.New("@puppeteer/replay and Playwright are left out")

// peersHere returns nil where they can be played.
func peersHere() error {
	if _, err := exec.LookPath("node"); err != nil {
		return fmt.Errorf("%w: there is no node here", errNoPeers)
	}
	if _, err := os.Stat(filepath.Join("peers", "node_modules", ".package-lock.json")); err != nil {
		return fmt.Errorf("%w: run make bench, which installs them with npm: %w", errNoPeers, err)
	}
	return nil
}

func peerCommand() (*exec.Cmd, error) {
	if err := peersHere(); err != nil {
		return nil, err
	}
	return exec.Command("node", filepath.Join("peers", "client.mjs")), nil
}
