package providers_test

import (
	"errors"
	"slices"
	"strings"
	"testing"

	"github.com/go-reprise/reprise/browser"
	"github.com/go-reprise/reprise/browser/providers"
	"github.com/go-reprise/reprise/browser/providers/providertest"
	"github.com/go-reprise/reprise/internal/browsertest"
	"github.com/go-reprise/reprise/internal/canary"
)

func TestMain(m *testing.M) { browsertest.Main(m) }

func TestABrowserOnThisMachine(t *testing.T) {
	t.Parallel()
	browsertest.Slot(t)
	p, err := providers.New("", nil)
	if err != nil {
		t.Fatal(err)
	}
	providertest.Lifecycle(t, p, true)
}

func TestABrowserAtAnEndpointGoesOnAfterClose(t *testing.T) {
	t.Parallel()
	browsertest.Slot(t)
	host, err := browser.Launch(t.Context(), &browser.Options{DebugPort: true})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = host.Close() })
	p, err := providers.New(host.Endpoint(), nil)
	if err != nil {
		t.Fatal(err)
	}
	providertest.Lifecycle(t, p, false)
	if host.Err() != nil {
		t.Error("it has ended")
	}
	info, err := p.List(t.Context())
	if err != nil || len(info) != 1 || strings.Contains(host.Endpoint(), info[0].ID+"?") || strings.Contains(info[0].ID, "devtools") {
		t.Errorf("it is listed as %+v, %v", info, err)
	}
}

func TestOptionsThatAProviderLacksAreRefused(t *testing.T) {
	t.Parallel()
	for _, name := range []string{"local", "ws://127.0.0.1:1/"} {
		p, err := providers.New(name, nil)
		if err != nil {
			t.Fatal(err)
		}
		for what, o := range map[string]*browser.SessionOptions{
			"a region": {Region: "fra"}, "a time-out": {Timeout: 1}, "a context": {Context: "c"}, "keeping it alive": {KeepAlive: true}, "no advertisements": {BlockAds: true},
		} {
			_, err := p.Open(t.Context(), o)
			var refused *browser.ProviderError
			if !errors.As(err, &refused) || refused.Code != browser.ProviderInvalidRequest {
				t.Errorf("%s, %s: %v", name, what, err)
			}
		}
	}
}

func TestAnUnknownNameIsNotRepeated(t *testing.T) {
	t.Parallel()
	secret := canary.NewOf("token-")
	for _, name := range []string{"browserbose", "localhost:9222?" + secret, "://" + secret, "ws://%zz/" + secret} {
		_, err := providers.New(name, nil)
		if !errors.Is(err, providers.ErrUnknown) {
			t.Fatalf("%s: %v", name, err)
		}
		if form, around := canary.Find([]byte(err.Error()), secret); form != "" {
			t.Errorf("the error has it: %s", around)
		}
	}
	if !slices.Equal(providers.Names(), []string{"browserbase", "local", "steel"}) {
		t.Errorf("the names are %v", providers.Names())
	}
}
