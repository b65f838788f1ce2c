// Package providers has the places where Reprise opens browsers: on this machine, at any
// endpoint that speaks Chrome's protocol, and at services that rent browsers out.
//
//	p, err := providers.New("browserbase", nil) // the key is in $BROWSERBASE_API_KEY
//	if err != nil {
//		return err
//	}
//	b, session, err := browser.OpenSession(ctx, p, &browser.SessionOptions{Region: "eu-central-1"})
//	if err != nil {
//		return err
//	}
//	defer b.Close() // ends the session as well
//
// A service is one file here, and package providertest checks that it does what
// browser.Provider promises. Of every service captcha solving and the recording of sessions are
// turned off, where it can be.
package providers

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"maps"
	"os"
	"slices"
	"strings"

	"github.com/go-reprise/reprise/automation"
	"github.com/go-reprise/reprise/browser"
)

// Options of a provider. The zero value, or nil, works where the environment has the key.
type Options struct {
	// Key returns the key of the service; it is asked before each request. A key that is bound
	// to origins is sent to those alone. Default: that of $BROWSERBASE_API_KEY or $STEEL_API_KEY.
	Key func(ctx context.Context) (automation.Secret, error)
	// ProjectID is Browserbase's. Default: $BROWSERBASE_PROJECT_ID, else the key's own.
	ProjectID string
	// BaseURL is where the service's API is: https, or http on this machine. Default:
	// $BROWSERBASE_BASE_URL or $STEEL_BASE_URL, else the service's own.
	BaseURL string
	// LiveView offers the service's own live view (browser.Session.Viewer). It asks no one who
	// they are: anyone who has its address has the browser. Default: off.
	LiveView bool
	// Logger is told of sessions that are opened and ended, and of waits. Default: silent.
	Logger *slog.Logger
}

func (o *Options) orDefaults() *Options {
	filled := Options{}
	if o != nil {
		filled = *o
	}
	if filled.Logger == nil {
		filled.Logger = slog.New(slog.DiscardHandler)
	}
	return &filled
}

// services are those that rent browsers out, by name.
var services = map[string]struct {
	api  string // its own address
	open func(o *Options) (browser.Provider, error)
}{
	"browserbase": {browserbaseURL, newBrowserbase},
	"steel":       {steelURL, newSteel},
}

// LocalName is the name of the provider that launches a browser on this machine.
const LocalName = "local"

// Names are those that New knows, in alphabetical order: a service each, and LocalName.
func Names() []string {
	return slices.Sorted(slices.Values(append(slices.Collect(maps.Keys(services)), LocalName)))
}

// IsService reports whether a name is that of a service that rents browsers out.
func IsService(name string) bool {
	_, is := services[name]
	return is
}

// KeyEnv is the environment variable with the key of a service, "" of what is none.
func KeyEnv(service string) string {
	if !IsService(service) {
		return ""
	}
	return keyEnv(service)
}

func keyEnv(service string) string { return strings.ToUpper(service) + "_API_KEY" }

// BaseURL is where the API of a service is, by the environment or by its own address; "" of
// what is none.
func BaseURL(service string) string {
	if !IsService(service) {
		return ""
	}
	return baseURL(&Options{}, service, services[service].api)
}

// New returns the provider that a name stands for: one of Names, "" being LocalName, or an
// endpoint of a browser that runs, as browser.Connect takes it. Nothing is opened yet. A name
// that stands for none is an ErrUnknown; the error does not repeat it, as it may hold a key.
func New(name string, o *Options) (browser.Provider, error) {
	service, known := services[name]
	switch {
	case known:
		return service.open(o.orDefaults())
	case name == "" || name == LocalName:
		return &local{sessions: map[string]*browser.Session{}}, nil
	case strings.Contains(name, "://"):
		return newEndpoint(name)
	}
	return nil, fmt.Errorf("%w: expected one of %s, or ws://… or http://host:port of a browser that runs", ErrUnknown, strings.Join(Names(), ", "))
}

// ErrUnknown is a name that stands for no provider.
var ErrUnknown = errors.New("this is not a browser provider")

// fromEnv is the default of Options.Key.
func fromEnv(service string) func(context.Context) (automation.Secret, error) {
	return func(context.Context) (automation.Secret, error) {
		return automation.NewSecret(os.Getenv(keyEnv(service)))
	}
}

// baseURL is the address that the options, the environment or the service itself has.
func baseURL(o *Options, service, own string) string {
	return cmp.Or(o.BaseURL, os.Getenv(strings.ToUpper(service)+"_BASE_URL"), own)
}
