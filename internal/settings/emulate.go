package settings

import (
	"errors"
	"fmt"
	"strconv"
	"strings"

	"github.com/go-reprise/reprise/automation"
	"github.com/go-reprise/reprise/browser"
)

// PageOptions returns what pages emulate, nil where nothing is set. The proxy is without a user
// and a password, which are no settings.
func (s *Settings) PageOptions() *browser.PageOptions {
	for _, f := range s.emulation() {
		if _, set := s.origins[f.path]; set {
			o := s.Emulate
			return &o
		}
	}
	return nil
}

// emulation are the settings of what pages emulate.
func (s *Settings) emulation() []leaf {
	o := &s.Emulate
	return []leaf{
		{"emulate.device", option(&o.Device, func(v string) browser.PageOptions { return browser.PageOptions{Device: v} })},
		{"emulate.locale", option(&o.Locale, func(v string) browser.PageOptions { return browser.PageOptions{Locale: v} })},
		{"emulate.timezone", option(&o.TimeZone, func(v string) browser.PageOptions { return browser.PageOptions{TimeZone: v} })},
		{"emulate.geolocation", geolocation(&o.Geolocation)},
		{"emulate.permissions", permissions(&o.Permissions)},
		{"emulate.color_scheme", option(&o.ColorScheme, func(v string) browser.PageOptions { return browser.PageOptions{ColorScheme: v} })},
		{"emulate.offline", boolean(&o.Offline)},
		{"emulate.headers", headers(&o.Headers)},
		{"emulate.proxy", proxy(&o.Proxy)},
		{"emulate.downloads", option(&o.Downloads, func(v string) browser.PageOptions { return browser.PageOptions{Downloads: v} })},
	}
}

// option is a text that one of the page options is.
func option(to *string, with func(string) browser.PageOptions) value {
	return words(to, func(text string) error {
		o := with(text)
		return check(&o)
	}, nil)
}

// check leaves the name of the option out of the error: its path says it.
func check(o *browser.PageOptions) error {
	err := o.Check()
	var wrong *browser.PageOptionError
	if errors.As(err, &wrong) {
		bare := *wrong
		bare.Option = ""
		return errors.New(strings.TrimSpace(bare.Error()))
	}
	return err
}

func geolocation(to **browser.Geolocation) value {
	return value{
		is: "a text", tag: "!!str",
		set: func(text string) error {
			var numbers [3]float64
			parts := strings.Split(text, ",")
			for i, part := range parts {
				n, err := strconv.ParseFloat(strings.TrimSpace(part), 64)
				if err != nil || i >= len(numbers) || len(parts) < 2 {
					return errors.New("is not LATITUDE,LONGITUDE or LATITUDE,LONGITUDE,ACCURACY, in degrees and metres, like 52.52,13.405")
				}
				numbers[i] = n
			}
			g := &browser.Geolocation{Latitude: numbers[0], Longitude: numbers[1], Accuracy: numbers[2]}
			if err := check(&browser.PageOptions{Geolocation: g}); err != nil {
				return err
			}
			*to = g
			return nil
		},
		show: func() any {
			g := *to
			if g == nil {
				return ""
			}
			return fmt.Sprintf("%v,%v,%v", g.Latitude, g.Longitude, g.Accuracy)
		},
	}
}

func permissions(to *[]string) value {
	return value{
		is: "a text", tag: "!!str", list: true,
		set: func(text string) error {
			if err := checkWord(text); err != nil {
				return err
			}
			*to = append(*to, text)
			return nil
		},
		zero: func() { *to = nil },
		show: func() any { return append([]string{}, *to...) },
	}
}

func headers(to *[]browser.Header) value {
	return value{
		is: "a text", tag: "!!str", list: true,
		set: func(text string) error {
			h, err := parseHeader(text)
			if err == nil {
				err = check(&browser.PageOptions{Headers: []browser.Header{h}})
			}
			if err == nil {
				*to = append(*to, h)
			}
			return err
		},
		zero: func() { *to = nil },
		show: func() any {
			all := []string{}
			for _, h := range *to {
				all = append(all, fmt.Sprintf("%s=%s:%v", h.Origin, h.Name, h.Value))
			}
			return all
		},
	}
}

// parseHeader reads ORIGIN=Name:value.
func parseHeader(text string) (browser.Header, error) {
	origin, header, found := strings.Cut(text, "=")
	name, plain, colon := strings.Cut(header, ":")
	if !found || !colon {
		return browser.Header{}, errors.New("is not ORIGIN=Name:value, like https://api.example=X-Tenant:7")
	}
	value, err := automation.NewSecret(strings.TrimSpace(plain))
	return browser.Header{Origin: origin, Name: strings.TrimSpace(name), Value: value}, err
}

// checkOpenHeader refuses a header that holds a key where others may read it: in a file, and on
// a command line.
func checkOpenHeader(text string) error {
	h, err := parseHeader(text)
	if err != nil {
		return nil // it is refused for what it is
	}
	name := strings.ToLower(h.Name)
	for _, word := range []string{"auth", "token", "secret", "password", "key", "cookie"} {
		if strings.Contains(name, word) {
			return fmt.Errorf("%s may hold a key, and settings files and command lines can be read by others: set it in $%s", h.Name, Env("emulate.headers"))
		}
	}
	return nil
}

func proxy(to **browser.Proxy) value {
	return words(new(string), func(text string) error {
		p := &browser.Proxy{Server: text}
		err := check(&browser.PageOptions{Proxy: p})
		if err == nil {
			*to = p
		}
		return err
	}, func(string) string {
		if *to == nil {
			return ""
		}
		return (*to).Server
	})
}
