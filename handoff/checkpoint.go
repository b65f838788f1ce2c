package handoff

import (
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"net/url"
	"slices"
	"strings"
	"time"

	"github.com/go-reprise/reprise/browser"
	"github.com/go-reprise/reprise/internal/load"
	"github.com/go-reprise/reprise/internal/weburl"
	"github.com/go-reprise/reprise/replayer"
)

// Checkpoint is what is measured of a page before and after a person has it. It holds nothing
// that was typed, no value of a cookie or of storage, and no text of the page but its title.
type Checkpoint struct {
	URL       string    `json:"url"`    // without user, query, fragment, and parts that look like tokens
	Title     string    `json:"title"`  // "" after a person has typed: pages repeat what is typed
	Origin    string    `json:"origin"` // "null" where it has none
	Timestamp time.Time `json:"timestamp"`
	// CookieCount is how many cookies the page would send.
	CookieCount int `json:"cookie_count"`
	// LocalStorageKeys are names, sorted, at most 500.
	LocalStorageKeys []string `json:"local_storage_keys"`
	// DOMFingerprint is a hash of the kinds of the page's elements in their order.
	DOMFingerprint string `json:"dom_fingerprint"`
	// ScreenshotRef is the first half of the SHA-256 of the picture, "" for none. The result has the picture (Result.Pictures); it is not stored.
	ScreenshotRef string `json:"screenshot_ref,omitempty"`

	titleHash string // of the title, which is compared also where it is not stored
}

// measureTimeout bounds a measurement: a page that hangs is measured by its address alone.
const measureTimeout = 5 * time.Second

// Measure returns what is measured of a page into which something may have been typed: all but its title.
func Measure(ctx context.Context, page *browser.Page, redact *replayer.Redactor) Checkpoint {
	return measure(ctx, page, redact, true)
}

// measure measures a page. Typed leaves out its title. What cannot be measured is left out.
func measure(ctx context.Context, page *browser.Page, redact *replayer.Redactor, typed bool) Checkpoint {
	ctx, cancel := load.WithTimeout(ctx, measureTimeout)
	defer cancel()
	c := Checkpoint{Timestamp: time.Now().UTC(), Origin: "null", LocalStorageKeys: []string{}}
	if u, err := url.Parse(page.URL()); err == nil && u.Host != "" {
		c.Origin = u.Scheme + "://" + u.Host
		c.URL = redact.Text(weburl.WithoutSecrets(u))
	}
	var seen struct {
		Title, Shape string
		Keys         []string
	}
	if err := page.Target().Main().Call(ctx, &seen, "measure"); err == nil {
		c.titleHash, c.DOMFingerprint = hash(seen.Title), hash(seen.Shape)
		if !typed {
			c.Title = redact.Text(brief(seen.Title))
		}
		for _, key := range seen.Keys {
			c.LocalStorageKeys = append(c.LocalStorageKeys, redact.Text(brief(key)))
		}
	}
	var jar struct {
		Cookies []json.RawMessage `json:"cookies"`
	}
	if reply, err := page.Target().Send("Network.getCookies", nil).Wait(ctx); err == nil && json.Unmarshal(reply, &jar) == nil {
		c.CookieCount = len(jar.Cookies)
	}
	return c
}

func hash(text string) string {
	sum := sha256.Sum256([]byte(text))
	return hex.EncodeToString(sum[:16])
}

// maxBrief bounds a title, and the name of a key, in characters.
const maxBrief = 200

func brief(text string) string {
	if r := []rune(text); len(r) > maxBrief {
		return string(r[:maxBrief]) + "…"
	}
	return text
}

// Delta is what differs between two checkpoints.
type Delta struct {
	URLChanged    bool     `json:"url_changed"`
	TitleChanged  bool     `json:"title_changed"`
	OriginChanged bool     `json:"origin_changed"`
	Cookies       int      `json:"cookie_count_delta"`
	KeysAdded     []string `json:"local_storage_keys_added,omitempty"`
	KeysRemoved   []string `json:"local_storage_keys_removed,omitempty"`
	DOMChanged    bool     `json:"dom_changed"`
}

// Compare returns what differs. It is the same for the same checkpoints.
func Compare(before, after Checkpoint) Delta {
	title := before.Title != after.Title
	if before.titleHash != "" && after.titleHash != "" {
		title = before.titleHash != after.titleHash
	}
	return Delta{
		URLChanged: before.URL != after.URL, TitleChanged: title, OriginChanged: before.Origin != after.Origin,
		Cookies:   after.CookieCount - before.CookieCount,
		KeysAdded: missing(after.LocalStorageKeys, before.LocalStorageKeys), KeysRemoved: missing(before.LocalStorageKeys, after.LocalStorageKeys),
		DOMChanged: before.DOMFingerprint != after.DOMFingerprint,
	}
}

// missing returns what of a list is not in another.
func missing(from, in []string) (all []string) {
	for _, one := range from {
		if !slices.Contains(in, one) {
			all = append(all, one)
		}
	}
	return all
}

// String is the summary of a delta in one line.
func (d Delta) String() string {
	var parts []string
	add := func(is bool, what string) {
		if is {
			parts = append(parts, what)
		}
	}
	add(d.OriginChanged, "another origin")
	add(d.URLChanged, "another address")
	add(d.TitleChanged, "another title")
	add(d.Cookies != 0, fmt.Sprintf("%+d cookies", d.Cookies))
	add(len(d.KeysAdded) > 0, fmt.Sprintf("%d keys more in local storage", len(d.KeysAdded)))
	add(len(d.KeysRemoved) > 0, fmt.Sprintf("%d keys fewer in local storage", len(d.KeysRemoved)))
	add(d.DOMChanged, "another structure")
	return cmp.Or(strings.Join(parts, ", "), "nothing changed")
}

// hint says in a line what one who goes on is to do first.
func hint(status Status, d Delta, after Checkpoint) string {
	switch {
	case status != Finished:
		return "no one has done it: do not try it another way; end, or ask again later"
	case d.OriginChanged || d.URLChanged:
		return "the page is at " + cmp.Or(after.URL, "another address") + " now: look at it before acting"
	case d.DOMChanged || d.TitleChanged:
		return "the page shows something else now: look at it before acting"
	}
	return "the page looks as before: look at it before acting, and repeat what was blocked"
}
