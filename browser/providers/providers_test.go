package providers_test

import (
	"context"
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

func TestABrowserOnThisMachine(t *testing.T) {
	t.Parallel()
	browsertest.Slot(t)
	p, err := providers.New("", nil)
	if err != nil {
		t.Fatal(err)
	}
	providertest.Lifecycle(t, p, true)
}

func TestABrowserOnThisMachineIsKeptAlive(t *testing.T) {
	t.Parallel()
	browsertest.Slot(t)
	ctx := browsertest.Context(t)
	local := func() browser.Provider {
		p, err := providers.New("local", nil)
		if err != nil {
			t.Fatal(err)
		}
		return p
	}
	p, other := local(), local()
	s, err := p.Open(ctx, &browser.SessionOptions{KeepAlive: true})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = p.Close(context.WithoutCancel(ctx), s.ID) })
	page, err := s.Browser.NewPage(ctx, "data:text/html,<title>here</title>")
	if err != nil {
		t.Fatal(err)
	}
	var failed *browser.ProviderError
	if _, err := other.Attach(ctx, s.ID); !errors.As(err, &failed) || failed.Code != browser.ProviderConflict {
		t.Errorf("attaching while another drives it: %v", err)
	}
	if err := s.Browser.Detach(); err != nil {
		t.Fatal(err)
	}
	again, err := other.Attach(ctx, s.ID)
	if err != nil || again.SessionInfo != s.SessionInfo {
		t.Fatalf("attached to %+v, opened %+v: %v", again, s.SessionInfo, err)
	}
	pages, err := again.Browser.Pages(ctx)
	if err != nil || !slices.ContainsFunc(pages, func(p *browser.Page) bool { return p.ID() == page.ID() }) {
		t.Errorf("it has other pages: %v", err)
	}
	all, err := p.List(ctx)
	if err != nil || !slices.Contains(all, s.SessionInfo) {
		t.Errorf("it is not listed in %+v: %v", all, err)
	}
	if err := p.Close(ctx, s.ID); err != nil { // while the other drives it
		t.Error(err)
	}
	if _, err := p.Attach(ctx, s.ID); !errors.As(err, &failed) || failed.Code != browser.ProviderNotFound {
		t.Errorf("attaching after its end: %v", err)
	}
	if all, err := other.List(ctx); err != nil || slices.Contains(all, s.SessionInfo) {
		t.Errorf("it is listed after its end in %+v: %v", all, err)
	}
	_ = again.Browser.Close() // it has ended
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
		refusals := map[string]*browser.SessionOptions{
			"a region": {Region: "fra"}, "a time-out": {Timeout: 1}, "a context": {Context: "c"}, "no advertisements": {BlockAds: true},
		}
		if name != "local" {
			refusals["keeping it alive"] = &browser.SessionOptions{KeepAlive: true}
		}
		for what, o := range refusals {
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
