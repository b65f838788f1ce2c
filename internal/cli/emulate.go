package cli

import (
	"context"
	"errors"
	"net/url"
	"os"
	"strings"

	"github.com/spf13/cobra"

	"github.com/go-reprise/reprise/automation"
	"github.com/go-reprise/reprise/browser"
	"github.com/go-reprise/reprise/internal/weburl"
	"github.com/go-reprise/reprise/store"
	"github.com/go-reprise/reprise/store/sealed"
)

// emulationFlags adds the flags of what pages take themselves to be.
func (a *app) emulationFlags(cmd *cobra.Command) {
	f := cmd.Flags()
	a.addSettingFlag(f, "emulate.device", "device", "`DEVICE` that pages are on, like \"Pixel 2\"")
	a.addSettingFlag(f, "emulate.locale", "locale", "`LANGUAGE` of the user, like de-DE")
	a.addSettingFlag(f, "emulate.timezone", "timezone", "`ZONE` of time, like Europe/Berlin")
	a.addSettingFlag(f, "emulate.geolocation", "geolocation", "`LAT,LON[,ACCURACY]` that pages are told, in degrees and metres")
	a.addSettingFlag(f, "emulate.permissions", "permission", "`NAME` of a permission that sites have, like notifications, may be given again")
	a.addSettingFlag(f, "emulate.color_scheme", "color-scheme", "`SCHEME` that the user prefers: light, dark or no-preference")
	a.addSettingSwitch(f, "emulate.offline", "offline", "cut pages off from the network")
	a.addSettingFlag(f, "emulate.headers", "header", "`ORIGIN=NAME:VALUE` of a header for the requests to one origin, may be given again")
	a.addSettingFlag(f, "emulate.proxy", "proxy", "`URL` of a proxy for public addresses: http, https or socks5; user and password come from the vault or $"+proxyUserEnv+" and $"+proxyPasswordEnv)
	const no = cobra.ShellCompDirectiveNoFileComp
	for name, completions := range map[string][]string{
		"device": browser.Devices(), "color-scheme": {"light", "dark", "no-preference"},
		"locale": nil, "timezone": nil, "geolocation": nil, "permission": nil, "header": nil, "proxy": nil,
	} {
		a.warn(cmd.RegisterFlagCompletionFunc(name, cobra.FixedCompletions(completions, no))) // only for a flag that there is not
	}
}

// The environment variables of what a proxy asks for.
const (
	proxyUserEnv     = "REPRISE_PROXY_USERNAME"
	proxyPasswordEnv = "REPRISE_PROXY_PASSWORD"
)

// pageOptions returns what pages emulate, nil for nothing.
func (a *app) pageOptions(ctx context.Context) (*browser.PageOptions, error) {
	o := a.config.PageOptions()
	if o == nil || o.Proxy == nil {
		return o, nil
	}
	p := *o.Proxy
	o.Proxy = &p
	if user, password := os.Getenv(proxyUserEnv), os.Getenv(proxyPasswordEnv); user != "" || password != "" {
		var err error
		p.Username = user
		p.Password, err = automation.NewSecret(password)
		return o, err
	}
	return o, a.withStore(ctx, func(st store.Store) error { return a.signIntoProxy(ctx, st, &p) })
}

// signIntoProxy takes the user and the password of a proxy out of the vault, if they are there:
// the credential for its origin, without an account.
func (a *app) signIntoProxy(ctx context.Context, st store.Store, p *browser.Proxy) error {
	u, err := url.Parse(p.Server)
	if err != nil || u.Scheme != "http" && u.Scheme != "https" {
		return nil // the vault knows origins of these alone
	}
	safe, err := a.safe(st)
	if err != nil {
		return err
	}
	values, err := safe.Values(ctx, &automation.Automation{
		Name: "proxy", Match: automation.Scope{URLs: []string{weburl.SchemeGlob(u)}},
		Variables: []byte(`{"type": "object", "properties": {"username": {"type": "string", "writeOnly": true}, "password": {"type": "string", "writeOnly": true}}}`),
	}, sealed.Scope{})
	if err != nil {
		return err
	}
	take := func(name string) (automation.Secret, error) {
		value, err := values.Value(ctx, name)
		if errors.Is(err, automation.ErrNoValue) {
			return automation.Secret{}, nil
		}
		secret, _ := value.(automation.Secret)
		return secret, err
	}
	user, err := take("username")
	if err != nil {
		return err
	}
	p.Username = strings.TrimSpace(user.Reveal())
	p.Password, err = take("password")
	return err
}
