package render

import (
	"fmt"
	"strings"
	"time"

	"github.com/go-reprise/reprise/browser"
	"github.com/go-reprise/reprise/internal/cli/failure"
	"github.com/go-reprise/reprise/store"
	"github.com/go-reprise/reprise/store/sealed"
)

// Envelope is the readable part of something sealed as --json prints it.
type Envelope struct {
	Name        string           `json:"name"`
	Account     string           `json:"account,omitempty"`
	Fields      []store.Field    `json:"fields"`
	Automations []string         `json:"automations,omitempty"`
	Created     time.Time        `json:"created,omitzero"`
	Updated     time.Time        `json:"updated,omitzero"`
	Expires     time.Time        `json:"expires,omitzero"`
	Error       *failure.Failure `json:"error,omitempty"` // why it cannot be read

	login store.LoginStatus
}

// EnvelopeOf returns the view of something sealed.
func EnvelopeOf(e store.EnvelopeSummary) Envelope {
	view := Envelope{
		Name: e.Name, Account: e.Account, Fields: e.Fields, Automations: e.Automations,
		Created: e.Created, Updated: e.Updated, Expires: e.Expires, Error: failure.Ptr(e.Err),
	}
	if e.Login != nil {
		view.login = *e.Login
	}
	return view
}

// Values lists the fields, and where the secret ones may be typed.
func (e Envelope) Values() string {
	if e.Error != nil {
		return unreadable(e.Error)
	}
	var fields []string
	for _, f := range e.Fields {
		word := f.Name
		if f.Secret {
			word += " (secret, for " + strings.Join(f.Origins, " ") + ")"
		}
		fields = append(fields, word)
	}
	return strings.Join(fields, ", ")
}

// Envelopes is a table of tasks or credentials.
func Envelopes(title string, all []Envelope) string {
	rows := [][]string{{title, "ACCOUNT", "FOR", "UPDATED", "VALUES"}}
	for _, e := range all {
		rows = append(rows, []string{e.Name, or(e.Account, "-"), or(strings.Join(e.Automations, " "), "-"), When(e.Updated), e.Values()})
	}
	return Table(rows)
}

// Login is a saved login as --json prints it.
type Login struct {
	Name    string    `json:"name"`
	Account string    `json:"account,omitempty"`
	Origins []string  `json:"origins"`
	Saved   time.Time `json:"saved,omitzero"`
	Expires time.Time `json:"expires,omitzero"` // zero where only the site knows
	Expired bool      `json:"expired,omitempty"`
	store.LoginStatus
	Cookies int              `json:"cookies,omitempty"` // of one that was just saved
	Stored  int              `json:"stored,omitempty"`
	Records int              `json:"records,omitempty"` // of databases
	Unread  []browser.Unread `json:"unread,omitempty"`  // what of the databases is not in it
	Lost    []browser.Loss   `json:"lost,omitempty"`    // what a file had that is not in it, or the other way round
	Error   *failure.Failure `json:"error,omitempty"`   // why it cannot be read
}

// LoginOf returns the view of a login.
func LoginOf(e Envelope) Login {
	l := Login{Name: e.Name, Account: e.Account, Origins: []string{}, Saved: e.Updated, Expires: e.Expires, Error: e.Error}
	if l.LoginStatus = e.login; l.State == "" && l.Error == nil {
		l.State = store.LoginUnsure
	}
	if len(e.Fields) > 0 { // the others are for the same
		l.Origins = append(l.Origins, e.Fields[0].Origins...)
	}
	l.Expired = !l.Expires.IsZero() && !l.Expires.After(time.Now())
	return l
}

// SavedLogin returns the view of a login that was just saved.
func SavedLogin(name, account string, l *browser.StorageState) Login {
	return Login{
		Name: name, Account: account, Origins: l.Origins(), Saved: l.Saved(), Expires: l.Expires(), Cookies: l.Cookies(), Stored: l.Stored(), Records: l.Records(), Unread: l.Unread(),
	}
}

// Lacks tells what is not in it, a line each.
func (l Login) Lacks() (lines []string) {
	for _, u := range l.Unread {
		lines = append(lines, "Not in the login: "+u.String())
	}
	for _, loss := range l.Lost {
		lines = append(lines, "Lost: "+loss.String())
	}
	return lines
}

// SavedLine confirms that a login was saved.
func (l Login) SavedLine(s Style) string {
	return fmt.Sprintf("%s login %s is stored, with %d cookies and %d items of storage for %s\n",
		s.Green("✓"), Label(l.Name, l.Account), l.Cookies, l.Stored+l.Records, strings.Join(l.Origins, " "))
}

// For lists the origins of a login.
func (l Login) For() string {
	if l.Error != nil {
		return unreadable(l.Error)
	}
	return strings.Join(l.Origins, " ")
}

// Logins is a table of logins.
func Logins(all []Login) string {
	rows := [][]string{{"LOGIN", "ACCOUNT", "STATE", "SAVED", "USED", "VERIFIED", "EXPIRES", "FOR", "NOTES"}}
	for _, l := range all {
		expires := When(l.Expires)
		if l.Expired {
			expires = "has run out"
		}
		rows = append(rows, []string{l.Name, or(l.Account, "-"), or(string(l.State), "-"), When(l.Saved), When(l.LastUsed), When(l.LastVerified), expires, l.For(), or(l.Notes, "-")})
	}
	return Table(rows)
}

// Rotation is a rotation of keys as --json prints it.
type Rotation struct {
	NewKey   bool             `json:"new_key"`
	Resealed int              `json:"resealed"`
	Left     int              `json:"left"`
	Forgot   bool             `json:"forgot"`
	Failed   []RotationFailed `json:"failed"`
}

// RotationFailed is something that could not be sealed again.
type RotationFailed struct {
	Kind    store.EnvelopeKind `json:"kind"`
	Name    string             `json:"name"`
	Account string             `json:"account,omitempty"`
	Error   failure.Failure    `json:"error"`
}

// RotationOf returns the view of a rotation.
func RotationOf(r *sealed.Rotation) Rotation {
	view := Rotation{r.NewKey, r.Resealed, r.Left, r.Forgot, []RotationFailed{}}
	for _, f := range r.Failed {
		view.Failed = append(view.Failed, RotationFailed{f.Kind, f.Name, f.Account, failure.Of(f.Err)})
	}
	return view
}

// Line is the result of a rotation on one line.
func (r Rotation) Line(s Style) string {
	text := fmt.Sprintf("%d sealed again, %d were as they should be", r.Resealed, r.Left)
	switch {
	case r.Forgot:
		text += "; the old keys are forgotten"
	case len(r.Failed) > 0:
		text += "; " + r.Unopened()
	}
	return fmt.Sprintf("%s %s\n", s.Green("✓"), text)
}

// Unopened returns how much could not be sealed again.
func (r Rotation) Unopened() string {
	return fmt.Sprintf("%d could not be opened, and are as they were", len(r.Failed))
}
