package notify_test

import (
	"context"
	"fmt"
	"io"
	"log"
	"net/http"
	"os"
	"time"

	"github.com/go-reprise/reprise/automation"
	"github.com/go-reprise/reprise/notify"
)

// A person is told in a chat, and where that fails on the screen.
func ExampleNotifier_Send() {
	token, err := automation.NewSecret(os.Getenv("REPRISE_TELEGRAM_TOKEN"))
	if err != nil {
		log.Fatal(err)
	}
	bot, err := notify.NewTelegram(token, 123456789, nil)
	if err != nil {
		log.Fatal(err)
	}
	n, err := notify.New(&notify.Options{Channels: []notify.Channel{bot, notify.NewDesktop(nil)}})
	if err != nil {
		log.Fatal(err)
	}
	sent, err := n.Send(context.Background(), notify.Message{Key: "order-17-late", Title: "An order is late", Text: "Order 17 was due at noon."})
	fmt.Println(sent.Channel, err)
}

// A receiver of webhooks refuses what its sender has not signed.
func ExampleVerify() {
	key, err := automation.NewSecret(os.Getenv("REPRISE_WEBHOOK_SECRET"))
	if err != nil {
		log.Fatal(err)
	}
	http.HandleFunc("POST /reprise", func(w http.ResponseWriter, r *http.Request) {
		body, err := io.ReadAll(http.MaxBytesReader(w, r.Body, 16<<20))
		if err == nil {
			err = notify.Verify(key, r.Header, body, time.Now())
		}
		if err != nil {
			http.Error(w, err.Error(), http.StatusUnauthorized)
			return
		}
		fmt.Printf("%s\n", body)
	})
}
