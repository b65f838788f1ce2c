package recorder_test

import (
	"testing"

	"github.com/go-reprise/reprise/internal/browsertest"
	"github.com/go-reprise/reprise/internal/demosite"
)

func TestMain(m *testing.M) { browsertest.Main(m) }

func startSite(t *testing.T) *demosite.Server {
	t.Helper()
	site, err := demosite.Start(nil)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { site.Close() })
	return site
}
