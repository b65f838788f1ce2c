package settings

import (
	"errors"
	"fmt"
	"net/url"
	"strconv"
	"strings"
	"time"

	"go.yaml.in/yaml/v3"

	"github.com/go-reprise/reprise/automation"
	"github.com/go-reprise/reprise/internal/weburl"
)

// leaf is one setting.
type leaf struct {
	path string
	value
}

// value reads and prints the value of a setting. The same text sets it in a file, in the
// environment and by a flag.
type value struct {
	is   string             // what it has to be, for people
	tag  string             // of YAML, "" for a duration, which is a text or a number with its unit missing
	list bool               // of texts; set adds one
	set  func(string) error // an error says what is wrong, as in "must be above 0"
	show func() any         // for --json and for people, without what may be secret
	zero func()             // of a list: empties it
}

// words is a text, "" for none.
func words(to *string, check func(string) error, shown func(string) string) value {
	return value{
		is: "a text", tag: "!!str",
		set: func(text string) error {
			if err := check(text); err != nil {
				return err
			}
			*to = text
			return nil
		},
		show: func() any {
			if shown != nil {
				return shown(*to)
			}
			return *to
		},
	}
}

func boolean(to *bool) value {
	return value{
		is: "true or false", tag: "!!bool",
		set: func(text string) error {
			b, err := strconv.ParseBool(text)
			if err != nil {
				return errors.New("is not true or false")
			}
			*to = b
			return nil
		},
		show: func() any { return *to },
	}
}

func whole[N int | int64](to *N, minimum, maximum N) value {
	return value{
		is: "a whole number", tag: "!!int",
		set: func(text string) error {
			n, err := strconv.ParseInt(text, 0, 64)
			switch {
			case err != nil:
				return errors.New("is not a whole number")
			case n < int64(minimum):
				return fmt.Errorf("must be at least %d", minimum)
			case n > int64(maximum):
				return fmt.Errorf("must be at most %d", maximum)
			}
			*to = N(n)
			return nil
		},
		show: func() any { return *to },
	}
}

const aDuration = "a duration with its unit, like 30m or 1800s"

func duration(to *time.Duration, minimum, maximum time.Duration) value {
	return value{
		is: aDuration,
		set: func(text string) error {
			d, err := time.ParseDuration(text)
			switch {
			case err != nil:
				return errors.New("is not " + aDuration)
			case d < minimum:
				return fmt.Errorf("must be at least %s", shortDuration(minimum))
			case d > maximum:
				return fmt.Errorf("must be at most %s", shortDuration(maximum))
			}
			*to = d
			return nil
		},
		show: func() any { return shortDuration(*to) },
	}
}

// shortDuration prints 30m, not 30m0s.
func shortDuration(d time.Duration) string {
	text := d.String()
	for _, zero := range []string{"m0s", "h0m"} {
		if strings.HasSuffix(text, zero) {
			text = text[:len(text)-2]
		}
	}
	return text
}

// setNode sets a value from a file.
func (v value) setNode(n *yaml.Node) error {
	if n.Kind != yaml.ScalarNode || v.tag != "" && n.ShortTag() != v.tag || v.tag == "" && n.ShortTag() != "!!str" && n.ShortTag() != "!!int" {
		return errors.New("is not " + v.is)
	}
	if looksSecret(n.Value) {
		return errSecret
	}
	return v.set(n.Value)
}

// errSecret is of a key or a token in a file.
var errSecret = errors.New("looks like a key or a token: a settings file holds none; set it in the environment, or store it with `reprise credential set`")

func looksSecret(text string) bool { return automation.DetectSecret(text) != "" }

// maxText bounds a text: names and addresses.
const maxText = 2048

func checkWord(text string) error {
	if len(text) > maxText || strings.ContainsFunc(text, func(r rune) bool { return r < ' ' || r == 0x7f }) {
		return fmt.Errorf("must be one line of at most %d bytes", maxText)
	}
	return nil
}

func checkProvider(text string) error {
	if text == ProviderLocal || text == ProviderBrowserbase || text == ProviderSteel {
		return nil
	}
	u, err := url.Parse(text)
	if err != nil || u.Host == "" || u.Scheme != "ws" && u.Scheme != "wss" && u.Scheme != "http" && u.Scheme != "https" {
		return fmt.Errorf("must be %s, %s, %s, or the address of a browser: ws://…, wss://…, http://… or https://…", ProviderLocal, ProviderBrowserbase, ProviderSteel)
	}
	return checkWord(text)
}

// inFile is what a value has to be where it stands in a file, and onCommandLine where a flag
// sets it: others may read both. In the environment it may be anything.
var inFile = map[string]func(string) error{
	"emulate.headers": checkOpenHeader,
	// Who knows the whole address of a remote browser controls it.
	"browser.provider": func(text string) error {
		if u, err := url.Parse(text); err == nil && (u.User != nil || u.RawQuery != "") {
			return errors.New("an address with a user or a query holds a key, and a settings file holds none: set it in $" + Env("browser.provider"))
		}
		return nil
	},
}

var onCommandLine = map[string]func(string) error{"emulate.headers": checkOpenHeader}

func checkWebhook(text string) error {
	u, err := url.Parse(text)
	if err != nil || u.Host == "" || u.Scheme != "https" && !(u.Scheme == "http" && weburl.IsLoopback(u.Hostname())) {
		return errors.New("must be an https address, or an http address of this machine")
	}
	return checkWord(text)
}

// shownURL leaves out of an address what may be secret: its user, its query, and its path,
// which in a webhook is often its key.
func shownURL(text string) string {
	u, err := url.Parse(text)
	if err != nil || u.Host == "" {
		return text
	}
	shown := weburl.Origin(u)
	if u.User != nil || strings.Trim(u.Path, "/") != "" || u.RawQuery != "" {
		shown += "/…"
	}
	return shown
}
