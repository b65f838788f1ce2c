// Package settings reads the settings file: one YAML file, in which a key that there is not,
// a value of another kind and one that is out of range are errors with their path, line and
// column. What a flag sets overrides the environment, which overrides the file, which
// overrides the default.
//
//	s, err := settings.Load(&settings.Options{})
//	if err != nil {
//		return err // a *settings.Error
//	}
//	fmt.Println(s.Handoff.Timeout, s.Origin("handoff.timeout"))
//
// A file holds no secrets: keys and tokens come from the environment, from the keyring or
// from the vault, and a value that looks like one is refused.
package settings

import (
	"slices"
	"time"

	"github.com/go-reprise/reprise/agent/autonomy"
	"github.com/go-reprise/reprise/browser"
)

// Settings are the values that count. The zero value is not usable: Default and Load return
// one that is.
type Settings struct {
	Browser Browser
	// Emulate is what pages take themselves to be; PageOptions returns it where it is set.
	Emulate browser.PageOptions
	Session Session
	Handoff Handoff
	Notify  Notify
	Logins  Logins
	// HumanInLoop holds the settings of the guard.
	HumanInLoop autonomy.Settings

	// File is the file that was read, "" where there is none.
	File    string
	origins map[string]Origin // of what is not the default
}

// Browser says which browser is used.
type Browser struct {
	// Provider is ProviderLocal, the name of another provider, or the address of a running
	// browser (ws, wss, http or https). Default: ProviderLocal.
	Provider string
	// Region is where a provider runs the browser. Default: the provider's own.
	Region string
	// KeepAlive is how long a browser is left running while no one uses it. Default: 30
	// minutes.
	KeepAlive time.Duration
	// BlockAds, SolveCaptchas and RecordSessions have a provider do so. Default: false.
	BlockAds, SolveCaptchas, RecordSessions bool
}

// The values of Browser.Provider that are not addresses.
const (
	ProviderLocal       = "local" // one is launched on this machine
	ProviderBrowserbase = "browserbase"
	ProviderSteel       = "steel"
)

// Session bounds what an agent has open.
type Session struct {
	// Timeout ends a session that is not used. Default: 30 minutes.
	Timeout time.Duration
	// IdleReminder is after how long without a call the agent is reminded. Default: 10
	// minutes.
	IdleReminder time.Duration
	// Concurrent is how many sessions may be open at once. Default: 1.
	Concurrent int
}

// Handoff bounds how long a person may take.
type Handoff struct {
	// Timeout ends a handoff. Default: 30 minutes.
	Timeout time.Duration
	// Warning is how long before its end the person is warned. Default: 5 minutes.
	Warning time.Duration
}

// Notify says how a person is told.
type Notify struct {
	// TelegramChat is the chat that messages go to. Default: 0, none.
	TelegramChat int64
	// TelegramAPI is the address of a server that speaks the Bot API. Default: Telegram's own.
	TelegramAPI string
	// TelegramAnswers hears what the person of a private chat answers. Default: false.
	TelegramAnswers bool
	// Webhook is the URL that is called. Default: none.
	Webhook string
	// Desktop shows notifications on this machine. Default: false.
	Desktop bool
}

// Logins says what becomes of saved logins.
type Logins struct {
	// Save saves a login again at the good end of a run. Default: false.
	Save bool
}

// Default returns the settings of a machine on which nothing is set.
func Default() *Settings {
	return &Settings{
		Browser: Browser{Provider: ProviderLocal, KeepAlive: 30 * time.Minute},
		Session: Session{Timeout: 1800 * time.Second, IdleReminder: 600 * time.Second, Concurrent: 1},
		Handoff: Handoff{Timeout: 1800 * time.Second, Warning: 300 * time.Second},
		origins: map[string]Origin{},
	}
}

// Bounds of what may be set.
const (
	minTime       = 10 * time.Second // below, a person has no time to react
	maxTime       = 24 * time.Hour
	minKeepAlive  = time.Minute
	maxHandoff    = time.Hour // a browser is not left in the hands of a link for longer
	maxConcurrent = 64        // sessions, each with pages of its own
)

// leaves are all settings but those of the guard, in the order in which they are shown.
func (s *Settings) leaves() []leaf {
	return slices.Concat([]leaf{
		{"browser.provider", words(&s.Browser.Provider, checkProvider, shownURL)},
		{"browser.region", words(&s.Browser.Region, checkWord, nil)},
		{"browser.keep_alive", duration(&s.Browser.KeepAlive, minKeepAlive, maxTime)},
		{"browser.block_ads", boolean(&s.Browser.BlockAds)},
		{"browser.solve_captchas", boolean(&s.Browser.SolveCaptchas)},
		{"browser.record_sessions", boolean(&s.Browser.RecordSessions)},
	}, s.emulation(), []leaf{
		{"session.timeout", duration(&s.Session.Timeout, minTime, maxTime)},
		{"session.idle_reminder", duration(&s.Session.IdleReminder, minTime, maxTime)},
		{"session.concurrent", whole(&s.Session.Concurrent, 1, maxConcurrent)},
		{"handoff.timeout", duration(&s.Handoff.Timeout, minTime, maxHandoff)},
		{"handoff.warning", duration(&s.Handoff.Warning, minTime, maxHandoff)},
		{"notify.telegram.chat", whole(&s.Notify.TelegramChat, -1<<52, 1<<52)}, // a chat's ID fits into 52 bits
		{"notify.telegram.api", words(&s.Notify.TelegramAPI, checkWebhook, shownURL)},
		{"notify.telegram.answers", boolean(&s.Notify.TelegramAnswers)},
		{"notify.webhook.url", words(&s.Notify.Webhook, checkWebhook, shownURL)},
		{"notify.desktop", boolean(&s.Notify.Desktop)},
		{"logins.save", boolean(&s.Logins.Save)},
	})
}

// checkTogether finds settings that contradict one another.
func (s *Settings) checkTogether() []Problem {
	var all []Problem
	if s.Handoff.Warning >= s.Handoff.Timeout {
		all = append(all, Problem{Path: "handoff.warning", Reason: "must be below handoff.timeout, " + shortDuration(s.Handoff.Timeout)})
	}
	if s.Notify.TelegramAnswers && s.Notify.TelegramChat <= 0 {
		all = append(all, Problem{Path: "notify.telegram.answers", Reason: "needs a private chat, whose ID is above 0, in notify.telegram.chat"})
	}
	if s.Session.IdleReminder >= s.Session.Timeout {
		all = append(all, Problem{Path: "session.idle_reminder", Reason: "must be below session.timeout, " + shortDuration(s.Session.Timeout)})
	}
	return all
}
