package handoff

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"
	"unicode/utf8"

	"github.com/go-reprise/reprise/automation"
	"github.com/go-reprise/reprise/internal/target"
	"github.com/go-reprise/reprise/internal/weburl"
	"github.com/go-reprise/reprise/replayer"
)

// What a person types into a field for secrets is one for who goes on after them, too: an honest page repeats it, in
// a heading or an address. It is known in memory alone, until the session of who goes on ends.

// typedSecrets are what stood last in each field for secrets that the person has had.
type typedSecrets struct {
	mu    sync.Mutex
	order []string // of the fields
	last  map[string]typedSecret
}

// typedSecret is what stands in a field for secrets.
type typedSecret struct {
	Field   string `json:"field"` // its document, and its number there
	Value   string `json:"value"`
	Focused bool   `json:"focused"`
	origin  string
}

// Of a value that is shorter too much would be redacted, and a longer one is a file.
const minSecret, maxSecret = 3, 4096

func (s *typedSecrets) note(one typedSecret) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.last == nil {
		s.last = map[string]typedSecret{}
	}
	if _, known := s.last[one.Field]; !known {
		s.order = append(s.order, one.Field)
	}
	if one.Value != "" { // a page that empties its field has sent it on
		s.last[one.Field] = one
	}
}

// all returns the secrets, each bound to the origin of its document.
func (s *typedSecrets) all() (all []automation.Secret) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, field := range s.order {
		one := s.last[field]
		if len(one.Value) < minSecret || len(one.Value) > maxSecret {
			continue
		}
		var origins []string
		if one.origin != "" {
			origins = []string{one.origin}
		}
		if secret, err := automation.NewSecret(one.Value, origins...); err == nil && !slices.ContainsFunc(all, secret.Equal) {
			all = append(all, secret)
		}
	}
	return all
}

// keyText is the text that a key types, "" for none.
func keyText(c command) string {
	if utf8.RuneCountInString(c.Key) == 1 && !slices.ContainsFunc(c.Modifiers, func(m string) bool { return m != "Shift" }) {
		return c.Key
	}
	return ""
}

// noteSecrets notes what stands in the fields for secrets of all pages that the person has.
func (h *Handoff) noteSecrets(ctx context.Context) {
	h.noteSecretsOf(ctx, h.page.Target(), "")
	if shown := h.shownPage().Target(); shown != h.page.Target() {
		h.noteSecretsOf(ctx, shown, "")
	}
}

// noteSecretsOf notes what stands in the fields for secrets of a page, with the text that is about to be typed: the page
// may send it on, and go elsewhere, with its last character.
func (h *Handoff) noteSecretsOf(ctx context.Context, p *target.Page, coming string) {
	h.mu.Lock()
	typed := h.typed
	h.mu.Unlock()
	if !typed || p.Err() != nil || p.Asking() != nil {
		return
	}
	for _, f := range p.Frames() {
		var all []typedSecret
		if f.Call(ctx, &all, "secretFields") != nil { // an error may quote one
			continue
		}
		for _, one := range all {
			if one.Focused {
				one.Value += coming
			}
			one.origin, _ = weburl.OriginOf(f.Address())
			h.noteSecret(one)
		}
	}
}

func (h *Handoff) noteSecret(one typedSecret) {
	if one.origin != "" {
		h.page.Target().Tree().NoteSecret(one.origin)
	}
	h.secrets.note(one)
}

// ErrNoField is the error of Handoff.Type where no text may go.
var ErrNoField = errors.New("handoff: no field of the page that was handed over has the focus")

// ErrCut is the error of Handoff.Type where the page has taken only the beginning of a text.
var ErrCut = errors.New("handoff: the page has not taken all of the text")

// Type types a text of the person at once into the field that has the focus, if its document has the origin of the page
// that was handed over. The field holds a secret from then on: pictures cover it. The text is stored nowhere.
func (h *Handoff) Type(ctx context.Context, text string) error {
	if len(text) > maxTyped {
		return fmt.Errorf("handoff: a text has at most %d bytes", maxTyped)
	}
	h.mu.Lock()
	ended := h.ending
	h.mu.Unlock()
	p := h.shownPage().Target()
	if ended || p.Err() != nil || h.before.Origin == "null" || h.before.Origin == "" {
		return ErrNoField
	}
	if p.Asking() != nil {
		return fmt.Errorf("%w: it asks something in a dialog", ErrNoField)
	}
	p.Send("Page.bringToFront", nil)
	h.hasTyped()
	for _, f := range p.Frames() {
		var taken int
		if err := f.Call(ctx, &taken, "relay", h.before.Origin, text); err != nil || taken == 0 { // an error may quote the text
			continue
		}
		h.relayed(text)
		if all := utf8.RuneCountInString(text); taken < all {
			return fmt.Errorf("%w: %d of its %d characters", ErrCut, taken, all)
		}
		return nil
	}
	return ErrNoField
}

// relayed notes a text that was typed for the person.
func (h *Handoff) relayed(text string) {
	h.noteSecret(typedSecret{Field: fmt.Sprintf("relayed %s", text), Value: text, origin: h.before.Origin})
}

// redactor knows the secrets of the request, and those that the person has typed.
func (h *Handoff) redactor() *replayer.Redactor { return h.request.Redact.With(h.secrets.all()...) }

// tellSecrets has those who go on know what the person has typed.
func (h *Handoff) tellSecrets() {
	if h.request.OnSecret == nil {
		return
	}
	for _, secret := range h.secrets.all() {
		h.request.OnSecret(secret)
	}
}
