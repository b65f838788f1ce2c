package browser

import (
	"context"
	"errors"
	"fmt"
	"net/url"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"github.com/go-rod/rod/lib/devices"
	"golang.org/x/net/http/httpguts"
	"golang.org/x/text/language"

	"github.com/go-reprise/reprise/automation"
	"github.com/go-reprise/reprise/internal/target"
	"github.com/go-reprise/reprise/internal/weburl"
)

// PageOptions say what a page takes itself to be and how it reaches the network. They hold
// from before its first script: in its frames and workers, and in the pages that it opens.
// The zero value, or nil, leaves everything as the browser has it.
type PageOptions struct {
	// Device is one of Devices, by its name: its screen, its touch screen, its user agent
	// and the client hints of it. Default: none is emulated.
	Device string
	// Locale is a language tag like de-DE, for Intl, navigator.languages and Accept-Language.
	// Default: the browser's.
	Locale string
	// TimeZone is a name of the IANA database, like Europe/Berlin. Default: this machine's.
	TimeZone string
	// Geolocation is the place that the page is told, and allows it to ask. Default: none.
	Geolocation *Geolocation
	// Permissions are granted to every site, by their names in the Permissions API, like
	// "notifications" or "clipboard-read". Default: what a site asks for is not granted.
	Permissions []string
	// ColorScheme is what the user prefers: "light", "dark" or "no-preference". Default: the
	// browser's.
	ColorScheme string
	// Offline cuts pages off from the network. Default: they are online.
	Offline bool
	// Headers are added to requests, WebSocket handshakes and the loading of a service worker's
	// script excepted. Default: none.
	Headers []Header
	// Proxy is what public addresses are reached through. Default: what Options.Env names,
	// else none.
	Proxy *Proxy
	// Window has the page open in a window of its own. Default: a tab.
	Window bool
	// Downloads is the directory that files are saved in that pages download, by the names
	// that sites suggest. Default: in a browser without a window they are not saved. A
	// replay saves what is downloaded by its own rules.
	Downloads string
}

// Geolocation is a place on Earth.
type Geolocation struct {
	Latitude  float64 // degrees, -90 to 90
	Longitude float64 // degrees, -180 to 180
	Accuracy  float64 // metres, at least 0
}

// Header is a header of requests to one origin. It is sent to no other, also where a request
// is redirected there.
type Header struct {
	Origin string // scheme, host and port, as in https://api.example
	Name   string
	Value  automation.Secret
}

// Proxy is one that connects for the pages. The browser itself does not know its user and its
// password.
type Proxy struct {
	Server   string // http://host:port, https://host:port or socks5://host:port
	Username string
	Password automation.Secret
}

// ErrSharedContext is the error of a page of a browser that was connected to where
// Options.Page is set: pages that share cookies are other programs', too.
var ErrSharedContext = errors.New("the options of pages do not hold for pages that other programs share: use NewIsolatedPage")

// PageOptionError is a page option that cannot be had.
type PageOptionError struct {
	Option string // as in PageOptions: "Device", "TimeZone"
	Value  string // "" where it is secret
	Reason string
	Near   []string // the values that come closest to one that there is not
}

func (e *PageOptionError) Error() string {
	text := strings.ToLower(e.Option) + " "
	if e.Value != "" {
		text += fmt.Sprintf("%.80q ", e.Value)
	}
	text += e.Reason
	if len(e.Near) > 0 {
		text += "; similar are " + strings.Join(e.Near, ", ")
	}
	return text
}

// Devices returns the names of the devices that pages can emulate: those of Chrome's
// developer tools, as far as rod has them.
func Devices() []string {
	var names []string
	for _, d := range allDevices {
		names = append(names, d.Title)
	}
	return names
}

// allDevices index what rod declares.
var allDevices = []devices.Device{
	devices.IPhone4, devices.IPhone5orSE, devices.IPhone6or7or8, devices.IPhone6or7or8Plus, devices.IPhoneX,
	devices.BlackBerryZ30, devices.Nexus4, devices.Nexus5, devices.Nexus5X, devices.Nexus6, devices.Nexus6P,
	devices.Pixel2, devices.Pixel2XL, devices.LGOptimusL70, devices.NokiaN9, devices.NokiaLumia520,
	devices.MicrosoftLumia550, devices.MicrosoftLumia950, devices.GalaxySIII, devices.GalaxyS5, devices.JioPhone2,
	devices.KindleFireHDX, devices.IPadMini, devices.IPad, devices.IPadPro, devices.BlackberryPlayBook,
	devices.Nexus10, devices.Nexus7, devices.GalaxyNote3, devices.GalaxyNoteII, devices.LaptopWithTouch,
	devices.LaptopWithHiDPIScreen, devices.LaptopWithMDPIScreen, devices.MotoG4, devices.SurfaceDuo, devices.GalaxyFold,
}

func (o *PageOptions) device() (devices.Device, bool) {
	i := slices.IndexFunc(allDevices, func(d devices.Device) bool { return strings.EqualFold(d.Title, o.Device) })
	if i < 0 {
		return devices.Device{}, false
	}
	return allDevices[i], true
}

// Check finds what no browser can do, as a *PageOptionError. Nil options are fine. Whether
// there is a permission of a name only the browser knows.
func (o *PageOptions) Check() error {
	if o == nil {
		return nil
	}
	for _, check := range []func() error{o.checkDevice, o.checkLocale, o.checkTimeZone, o.checkGeolocation, o.checkColorScheme, o.checkHeaders, o.checkProxy, o.checkDownloads} {
		if err := check(); err != nil {
			return err
		}
	}
	return nil
}

func (o *PageOptions) checkDevice() error {
	if _, known := o.device(); o.Device != "" && !known {
		return &PageOptionError{"Device", o.Device, "is not known", near(o.Device, Devices())}
	}
	return nil
}

func (o *PageOptions) checkLocale() error {
	if o.Locale == "" {
		return nil
	}
	if tag, err := language.Parse(o.Locale); err != nil || tag.String() != o.Locale {
		var names []string
		for _, tag := range language.Supported.Tags() {
			names = append(names, tag.String())
		}
		if err == nil { // written another way
			names = []string{tag.String()}
		}
		return &PageOptionError{"Locale", o.Locale, "is not a language tag", near(o.Locale, names)}
	}
	return nil
}

func (o *PageOptions) checkTimeZone() error {
	if o.TimeZone == "" {
		return nil
	}
	names := timeZones()
	if len(names) > 0 && !slices.Contains(names, o.TimeZone) { // without a list the browser alone knows
		return noTimeZone(o.TimeZone, names)
	}
	return nil
}

func noTimeZone(name string, names []string) error {
	return &PageOptionError{"TimeZone", name, "is not a time zone", near(name, names)}
}

func (o *PageOptions) checkGeolocation() error {
	g := o.Geolocation
	if g == nil || g.Latitude >= -90 && g.Latitude <= 90 && g.Longitude >= -180 && g.Longitude <= 180 && g.Accuracy >= 0 { // NaN is none of it
		return nil
	}
	return &PageOptionError{Option: "Geolocation", Value: fmt.Sprint(*g), Reason: "is not a latitude from -90 to 90, a longitude from -180 to 180 and an accuracy from 0 on"}
}

var colorSchemes = []string{"light", "dark", "no-preference"}

func (o *PageOptions) checkColorScheme() error {
	if o.ColorScheme == "" || slices.Contains(colorSchemes, o.ColorScheme) {
		return nil
	}
	return &PageOptionError{Option: "ColorScheme", Value: o.ColorScheme, Reason: "must be " + strings.Join(colorSchemes, ", ")}
}

// networkHeaders are those that the browser itself has to set, or keeps elsewhere.
var networkHeaders = []string{"Host", "Connection", "Content-Length", "Transfer-Encoding", "Upgrade", "Cookie"}

func (o *PageOptions) checkHeaders() error {
	for _, h := range o.Headers {
		refuse := func(reason string) error {
			return &PageOptionError{Option: "Headers", Value: h.Origin + " " + h.Name, Reason: reason}
		}
		switch origin, err := automation.NewSecret("", h.Origin); {
		case err != nil || !slices.Equal(origin.Origins(), []string{h.Origin}):
			return refuse("needs an exact origin, like https://api.example")
		case !httpguts.ValidHeaderFieldName(h.Name):
			return refuse("is not the name of a header")
		case slices.ContainsFunc(networkHeaders, func(name string) bool { return strings.EqualFold(name, h.Name) }):
			return refuse("cannot be set: the browser does so")
		case !httpguts.ValidHeaderFieldValue(h.Value.Reveal()):
			return refuse("has a value that is not one of a header")
		}
	}
	return nil
}

func (o *PageOptions) checkProxy() error {
	if o.Proxy == nil {
		return nil
	}
	u, err := url.Parse(o.Proxy.Server)
	switch {
	case err != nil: // it may hold a password
		return &PageOptionError{Option: "Proxy", Reason: "is not an address"}
	case u.User != nil:
		return &PageOptionError{Option: "Proxy", Reason: "must not hold a user or a password: they have fields of their own"}
	case !slices.Contains([]string{"http", "https", "socks5"}, u.Scheme) || u.Hostname() == "" || strings.Trim(u.Path, "/") != "" || u.RawQuery != "":
		return &PageOptionError{Option: "Proxy", Value: weburl.WithoutSecrets(u), Reason: "must be http://host:port, https://host:port or socks5://host:port"}
	}
	return nil
}

func (o *PageOptions) checkDownloads() error {
	if o.Downloads != "" && !filepath.IsAbs(o.Downloads) {
		return &PageOptionError{Option: "Downloads", Value: o.Downloads, Reason: "must be an absolute path"}
	}
	return nil
}

// proxy returns the proxy with its user and password, nil for none.
func (o *PageOptions) proxy() *url.URL {
	if o == nil || o.Proxy == nil {
		return nil
	}
	u, err := url.Parse(o.Proxy.Server)
	if err != nil {
		return nil // Check has refused it
	}
	through := &url.URL{Scheme: u.Scheme, Host: u.Host}
	if password := o.Proxy.Password.Reveal(); o.Proxy.Username != "" || password != "" {
		through.User = url.UserPassword(o.Proxy.Username, password)
	}
	return through
}

// emulation returns what the browser is to emulate. Version is its own.
func (o *PageOptions) emulation(version string) *target.Emulation {
	if o == nil {
		return nil
	}
	e := &target.Emulation{
		Locale: o.Locale, TimeZone: o.TimeZone, ColorScheme: o.ColorScheme, Offline: o.Offline,
		Permissions: slices.Clone(o.Permissions), Downloads: o.Downloads, Proxy: o.proxy(),
	}
	if d, emulated := o.device(); emulated {
		emulateDevice(e, d, version)
	}
	if tag, err := language.Parse(o.Locale); o.Locale != "" && err == nil {
		e.Languages = o.Locale
		if base, _ := tag.Base(); base.String() != o.Locale {
			e.Languages += "," + base.String()
		}
	}
	if g := o.Geolocation; g != nil {
		e.Geolocation = (*target.Geolocation)(g)
		e.Permissions = append(e.Permissions, "geolocation")
	}
	for _, h := range o.Headers {
		e.Headers = append(e.Headers, target.Header{Origin: h.Origin, Name: h.Name, Value: h.Value.Reveal()})
	}
	return e
}

// chromeVersion is where a user agent has Chrome's version, and androidDevice where it has
// those of a phone.
var (
	chromeVersion = regexp.MustCompile(`Chrome/[0-9.]+`)
	androidDevice = regexp.MustCompile(`^Mozilla/5\.0 \(Linux; (?:U; )?Android ([0-9.]+); (?:[a-z]{2}-[a-z]{2}; )?([^;]+?)(?: Build/[^)]*)?\)`)
	windowsPhone  = regexp.MustCompile(`Windows Phone`)
)

// emulateDevice adds a device. One whose browser is Chrome has the version of this one, as
// its client hints do; others have no client hints.
func emulateDevice(e *target.Emulation, d devices.Device, version string) {
	metrics := d.MetricsEmulation()
	metrics.ScreenWidth, metrics.ScreenHeight = &metrics.Width, &metrics.Height
	e.Metrics, e.Touch = metrics, d.TouchEmulation()
	e.UserAgent = d.UserAgent
	if !chromeVersion.MatchString(d.UserAgent) || windowsPhone.MatchString(d.UserAgent) {
		return
	}
	major, _, _ := strings.Cut(version, ".")
	e.UserAgent = chromeVersion.ReplaceAllString(d.UserAgent, "Chrome/"+major+".0.0.0")
	hints := map[string]any{"platform": "macOS", "platformVersion": "10.15.7", "architecture": "x86", "model": "", "mobile": metrics.Mobile}
	if phone := androidDevice.FindStringSubmatch(d.UserAgent); phone != nil {
		hints["platform"], hints["platformVersion"], hints["architecture"], hints["model"] = "Android", phone[1], "", phone[2]
		hints["mobile"] = strings.Contains(d.UserAgent, " Mobile ") // tablets are not
	}
	e.Metadata = hints // the brands are the browser's own
}

// emulation returns what a page with these options is to emulate.
func (b *Browser) emulation(ctx context.Context, o *PageOptions) (*target.Emulation, error) {
	if err := o.Check(); err != nil || o == nil {
		return nil, err
	}
	version := b.version
	if version == "" && o.Device != "" {
		reply, err := b.client.Call(ctx, "", "Browser.getVersion", nil)
		var is struct {
			Product string `json:"product"` // Chrome/156.0.8078.79
		}
		if err = errors.Join(err, decode(reply, &is)); err != nil {
			return nil, err
		}
		_, version, _ = strings.Cut(is.Product, "/")
	}
	return o.emulation(version), nil
}

// refused returns an error of the browser about what it is to emulate as one of the options.
func (o *PageOptions) refused(err error) error {
	var e *target.EmulationError
	switch {
	case o == nil || err == nil:
		return err
	case errors.Is(err, target.ErrNoProxy):
		return &PageOptionError{Option: "Proxy", Reason: "cannot be used: " + target.ErrNoProxy.Error()}
	case !errors.As(err, &e):
		return err
	}
	switch e.What {
	case "Emulation.setTimezoneOverride":
		return noTimeZone(o.TimeZone, timeZones())
	case "Emulation.setLocaleOverride":
		return &PageOptionError{Option: "Locale", Value: o.Locale, Reason: "is not known to the browser"}
	case "Browser.setPermission":
		return &PageOptionError{Option: "Permissions", Value: strings.Join(o.Permissions, " "), Reason: "are not all known to the browser: " + e.Error()}
	}
	return err
}
