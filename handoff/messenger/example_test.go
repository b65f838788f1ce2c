package messenger_test

import (
	"context"
	"log"
	"os"

	"github.com/go-reprise/reprise/automation"
	"github.com/go-reprise/reprise/handoff"
	"github.com/go-reprise/reprise/handoff/messenger"
	"github.com/go-reprise/reprise/notify"
	"github.com/go-reprise/reprise/store"
)

// The person of a private chat is told of what runs need, and answers there.
func ExampleMessenger() {
	ctx := context.Background()
	st, err := store.Open(ctx, "flows")
	if err != nil {
		log.Fatal(err)
	}
	token, err := automation.NewSecret(os.Getenv("REPRISE_TELEGRAM_TOKEN"))
	if err != nil {
		log.Fatal(err)
	}
	chat, err := notify.NewTelegram(token, 123456789, nil)
	if err != nil {
		log.Fatal(err)
	}
	n, err := notify.New(&notify.Options{Channels: []notify.Channel{chat}})
	if err != nil {
		log.Fatal(err)
	}
	var m *messenger.Messenger
	desk, err := handoff.New(&handoff.Options{Store: st, PublicURL: "https://help.example", Notify: func(n handoff.Notice) { m.Notice(n) }})
	if err != nil {
		log.Fatal(err)
	}
	defer desk.Close()
	m, err = messenger.New(&messenger.Options{Store: st, Notifier: n, Desk: desk, Chat: chat})
	if err != nil {
		log.Fatal(err)
	}
	m.Run(ctx)
}
