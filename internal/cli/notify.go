package cli

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"strings"

	"github.com/spf13/cobra"

	"github.com/go-reprise/reprise/automation"
	"github.com/go-reprise/reprise/handoff"
	"github.com/go-reprise/reprise/handoff/messenger"
	"github.com/go-reprise/reprise/internal/cli/failure"
	"github.com/go-reprise/reprise/internal/cli/files"
	"github.com/go-reprise/reprise/internal/cli/render"
	"github.com/go-reprise/reprise/notify"
	"github.com/go-reprise/reprise/store"
)

// The environment variables with the secrets of channels.
const (
	telegramTokenEnv = "REPRISE_TELEGRAM_TOKEN"
	webhookSecretEnv = "REPRISE_WEBHOOK_SECRET"
)

// maxNotice bounds a text that is sent, in bytes.
const maxNotice = 16 << 10

const notifyLong = `Notify sends a text to the people that the settings name, by the first of these that takes it:
the Telegram chat of notify.telegram.chat, the webhook of notify.webhook.url, and the desktop
of this machine (notify.desktop). docs/notifications.md says how to set them up. The bot's
token is in $REPRISE_TELEGRAM_TOKEN and the webhook's key in $REPRISE_WEBHOOK_SECRET, or both
are in the vault.

Any number of programs may send to one chat. What is sent is not redacted: leave secrets out.
Where no one could be told it ends with 1, and says who was tried, why that failed and what to
do.`

// sentNotice is the result of notify.
type sentNotice struct {
	Told bool `json:"told"`
	notify.Sent
}

func (a *app) notifyCommand() *cobra.Command {
	var title string
	cmd := &cobra.Command{
		Use:   "notify TEXT|-",
		Short: "Tell a person something: by Telegram, a webhook or the desktop",
		Long:  notifyLong,
		Example: `  reprise notify "The invoices of October are paid."
  reprise runs --state failed | reprise notify --title "Failed runs" -`,
		Args:              exactly("TEXT"),
		ValidArgsFunction: cobra.NoFileCompletions,
		RunE: a.run(func(cmd *cobra.Command, args []string) error {
			return a.notify(cmd.Context(), title, args[0])
		}),
	}
	cmd.Flags().StringVar(&title, "title", "", "`TEXT` of the first line (default: none)")
	return cmd
}

func (a *app) notify(ctx context.Context, title, text string) error {
	if text == "-" {
		read, err := files.Read(a.stdin, text, maxNotice)
		if err != nil {
			return err
		}
		text = string(read)
	}
	text = strings.TrimSpace(text)
	switch {
	case text == "" && title == "":
		return failure.Usagef("there is nothing to tell: give a TEXT")
	case len(text)+len(title) > maxNotice:
		return failure.Usagef("a text has at most %d bytes", maxNotice)
	}
	n, _, err := a.notifier(ctx)
	if err != nil {
		return err
	}
	if n == nil {
		return fmt.Errorf("%w; docs/notifications.md says how", &notify.Error{})
	}
	sent, err := n.Send(ctx, notify.Message{Title: title, Text: text})
	if err != nil {
		return err
	}
	return a.result(sentNotice{true, sent}, func(render.Style) string { return "Told by " + sent.Channel + ".\n" })
}

// notifier returns what people are told by, nil where nothing is set up; and the chat, nil for none.
func (a *app) notifier(ctx context.Context) (*notify.Notifier, *notify.Telegram, error) {
	chat, err := a.telegram(ctx)
	if err != nil {
		return nil, nil, err
	}
	var channels []notify.Channel
	if chat != nil {
		channels = append(channels, chat)
	}
	if address := a.config.Notify.Webhook; address != "" {
		key, err := a.channelKey(ctx, webhookSecretEnv, "webhook", address, "secret")
		if err != nil {
			return nil, nil, fmt.Errorf("the webhook: %w", err)
		}
		hook, err := notify.NewWebhook(address, key, nil)
		if err != nil {
			return nil, nil, err
		}
		channels = append(channels, hook)
	}
	if a.config.Notify.Desktop {
		channels = append(channels, notify.NewDesktop(nil))
	}
	if len(channels) == 0 {
		return nil, nil, nil
	}
	n, err := notify.New(&notify.Options{Channels: channels, Logger: a.logger()})
	return n, chat, err
}

// byAgent has agents tell people something, nil where nothing is set up. It may look like a request of Reprise: the last line
// says that it is none.
func byAgent(n *notify.Notifier) func(ctx context.Context, title, text string) (channel string, err error) {
	if n == nil {
		return nil
	}
	return func(ctx context.Context, title, text string) (string, error) {
		sent, err := n.Send(ctx, notify.Message{Title: title, Text: text, NoLink: "An agent has written this: Reprise asks nothing by it."})
		return sent.Channel, err
	}
}

// telegram returns the chat of the settings, nil for none.
func (a *app) telegram(ctx context.Context) (*notify.Telegram, error) {
	s := a.config.Notify
	if s.TelegramChat == 0 {
		return nil, nil
	}
	token, err := a.channelKey(ctx, telegramTokenEnv, "telegram", cmp.Or(s.TelegramAPI, notify.TelegramAPI), "token")
	if err != nil {
		return nil, fmt.Errorf("the Telegram bot: %w", err)
	}
	return notify.NewTelegram(token, s.TelegramChat, &notify.TelegramOptions{API: s.TelegramAPI})
}

// channelKey returns the secret of a channel: of the environment, else of the vault.
func (a *app) channelKey(ctx context.Context, env, service, address, field string) (automation.Secret, error) {
	if text := os.Getenv(env); text != "" {
		return automation.NewSecret(text)
	}
	return a.vaultKey(ctx, service, address, field, env)
}

// messenger returns who tells people what the store has for them, nil where nothing is set up. Desk has the pages of
// this process, nil for none.
func (a *app) messenger(ctx context.Context, st store.Store, desk *handoff.Desk) (*messenger.Messenger, error) {
	n, chat, err := a.notifier(ctx)
	if n == nil {
		return nil, err
	}
	if !a.config.Notify.TelegramAnswers {
		chat = nil
	}
	return messenger.New(&messenger.Options{
		Store: st, Notifier: n, Desk: desk, Warning: a.config.Handoff.Warning, Chat: chat, Logger: a.logger(),
		Failed: func(id string, err error) {
			var none *notify.Error
			if errors.As(err, &none) || a.verbose {
				a.warn(fmt.Errorf("%s: %w", id, err))
			}
		},
	})
}

// tells has the messenger run until stop is called, which has it tell the last of it. A nil one tells no one.
func (a *app) tells(ctx context.Context, m *messenger.Messenger) (stop func()) {
	if m == nil {
		return func() {}
	}
	ctx, cancel := context.WithCancel(context.WithoutCancel(ctx))
	done := make(chan struct{})
	go func() {
		defer close(done)
		m.Run(ctx)
	}()
	return func() {
		cancel()
		<-done
	}
}
