package providers_test

import (
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/go-reprise/reprise/browser"
	"github.com/go-reprise/reprise/browser/providers"
	"github.com/go-reprise/reprise/browser/providers/providertest"
)

func TestBrowserbase(t *testing.T) {
	t.Parallel()
	const project = "project-1"
	providertest.Run(t, &providertest.Service{
		New: func(o *providertest.Options) (browser.Provider, error) {
			return providers.New("browserbase", &providers.Options{
				Key: o.Key, ProjectID: project, BaseURL: o.BaseURL, LiveView: o.LiveView, Logger: o.Logger,
			})
		},
		Handler: providertest.SpeakBrowserbase,
		Options: browser.SessionOptions{
			Browser: &browser.Options{Width: 1280, Height: 800}, Region: "eu-central-1", Timeout: 90 * time.Minute,
			KeepAlive: true, Context: "context-1", SaveContext: true,
		},
		CheckAsked: func(t *testing.T, asked map[string]any, _ bool) {
			metadata, _ := asked["userMetadata"].(map[string]any)
			delete(asked, "userMetadata") // random
			want := map[string]any{
				"projectId": project, "keepAlive": true, "region": "eu-central-1", "timeout": 5400.0,
				"browserSettings": map[string]any{
					"solveCaptchas": false, "recordSession": false, "logSession": false, "blockAds": false,
					"viewport": map[string]any{"width": 1280.0, "height": 800.0},
					"context":  map[string]any{"id": "context-1", "persist": true},
				},
			}
			if diff := cmp.Diff(want, asked); diff != "" || metadata["reprise"] == nil {
				t.Errorf("it was asked for with the tag %v and other than (-want +got):\n%s", metadata, diff)
			}
		},
		Open: "POST /v1/sessions", List: "GET /v1/sessions", Get: "GET /v1/sessions/ID", Close: "POST /v1/sessions/ID",
		Opened: func(id, socket string) any {
			return map[string]any{"id": id, "status": "RUNNING", "connectUrl": socket}
		},
	})
}
