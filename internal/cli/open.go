package cli

import (
	"context"
	"net/url"
	"os"
	"path/filepath"
	"runtime"
	"strings"

	"github.com/spf13/pflag"

	"github.com/go-reprise/reprise/automation"
	"github.com/go-reprise/reprise/browser"
	"github.com/go-reprise/reprise/internal/cli/failure"
	"github.com/go-reprise/reprise/internal/load"
	"github.com/go-reprise/reprise/internal/runner"
	"github.com/go-reprise/reprise/internal/weburl"
	"github.com/go-reprise/reprise/store"
	_ "github.com/go-reprise/reprise/store/postgres" // postgres:// for --store
)

// withStore opens the store for a command, and closes it again.
func (a *app) withStore(ctx context.Context, do func(store.Store) error) error {
	st, err := a.openStore(ctx)
	if err != nil {
		return err
	}
	defer func() { a.warn(st.Close()) }()
	return do(st)
}

// openStore opens the store that --store, --data or the environment names.
func (a *app) openStore(ctx context.Context) (store.Store, error) {
	address, err := a.storeAddress()
	if err != nil {
		return nil, err
	}
	return store.Open(ctx, address)
}

// storeAddress is the address for store.Open. Flags override the environment.
func (a *app) storeAddress() (string, error) {
	switch {
	case a.store != "" && a.data != "":
		return "", failure.Usagef("--store and --data both say where documents are stored: give one of them")
	case a.store != "":
		return a.store, nil
	case a.data != "":
		return filepath.Abs(a.data) // whatever its name looks like, it is a directory
	}
	return os.Getenv(storeEnv), nil
}

// dataDir is the directory of the store, "" where the store is not a directory.
func (a *app) dataDir() string {
	address, err := a.storeAddress()
	if err == nil && address == "" {
		address, err = store.DefaultDir()
	}
	if err != nil || strings.Contains(address, "://") {
		return ""
	}
	return address
}

// documentPath is the file of a document, "" where the store is not a directory.
// The store percent-encodes the account in the file's name.
func (a *app) documentPath(name, account string) string {
	dir := a.dataDir()
	if dir == "" {
		return ""
	}
	if account == "" {
		return filepath.Join(dir, "automations", name+".json")
	}
	files, err := os.ReadDir(filepath.Join(dir, "automations"))
	if err != nil {
		return ""
	}
	for _, file := range files {
		escaped, ours := strings.CutPrefix(strings.TrimSuffix(file.Name(), ".json"), name+"@")
		if label, err := url.PathUnescape(escaped); ours && err == nil && label == account {
			return filepath.Join(dir, "automations", file.Name())
		}
	}
	return ""
}

// privateNetworkFlag adds the flag that lets pages reach private addresses.
func privateNetworkFlag(f *pflag.FlagSet, allowed *bool) {
	f.BoolVar(allowed, "allow-private-network", false, "let public pages reach private addresses: this machine, the local network (default: only what the flow or the agent itself goes to)")
}

// openPage returns the page to work in: the only one of a browser that was already running,
// if it is blank; otherwise a new one. Where there are others, a blank one may be another
// program's, which has just opened it.
func (a *app) openPage(ctx context.Context, b *browser.Browser) (*browser.Page, error) {
	switch {
	case a.launches():
		return b.NewPage(ctx, "")
	case a.config.PageOptions() != nil: // the pages that are there share it with other programs
		return b.NewIsolatedPage(ctx, "")
	}
	pages, err := b.Pages(ctx)
	if err != nil {
		return nil, err
	}
	if len(pages) != 1 || !isBlank(pages[0].URL()) {
		return b.NewPage(ctx, "")
	}
	if pages[0].URL() == "about:blank" {
		return pages[0], nil
	}
	return pages[0], pages[0].Navigate(ctx, "about:blank") // from a page of the browser's own
}

// isBlank reports whether a tab shows only what the browser puts there.
func isBlank(address string) bool {
	for _, own := range []string{"chrome://newtab", "chrome://new-tab-page"} {
		if strings.HasPrefix(address, own) {
			return true
		}
	}
	return address == "" || address == "about:blank"
}

// Reconnect connects again, and finds the page.
func (p *ownPages) Reconnect(ctx context.Context, lost *browser.Page) (*browser.Page, func(), error) {
	ctx, cancel := load.WithTimeout(ctx, runner.ReconnectTimeout)
	defer cancel()
	again, err := p.browser.Reconnect(ctx)
	if err != nil {
		return nil, nil, err
	}
	p.browser = again
	page, err := again.Page(ctx, lost.ID())
	return page, func() {}, err
}

// hasDisplay reports whether a window would be visible.
func hasDisplay() bool {
	return runtime.GOOS == "darwin" || os.Getenv("DISPLAY") != "" || os.Getenv("WAYLAND_DISPLAY") != ""
}

// ownPages are the pages of the browser that a command launches, or that --browser names:
// runner.Pages.
type ownPages struct {
	app     *app
	options *browser.Options
	browser *browser.Browser
}

// Open returns the page to play in: the one in which the run stopped, if it still exists.
func (p *ownPages) Open(ctx context.Context, login *runner.Login, earlier string) (*browser.Page, func(), error) {
	var err error
	if p.browser, err = p.app.openBrowser(ctx, p.options); err != nil {
		return nil, nil, err
	}
	if earlier != "" {
		pages, err := p.browser.Pages(ctx)
		if err != nil {
			return nil, nil, err
		}
		for _, page := range pages {
			if page.ID() == earlier {
				return page, func() {}, nil
			}
		}
	}
	open := p.app.openPage
	if login != nil {
		open = login.NewPage
	}
	page, err := open(ctx, p.browser)
	return page, func() {}, err
}

func (p *ownPages) hasWindow(ctx context.Context) bool {
	return p.browser != nil && p.browser.HasWindow(ctx)
}

func (p *ownPages) close() error {
	if p.browser == nil {
		return nil
	}
	return p.browser.Close()
}

// address completes an address of the command line: without a scheme it is https, or http
// for this machine.
func address(given string) (string, error) {
	full := given
	if !strings.Contains(given, "://") {
		full = "https://" + given
		if u, err := url.Parse(full); err == nil && weburl.IsLoopback(u.Hostname()) {
			full = "http://" + given
		}
	}
	if err := automation.CheckURL(full); err != nil {
		return "", failure.Usagef("%s cannot be opened: %v", given, err)
	}
	return full, nil
}
