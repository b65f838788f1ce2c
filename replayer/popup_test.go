package replayer_test

import (
	"context"
	"testing"

	"github.com/go-reprise/reprise/internal/simuser"
)

// inPopup does something in the tab that was opened last.
func inPopup(acts ...act) act {
	return func(ctx context.Context, p *simuser.User) error {
		tab, err := p.NewTab(ctx)
		if err != nil {
			return err
		}
		for _, act := range acts {
			if err := act(ctx, tab); err != nil {
				return err
			}
		}
		return nil
	}
}

func TestNewTabsAreFollowed(t *testing.T) {
	t.Parallel()
	for _, opener := range []string{"#link", "#button", "#child"} {
		t.Run(opener, func(t *testing.T) {
			t.Parallel()
			site := startSite(t)
			a := record(t, site.URL+"/popup",
				clickOn(opener),
				inPopup(fill("#message", "hello"), clickOn("#send")),
			)
			eventually(t, "the recorded message", func() bool { return len(site.Seen()) == 1 })
			site.Reset()
			got := steps(site, a)
			if len(got) < 4 || got[2] != `typeInput "hello" @popup1` {
				t.Fatalf("recorded steps: %q", got)
			}
			play(t, a, nil)
			eventually(t, "the replayed message", func() bool { return len(site.Seen()) == 1 })
		})
	}
}
