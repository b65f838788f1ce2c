package browser

import (
	"context"
	"net"
	"net/netip"
	"runtime"
	"testing"

	"github.com/go-reprise/reprise/internal/target"
)

// Pid is the browser's process.
func (b *Browser) Pid() int { return b.process.pid }

// Profile is the directory that goes when the browser does.
func (b *Browser) Profile() string { return b.process.profile.temp }

// LaunchSandboxed launches with the sandbox first, for any user.
func LaunchSandboxed(ctx context.Context, o *Options) (*Browser, error) {
	o = o.orDefaults()
	path, err := Find(o)
	if err != nil {
		return nil, err
	}
	version, err := Version(ctx, path)
	if err != nil {
		return nil, err
	}
	return launchEither(ctx, o, path, version, true)
}

// ForgetPlaces has Find look in PATH only, for one test that runs alone.
func ForgetPlaces(t *testing.T) {
	known := places[runtime.GOOS]
	places[runtime.GOOS] = nil
	t.Cleanup(func() { places[runtime.GOOS] = known })
}

// Network is the network of a test: what names resolve to, and what stands for addresses.
func Network(o *Options, lookup func(context.Context, string) ([]netip.Addr, error), dial func(context.Context, netip.AddrPort) (net.Conn, error)) {
	o.network.Lookup, o.network.Dial = lookup, dial
}

// Refusal returns why the last connection for an address was not made, nil where it was.
func (p *Page) Refusal(address string) error { return p.target.Refusal(address) }

// Cut ends the connection to the browser as a broken one does.
func (b *Browser) Cut() { _ = b.client.Close() }

// LeaveDialogs has the dialogs of a tab stay open.
func (p *Page) LeaveDialogs() { p.target.SetDialogs(target.LeaveDialogs) }
