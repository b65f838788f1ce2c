// Package notify tells people that something happened or is needed: in a Telegram chat, by a signed webhook, or on the
// desktop.
//
//	bot, err := notify.NewTelegram(token, chat, nil)
//	n, err := notify.New(&notify.Options{Channels: []notify.Channel{bot, notify.NewDesktop(nil)}})
//	sent, err := n.Send(ctx, notify.Message{Key: "order-17", Title: "An order is late", Text: "Order 17 was due at noon."})
//
// A Notifier tries its channels in order until one has taken the message: with retries, within a bounded time. An *Error
// lists what was tried when none has. The texts are the caller's: it redacts them.
package notify
