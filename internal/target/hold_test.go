package target_test

import (
	"context"
	"io"
	"net/http"
	"net/http/httptest"
	"testing"
	"time"

	"github.com/go-reprise/reprise/internal/target"
)

func TestARequestOfADocumentThatHasJustBegunIsHeld(t *testing.T) {
	posted := make(chan string, 100)
	site := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Method == http.MethodPost {
			posted <- r.URL.Path
		}
		w.Header().Set("Content-Type", "text/html")
		_, _ = io.WriteString(w, "here")
	}))
	t.Cleanup(site.Close)
	const rounds = 10 // six of them used to pass
	for range rounds {
		p := open(t, site.URL)
		holding, err := p.Hold(within(t), func(*target.Request) bool { return false })
		if err != nil {
			t.Fatal(err)
		}
		p.Send("Runtime.evaluate", map[string]any{"expression": `void fetch("/pay", {method: "POST"})`})
		held := make(chan error, 1)
		ctx, cancel := context.WithTimeout(within(t), 20*time.Second)
		go func() { held <- holding.WaitHeld(ctx) }()
		select {
		case path := <-posted:
			t.Fatalf("%s was sent", path)
		case err := <-held:
			if err != nil {
				t.Fatal(err)
			}
		}
		cancel()
		holding.Stop()
	}
}
