package providers_test

import (
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/go-reprise/reprise/browser"
	"github.com/go-reprise/reprise/browser/providers"
	"github.com/go-reprise/reprise/browser/providers/providertest"
)

func TestSteel(t *testing.T) {
	t.Parallel()
	providertest.Run(t, &providertest.Service{
		New: func(o *providertest.Options) (browser.Provider, error) {
			return providers.New("steel", &providers.Options{Key: o.Key, BaseURL: o.BaseURL, LiveView: o.LiveView, Logger: o.Logger})
		},
		Handler: providertest.SpeakSteel,
		Options: browser.SessionOptions{
			Browser: &browser.Options{Width: 1280, Height: 800}, Region: "fra", Timeout: 90 * time.Minute, BlockAds: true,
			Context: "profile-1", SaveContext: true,
		},
		CheckAsked: func(t *testing.T, asked map[string]any, liveView bool) {
			id, _ := asked["sessionId"].(string)
			delete(asked, "sessionId") // random
			want := map[string]any{
				"timeout": 5400000.0, "region": "fra", "blockAds": true, "solveCaptcha": false,
				"stealthConfig": map[string]any{"autoCaptchaSolving": false}, "debugConfig": map[string]any{"interactive": liveView},
				"dimensions": map[string]any{"width": 1280.0, "height": 800.0}, "profileId": "profile-1", "persistProfile": true,
			}
			if diff := cmp.Diff(want, asked); diff != "" || len(id) != 36 {
				t.Errorf("it was asked for with the ID %q and other than (-want +got):\n%s", id, diff)
			}
		},
		Open: "POST /v1/sessions", List: "GET /v1/sessions", Get: "GET /v1/sessions/ID", Close: "POST /v1/sessions/ID/release",
		Opened: func(id, socket string) any {
			return map[string]any{"id": id, "status": "live", "websocketUrl": socket}
		},
	})
}
