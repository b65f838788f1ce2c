package replayer_test

import (
	"context"
	"testing"
	"time"

	"github.com/go-reprise/reprise/browser"
	"github.com/go-reprise/reprise/replayer"
)

// The browser that a program launched ends with it, and with what was held.
func TestWhatIsHeldIsNotSentByABrowserThatEnds(t *testing.T) {
	t.Parallel()
	for _, way := range []string{"fetch", "form"} {
		b := startBox(t, map[string]string{"/": senders[way]})
		own, err := browser.Launch(t.Context(), &browser.Options{})
		if err != nil {
			t.Fatal(err)
		}
		page, err := own.NewPage(t.Context(), b.URL)
		if err != nil {
			t.Fatal(err)
		}
		person := &somebody{yes: true, before: func() { _ = own.Close() }}
		_, err = replayer.Play(context.Background(), page, document(t, b.URL, `{"tool":"click","selector":"#go"}`), &replayer.Options{Person: person, Timeout: 5 * time.Second})
		if err == nil || len(person.asked) != 1 {
			t.Errorf("%s: %v, asked %+v", way, err, person.asked)
		}
		if got := b.all(); len(got) != 0 {
			t.Errorf("%s: %v arrived", way, got)
		}
	}
}
