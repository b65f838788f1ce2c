package doctor

import (
	"context"
	"fmt"
	"strings"
	"syscall"
	"time"

	"github.com/go-reprise/reprise/browser"
	"github.com/go-reprise/reprise/store"
)

// keeper looks whether browsers can outlive their process here, as those of serve do.
func keeper(_ context.Context, _ *Options) []Check {
	running, err := browser.Instances()
	if err != nil {
		return []Check{{"keeper", Fail, err.Error(), "serve keeps its browser over a socket there: set XDG_RUNTIME_DIR to a directory of this user with mode 0700"}}
	}
	detail := "browsers can outlive their process"
	if len(running) > 0 {
		detail = fmt.Sprintf("%d browsers run that outlive their process", len(running))
	}
	return []Check{{"keeper", OK, detail, ""}}
}

// leastSpace is what a profile of Chrome, a few recordings and their pictures need.
const leastSpace = 1 << 30

// space looks how much room the data directory has.
func space(_ context.Context, o *Options) []Check {
	if o.Dir == "" {
		return nil
	}
	var fs syscall.Statfs_t
	if syscall.Statfs(existing(o.Dir), &fs) != nil {
		return nil // directory tells what is wrong there
	}
	free := uint64(fs.Bavail) * uint64(fs.Bsize) //nolint:unconvert // their types differ between systems
	detail := fmt.Sprintf("%.1f GiB are free in %s", float64(free)/(1<<30), o.Dir)
	if free < leastSpace {
		return []Check{{"disk", Warn, detail, "make room, or name another place with --data"}}
	}
	return []Check{{"disk", OK, detail, ""}}
}

// logins looks for saved logins with which no one is signed in any more.
func logins(ctx context.Context, o *Options) []Check {
	st, err := o.OpenStore(ctx)
	if err != nil {
		return nil // documents tells
	}
	defer st.Close()
	var over []string
	n := 0
	for l, err := range st.Logins().List(ctx) {
		if err != nil {
			return []Check{{"logins", Fail, err.Error(), ""}}
		}
		n++
		out := !l.Expires.IsZero() && l.Expires.Before(time.Now())
		if l.Err == nil && (out || l.Login != nil && l.Login.State == store.LoginSignedOut) {
			over = append(over, l.Name)
		}
	}
	switch {
	case n == 0:
		return nil
	case len(over) > 0:
		return []Check{{"logins", Warn, fmt.Sprintf("%d of %d are over: %s", len(over), n, strings.Join(over, ", ")),
			"`reprise play --login NAME --sign-in` signs in again, or `reprise login save NAME` by hand"}}
	}
	return []Check{{"logins", OK, fmt.Sprintf("%d are saved", n), ""}}
}

// orphans looks for browsers that no process holds.
func orphans(ctx context.Context, o *Options) []Check {
	st, err := o.OpenStore(ctx)
	if err != nil {
		return nil
	}
	defer st.Close()
	n := 0
	for _, err := range st.Browsers().List(ctx) {
		if err != nil {
			return []Check{{"browsers", Fail, err.Error(), ""}}
		}
		n++
	}
	if n == 0 {
		return nil
	}
	return []Check{{"browsers", OK, fmt.Sprintf("%d are held, or were left", n), "`reprise cleanup --dry-run` says which, and closes what no process holds without --dry-run"}}
}
