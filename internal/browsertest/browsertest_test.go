package browsertest_test

import (
	"os"
	"testing"

	"github.com/go-reprise/reprise/internal/browsertest"
)

func TestMain(m *testing.M) {
	if os.Getenv(holdsSlot) != "" {
		holdSlot()
		return
	}
	browsertest.Main(m)
}

func TestTheBrowserIsSharedAndReplacedWhenItIsLost(t *testing.T) {
	first := browsertest.Browser(t)
	if browsertest.Browser(t) != first {
		t.Error("a second test gets another browser")
	}
	var id string
	t.Run("page", func(t *testing.T) {
		p := browsertest.Page(t, "data:text/html,hello")
		id = p.ID()
		if p.Browser() != first || p.URL() != "data:text/html,hello" {
			t.Errorf("the page is at %s", p.URL())
		}
	})
	pages, err := first.Pages(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	for _, p := range pages {
		if p.ID() == id {
			t.Error("the page of a test that has ended is open")
		}
	}
	if err := first.Close(); err != nil {
		t.Fatal(err)
	}
	if second := browsertest.Browser(t); second == first || second.Err() != nil {
		t.Error("a lost browser is not replaced")
	}
}
