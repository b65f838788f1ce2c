package browser

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net/url"
	"slices"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	"github.com/go-reprise/reprise/automation"
	"github.com/go-reprise/reprise/internal/weburl"
)

// StorageState is the state of a browser in which someone is signed in at a site: cookies,
// and the local storage, session storage and IndexedDB of the site's origins.
// Page.StorageState takes it, and Browser.NewPageWithState opens a tab with it, in this
// browser or another one. Anyone who has it is signed in: it is a secret, and every printed
// form of it is "[login]".
//
// It has what a browser sends to its origins or shows to their scripts. It does not have
// caches, service workers, passkeys, client certificates, the storage that a frame of
// another site sees, or what a database holds that cannot leave the browser, which Unread
// names: a sign-in that a site stores there alone is not in it.
type StorageState struct {
	state   automation.Secret // loginState as JSON, for the login's origins
	cookies int
	stored  int
	records int
	unread  []Unread
	saved   time.Time
	expires time.Time
}

const (
	// loginFormat is the number of the format of logins. Format 1 had cookies and local
	// storage alone; it is read as well.
	loginFormat = 2

	// maxLogin bounds one, in bytes of its JSON. Chrome allows an origin 10 MB of local
	// storage and most of the disk for databases, which then hold copies of what the site has.
	maxLogin = 16 << 20
	// maxLoginOrigins is far above what signing in at one place takes.
	maxLoginOrigins = 50
)

// loginState is what a login has.
type loginState struct {
	Format    int           `json:"format"`
	Saved     time.Time     `json:"saved"`
	Origins   []string      `json:"origins"`
	Cookies   []loginCookie `json:"cookies,omitempty"`
	Storage   []webStorage  `json:"storage,omitempty"` // local storage
	Session   []webStorage  `json:"session,omitempty"` // session storage
	Databases []indexedDB   `json:"databases,omitempty"`
	Unread    []Unread      `json:"unread,omitempty"`
}

// webStorage is the local or the session storage of an origin: pairs of a key and a value.
// They stay the text that the browser has written: JavaScript's strings may hold what Go's
// cannot, half of a surrogate pair.
type webStorage struct {
	Origin string          `json:"origin"`
	Items  json.RawMessage `json:"items"`
}

// newLogin makes a login of a state that is one.
func newLogin(s loginState) (*StorageState, error) {
	var text strings.Builder
	encoder := json.NewEncoder(&text)
	encoder.SetEscapeHTML(false) // or markup takes six times its room
	if err := encoder.Encode(s); err != nil {
		return nil, err
	}
	if text.Len() > maxLogin {
		return nil, &LoginError{Origins: s.Origins, Err: ErrLoginTooLarge, Reason: s.largest()}
	}
	secret, err := automation.NewSecret(text.String(), s.Origins...)
	if err != nil {
		return nil, err
	}
	l := &StorageState{state: secret, cookies: len(s.Cookies), saved: s.Saved, expires: s.expires()}
	for _, of := range slices.Concat(s.Storage, s.Session) {
		l.stored += of.size()
	}
	for _, of := range s.Databases {
		l.records += of.records()
	}
	l.unread = s.Unread
	return l, nil
}

// ReadLogin reads what Secret returned. It may have come from anywhere: what is
// no login, or has anything of another origin in it, is a *LoginError that is ErrBadLogin
// and quotes nothing.
func ReadLogin(secret automation.Secret) (*StorageState, error) {
	s, err := readState(secret.Reveal())
	if err != nil {
		return nil, err
	}
	if !slices.Equal(s.Origins, secret.Origins()) {
		return nil, badLogin("it is for other origins than it says")
	}
	return newLogin(*s)
}

// readState reads a state strictly.
func readState(text string) (*loginState, error) {
	if len(text) > maxLogin {
		return nil, badLogin("it is too large")
	}
	var of struct {
		Format int `json:"format"`
	}
	if json.Unmarshal([]byte(text), &of) != nil {
		return nil, badLogin("it is no JSON object")
	}
	if of.Format < 1 || of.Format > loginFormat {
		return nil, badLogin(fmt.Sprintf("it has format %d, and this version reads 1 to %d", of.Format, loginFormat))
	}
	var s loginState
	d := json.NewDecoder(strings.NewReader(text))
	d.DisallowUnknownFields()
	if d.Decode(&s) != nil || d.More() {
		return nil, badLogin("it has not the fields of a login")
	}
	return &s, s.check()
}

// check holds a state to its own origins.
func (s *loginState) check() error {
	places, err := loginPlaces(s.Origins)
	if err != nil {
		return badLogin("its origins are none")
	}
	for i, c := range s.Cookies {
		if !c.reaches(places) {
			return badLogin(fmt.Sprintf("cookie %d is not of its origins", i+1))
		}
	}
	for what, all := range map[string][]webStorage{"local storage": s.Storage, "session storage": s.Session} {
		seen := map[string]bool{}
		for i, of := range all {
			if !slices.Contains(s.Origins, of.Origin) || seen[of.Origin] {
				return badLogin(fmt.Sprintf("%s %d is not of its origins", what, i+1))
			}
			if of.size() < 0 {
				return badLogin(fmt.Sprintf("%s %d has not pairs of texts", what, i+1))
			}
			seen[of.Origin] = true
		}
	}
	seen := map[string]bool{}
	for i, of := range s.Databases {
		if !slices.Contains(s.Origins, of.Origin) || seen[of.Origin] {
			return badLogin(fmt.Sprintf("IndexedDB %d is not of its origins", i+1))
		}
		if of.records() < 0 {
			return badLogin(fmt.Sprintf("IndexedDB %d has not the fields of databases", i+1))
		}
		seen[of.Origin] = true
	}
	return nil
}

// size is the number of items, -1 for what are no pairs of texts.
func (of webStorage) size() int {
	var pairs [][]*string
	if json.Unmarshal(of.Items, &pairs) != nil {
		return -1
	}
	for _, pair := range pairs {
		if len(pair) != 2 || pair[0] == nil || pair[1] == nil {
			return -1
		}
	}
	return len(pairs)
}

// largest returns what takes the most room.
func (s *loginState) largest() string {
	most, reason := -1, ""
	look := func(what, origin string, data []byte) {
		if len(data) > most {
			most, reason = len(data), fmt.Sprintf("%s of %s has %d kB", what, origin, len(data)>>10)
		}
	}
	for _, of := range s.Storage {
		look("the local storage", of.Origin, of.Items)
	}
	for _, of := range s.Session {
		look("the session storage", of.Origin, of.Items)
	}
	for _, of := range s.Databases {
		look("the IndexedDB", of.Origin, of.Databases)
	}
	return reason
}

// expires is when the last of it has run out; the zero time where that is not known: a
// cookie without a date lives as long as the site lets it, and storage has none.
func (s *loginState) expires() time.Time {
	last := time.Time{}
	for _, c := range s.Cookies {
		if c.Expires <= 0 {
			return time.Time{}
		}
		if at := c.until(); at.After(last) {
			last = at
		}
	}
	if len(s.Storage)+len(s.Session)+len(s.Databases) > 0 {
		return time.Time{}
	}
	return last
}

// Secret returns the login as a text that is a secret of its origins, for a place that keeps
// secrets, such as store/sealed. ReadLogin reads it back.
func (l *StorageState) Secret() automation.Secret { return l.state }

// Origins are those that it is for, sorted.
func (l *StorageState) Origins() []string { return l.state.Origins() }

// Cookies is how many it has.
func (l *StorageState) Cookies() int { return l.cookies }

// Stored is how many items of local and session storage it has.
func (l *StorageState) Stored() int { return l.stored }

// Records is how many records of databases it has.
func (l *StorageState) Records() int { return l.records }

// Unread is what the databases have that is not in it. Sites choose these names: quote them.
func (l *StorageState) Unread() []Unread { return slices.Clone(l.unread) }

// Saved is when it was captured.
func (l *StorageState) Saved() time.Time { return l.saved }

// Expires is when the last of it has run out. It is the zero time where no one but the
// site knows: mostly, as one cookie without a date is enough for that.
func (l *StorageState) Expires() time.Time { return l.expires }

const printedLogin = "[login]"

// Format is what fmt calls, for every verb.
func (l *StorageState) Format(f fmt.State, _ rune) { _, _ = io.WriteString(f, printedLogin) }

// MarshalText returns "[login]", also for JSON.
func (l *StorageState) MarshalText() ([]byte, error) { return []byte(printedLogin), nil }

// LogValue returns "[login]".
func (l *StorageState) LogValue() slog.Value { return slog.StringValue(printedLogin) }

// loginPlace is an origin as cookies see it.
type loginPlace struct {
	host   string
	secure bool // cookies that are for secure connections are sent there
}

// loginPlaces reads origins that are in their normal form.
func loginPlaces(origins []string) ([]loginPlace, error) {
	if len(origins) == 0 || len(origins) > maxLoginOrigins {
		return nil, fmt.Errorf("a login is for 1 to %d origins, and not for %d", maxLoginOrigins, len(origins))
	}
	normal, err := automation.NewSecret("", origins...)
	if err != nil {
		return nil, err
	}
	if !slices.Equal(normal.Origins(), origins) {
		return nil, fmt.Errorf("the origins are not in their normal form")
	}
	var places []loginPlace
	for _, origin := range origins {
		u, err := url.Parse(origin)
		if err != nil {
			return nil, err
		}
		host := u.Hostname()
		local := weburl.IsThisMachine(host)
		if strings.Contains(host, ":") {
			host = "[" + host + "]"
		}
		places = append(places, loginPlace{host, u.Scheme == "https" || local})
	}
	return places, nil
}

// Why a login cannot be captured or used.
var (
	ErrNotSignedIn   = errors.New("there is nothing to save")
	ErrLoginTooLarge = errors.New("there is too much to save")
	ErrLoginExpired  = errors.New("it has run out")
	ErrBadLogin      = errors.New("it is no login")
)

// loginAdvice is what to do about it.
var loginAdvice = map[error]string{
	ErrNotSignedIn:   "sign in there first, or name the origins that keep the sign-in",
	ErrLoginTooLarge: "name only the origins that it needs",
	ErrLoginExpired:  "sign in and save it again",
	ErrBadLogin:      "sign in and save it again",
}

// LoginError reports why a login cannot be captured or used: ErrNotSignedIn,
// ErrLoginTooLarge, ErrLoginExpired or ErrBadLogin. It quotes nothing of what is in one.
type LoginError struct {
	Origins []string // of the login, where they are known
	Reason  string   // "" where there is nothing to add
	Err     error
}

func (e *LoginError) Error() string {
	msg := "the login"
	if len(e.Origins) > 0 {
		msg += " for " + strings.Join(e.Origins, " ")
	}
	msg += fmt.Sprintf(": %v", e.Err)
	if e.Reason != "" {
		msg += ": " + e.Reason
	}
	return msg + ": " + loginAdvice[e.Err]
}

func (e *LoginError) Unwrap() error { return e.Err }

func badLogin(reason string) error { return &LoginError{Reason: reason, Err: ErrBadLogin} }

const (
	// shortestHidden is the length from which on a cookie that no script may read counts as
	// a secret, and shortestKey that of everything else: shorter ones are settings, and
	// words that pages show.
	shortestHidden, shortestKey = 8, 12
	// maxKey is more than any token has: what is longer is the site's data.
	maxKey = 8 << 10
	// maxKeys are more than any site signs one in with.
	maxKeys = 500
)

// Secrets are the values in the login that look like keys, one by one, each a secret of its
// origins: for anyone who keeps a page from repeating them. They are the cookies that no
// script may read, and what of other cookies, of storage and of databases has letters and
// digits, and no white space; of JSON each text of its own. Settings, names and addresses, which
// sites keep there as well and show, are none.
func (l *StorageState) Secrets() []automation.Secret {
	s, err := readState(l.state.Reveal())
	if err != nil {
		return nil // which newLogin would not have let pass
	}
	keys := &loginKeys{origins: s.Origins, seen: map[string]bool{}}
	for _, c := range s.Cookies {
		if n := utf8.RuneCountInString(c.Value); c.HTTPOnly && n >= shortestHidden && n <= maxKey {
			keys.add(c.Value)
		}
		keys.look(c.Value)
	}
	for _, of := range slices.Concat(s.Storage, s.Session) {
		var pairs [][]string
		_ = json.Unmarshal(of.Items, &pairs) // they were checked
		for _, pair := range pairs {
			keys.look(pair[1])
		}
	}
	for _, of := range s.Databases {
		all, _ := of.decode() // it was checked
		for _, db := range all {
			for _, store := range *db.Stores {
				for _, record := range store.Records {
					for _, part := range record {
						keys.look(string(part)) // the words of its form are too short for keys
					}
				}
			}
		}
	}
	return keys.found
}

// loginKeys collects what looks like a key.
type loginKeys struct {
	origins []string
	seen    map[string]bool
	found   []automation.Secret
}

// look looks at a text, and within it where it is JSON.
func (k *loginKeys) look(text string) {
	var v any
	if strings.ContainsAny(text, `{["`) && json.Unmarshal([]byte(text), &v) == nil {
		k.within(v)
		return
	}
	if looksLikeKey(text) {
		k.add(text)
	}
}

func (k *loginKeys) within(v any) {
	switch v := v.(type) {
	case string:
		k.look(v) // which may hold JSON again: each time it is shorter
	case []any:
		for _, item := range v {
			k.within(item)
		}
	case map[string]any:
		for _, item := range v {
			k.within(item)
		}
	}
}

func (k *loginKeys) add(text string) {
	if k.seen[text] || len(k.found) == maxKeys {
		return
	}
	k.seen[text] = true
	if secret, err := automation.NewSecret(text, k.origins...); err == nil {
		k.found = append(k.found, secret)
	}
}

// looksLikeKey reports whether a text may let someone in.
func looksLikeKey(text string) bool {
	if n := utf8.RuneCountInString(text); n < shortestKey || n > maxKey || strings.ContainsFunc(text, unicode.IsSpace) {
		return false
	}
	if strings.Contains(text, "://") || strings.Count(text, "@") == 1 {
		return automation.DetectSecret(text) != ""
	}
	return strings.ContainsFunc(text, unicode.IsLetter) && strings.ContainsFunc(text, unicode.IsDigit)
}
