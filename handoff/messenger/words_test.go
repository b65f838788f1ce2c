package messenger_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/go-reprise/reprise/handoff/messenger"
	"github.com/go-reprise/reprise/internal/browsertest"
	"github.com/go-reprise/reprise/notify"
	"github.com/go-reprise/reprise/store"
)

// Who is paid how much, and where, stands first and whole in a question, however much a page or an agent says: what is
// long is shortened on its own line.
func TestALongPageHidesNoFactOfAPayment(t *testing.T) {
	t.Parallel()
	wants := []string{
		"Payee: Meadow Water and Sons, Public Limited Company of Somewhere", "Amount: 9000,00 €", "Origin: https://shop.example",
		"Presses: Pay now Pay", "Said to be for: the invoice", "Sends: POST https://evil.example/aaa", "Page: https://shop.example/pay", "Run: ", "No answer in time denies it.",
	}
	ask := func(t *testing.T, s *scene, payee string) {
		if _, err := s.store.Approvals().Ask(t.Context(), store.ApprovalRequest{
			Run: store.NewRunID(), Tool: "click", Label: strings.Repeat("Pay now ", 2000), Intent: strings.Repeat("the invoice ", 80), Payee: payee, Amount: "9000,00 €",
			Origin: "https://shop.example", URL: "https://shop.example/pay", Method: "POST", Request: "https://evil.example/" + strings.Repeat("a", 9000), Type: "text/plain",
		}, time.Hour); err != nil {
			t.Fatal(err)
		}
	}
	payee := strings.TrimPrefix(wants[0], "Payee: ")
	check := func(t *testing.T, text string, most int, wants []string) {
		t.Helper()
		if len(text) > most {
			t.Errorf("it has %d bytes, want %d at most", len(text), most)
		}
		lines := strings.Split(text, "\n")
		for i, want := range wants {
			if i >= len(lines) || !strings.HasPrefix(lines[i], want) || lines[i] != want && i < 3 {
				t.Fatalf("line %d is not %q: %q", i, want, text)
			}
			if named := strings.HasPrefix(want, "Presses") || strings.HasPrefix(want, "Sends"); named && !strings.HasSuffix(lines[i], "…") {
				t.Errorf("it is not said that %q was cut", lines[i])
			}
		}
	}
	t.Run("in the chat", func(t *testing.T) {
		t.Parallel()
		s := begin(t)
		s.run(t, person, nil)
		ask(t, s, payee)
		m := s.sent(t, 1)[0]
		title, text, _ := strings.Cut(m.Text, "\n")
		if title != "Approval needed: click" || m.Markup == "" {
			t.Errorf("its title is %q, its buttons are %s", title, m.Markup)
		}
		check(t, text, 3500, wants)
	})
	t.Run("in the chat, with the longest payee", func(t *testing.T) {
		t.Parallel()
		s := begin(t)
		s.run(t, person, nil)
		longest := strings.TrimSpace(strings.Repeat("Water ", 170))
		ask(t, s, longest)
		_, text, _ := strings.Cut(s.sent(t, 1)[0].Text, "\n")
		check(t, text, 3500, append([]string{"Payee: " + longest}, wants[1:]...))
	})
	desktop := func(t *testing.T, payee string) string {
		dir := t.TempDir()
		program, out := filepath.Join(dir, "notify-send"), filepath.Join(dir, "out")
		if err := os.WriteFile(program, []byte("#!/bin/sh\nprintf '%s' \"$5\" > "+out+".part && mv "+out+".part "+out+"\n"), 0o700); err != nil {
			t.Fatal(err)
		}
		n, err := notify.New(&notify.Options{Channels: []notify.Channel{notify.NewDesktop(&notify.DesktopOptions{Program: program})}})
		if err != nil {
			t.Fatal(err)
		}
		s := begin(t)
		s.run(t, person, func(o *messenger.Options) { o.Notifier, o.Chat = n, nil })
		ask(t, s, payee)
		browsertest.Until(t, "the desktop to show it", func() bool { _, err := os.Stat(out); return err == nil })
		text, err := os.ReadFile(out)
		if err != nil {
			t.Fatal(err)
		}
		return string(text)
	}
	t.Run("on the desktop", func(t *testing.T) {
		t.Parallel()
		check(t, desktop(t, payee), 500, wants)
	})
	t.Run("on the desktop, with the longest payee", func(t *testing.T) { // more than what it shows of others
		t.Parallel()
		longest := strings.TrimSpace(strings.Repeat("Water ", 170))
		check(t, desktop(t, longest), 1500, append([]string{"Payee: " + longest}, wants[1:3]...))
	})
}
