package replayer_test

import (
	"fmt"
	"testing"
	"time"

	"github.com/go-reprise/reprise/automation"
	"github.com/go-reprise/reprise/internal/browsertest"
	"github.com/go-reprise/reprise/replayer"
)

func TestARunGoesOnOnAnyPageOfItsSite(t *testing.T) {
	t.Parallel()
	site := serve(t, `<button id=a onclick="told.textContent += 'a'">a</button><p id=told></p>`)
	a, err := automation.Parse(fmt.Appendf(nil, `{"format": 1, "name": "two", "match": {"urls": ["%s/start"]}, "steps": [
		{"tool": "click", "selector": "#a"}, {"tool": "click", "selector": "#a"}]}`, site.URL[len("http://"):]))
	if err != nil {
		t.Fatal(err)
	}
	elsewhere := browsertest.Page(t, site.URL+"/elsewhere")
	_, err = replayer.Play(t.Context(), elsewhere, a, &replayer.Options{Timeout: 5 * time.Second})
	wantCode(t, err, replayer.OutOfScope, -1)
	if _, err := replayer.Play(t.Context(), elsewhere, a, &replayer.Options{Timeout: 5 * time.Second, From: 1}); err != nil {
		t.Error(err)
	}
	other := serve(t, `<button id=a>a</button>`)
	_, err = replayer.Play(t.Context(), browsertest.Page(t, other.URL+"/start"), a, &replayer.Options{Timeout: 5 * time.Second, From: 1})
	wantCode(t, err, replayer.OutOfScope, -1)
}
