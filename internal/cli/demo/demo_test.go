package demo

import (
	"errors"
	"net/url"
	"strings"
	"testing"

	"github.com/go-reprise/reprise/internal/demosite"
	"github.com/go-reprise/reprise/replayer"
)

func TestWhatIsNotAsPromisedIsToldAndEndsIt(t *testing.T) {
	t.Parallel()
	site, err := demosite.Start(nil)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = site.Close() })
	var story strings.Builder
	d := &demo{Options: Options{Out: &story, Dir: t.TempDir()}, site: site}
	// No one has done anything, so nothing of what is promised holds.
	for _, f := range []flow{signIn(site), order(site)} {
		var broken *BrokenError
		if err := d.check(&Flow{}, f); !errors.As(err, &broken) {
			t.Errorf("%s: the checks gave %v, want a *BrokenError", f.name, err)
		}
	}
	if !strings.Contains(story.String(), "✗ the server has signed grace@example.com in, once") {
		t.Errorf("the story does not tell what is not so:\n%s", story.String())
	}
}

func TestAnOrderOfOthersIsNotTakenForTheReplays(t *testing.T) {
	t.Parallel()
	recorded := url.Values{"name": {"Ada"}, "city": {"London"}, "date": {"2026-12-31"}}
	values := replayer.Map{"name": "Grace"}
	for _, test := range []struct {
		sent url.Values
		want bool
	}{
		{url.Values{"name": {"Grace"}, "city": {"London"}, "date": {"2026-12-31"}}, true},
		{url.Values{"name": {"Ada"}, "city": {"London"}, "date": {"2026-12-31"}}, false},
		{url.Values{"name": {"Grace"}, "city": {"Paris"}, "date": {"2026-12-31"}}, false},
		{url.Values{"name": {"Grace"}, "city": {"London"}, "date": {"2026-12-31"}, "gift": {"yes"}}, false},
		{url.Values{"name": {"Grace"}, "city": {"London"}}, false},
	} {
		if got := isOrderOf(values, test.sent, recorded); got != test.want {
			t.Errorf("isOrderOf(%v) is %v, want %v", test.sent, got, test.want)
		}
	}
}
