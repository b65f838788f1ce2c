package handoff

import (
	"context"
	"crypto/rand"
	"crypto/sha256"
	"crypto/subtle"
	"encoding/hex"
	"encoding/json"
	"errors"
	"net/http"
	"net/url"
	"os"
	"slices"

	"github.com/go-reprise/reprise/internal/weburl"
	"github.com/go-reprise/reprise/store"
)

// Path is where people reach a desk.
const Path = "/handoff/"

// A link is exchanged once, by the secret in its fragment, which browsers send to no one, for the session of a
// device. Only hashes are stored, as events of the handoff, so that both outlive the process.

// Served is where the page of a handoff is: what another process needs to send people there.
type Served struct {
	// URL is the desk's Options.PublicURL, and Host the name of its machine.
	URL  string `json:"url,omitempty"`
	Host string `json:"host,omitempty"`
	// Process is Options.Process.
	Process *store.Process `json:"process,omitempty"`
}

// Public reports whether links can be opened on other machines.
func (s Served) Public() bool {
	u, err := url.Parse(s.URL)
	return err == nil && u.Host != "" && !weburl.IsLoopback(u.Hostname())
}

// ServedEvent is the kind of the events that have a Served: the last one counts.
const ServedEvent = "served"

// ServedOf returns where the page of a handoff is, by its events; zero for one that is served nowhere yet.
func ServedOf(ctx context.Context, st store.Store, id string) (served Served, err error) {
	for e, err := range st.Handoffs().Events(ctx, id) {
		if err != nil {
			return Served{}, err
		}
		if e.Kind == ServedEvent {
			served = Served{}
			if err := json.Unmarshal(e.Data, &served); err != nil {
				return Served{}, err
			}
		}
	}
	return served, nil
}

// noteServed tells other processes where the page is.
func (h *Handoff) noteServed(ctx context.Context) error {
	host, err := os.Hostname()
	if err != nil {
		host = ""
	}
	data, err := json.Marshal(Served{h.desk.options.PublicURL, host, h.desk.options.Process})
	if err != nil {
		return err
	}
	_, err = h.desk.options.Store.Handoffs().Note(ctx, h.record.ID, store.HandoffEvent{ID: rand.Text(), Kind: ServedEvent, Data: data})
	return err
}

// NewLink returns a link with control of a handoff that any process serves, "" where none does. Only means that it takes
// the place of those before it which were not opened. Whether it opens on other machines ServedOf tells. Its key is
// stored only as a hash, which the desk that has the page reads when a link is opened.
func NewLink(ctx context.Context, st store.Store, id string, only bool) (string, error) {
	served, err := ServedOf(ctx, st, id)
	if err != nil || served.URL == "" {
		return "", err
	}
	key := rand.Text()
	data, err := json.Marshal(secretKey{Hash: keyHash(key), Control: true, Only: only})
	if err != nil {
		return "", err
	}
	if _, err := st.Handoffs().Note(ctx, id, store.HandoffEvent{ID: rand.Text(), Kind: linkEvent, Data: data}); err != nil {
		return "", err
	}
	return served.URL + Path + "#" + id + "." + key, nil
}

// keys are the links and the sessions of a handoff.
type keys struct {
	links    []secretKey
	sessions []secretKey
}

// secretKey is the hash of a key, and what it is good for.
type secretKey struct {
	Hash    string `json:"hash"`
	Control bool   `json:"control"`
	Link    string `json:"link,omitempty"` // of a session: the hash of the link that it was exchanged for
	Only    bool   `json:"only,omitempty"` // of a link: those with control before it open nothing any longer
}

// OpenedEvent is the kind of the event that a device has opened the page.
const OpenedEvent = "opened"

// linkEvent is the kind of the event that there is a link.
const linkEvent = "link"

func (k *keys) opened() bool { return len(k.sessions) > 0 }

// add takes an event, now or when it is read from the store.
func (k *keys) add(kind string, data json.RawMessage) {
	var key secretKey
	if json.Unmarshal(data, &key) != nil {
		return
	}
	switch kind {
	case linkEvent:
		if key.Only {
			k.links = slices.DeleteFunc(k.links, func(l secretKey) bool { return l.Control })
		}
		k.links = append(k.links, key)
	case OpenedEvent:
		kept := k.sessions[:0]
		for _, s := range k.sessions {
			if !s.Control || !key.Control { // there is one controller
				kept = append(kept, s)
			}
		}
		k.sessions = append(kept, key)
		k.links = without(k.links, key.Link)
	}
}

func without(all []secretKey, hash string) (rest []secretKey) {
	for _, key := range all {
		if key.Hash != hash {
			rest = append(rest, key)
		}
	}
	return rest
}

func find(all []secretKey, key string) *secretKey {
	hash := keyHash(key)
	for i := range all {
		if subtle.ConstantTimeCompare([]byte(all[i].Hash), []byte(hash)) == 1 {
			return &all[i]
		}
	}
	return nil
}

func keyHash(key string) string {
	sum := sha256.Sum256([]byte("reprise handoff\n" + key))
	return hex.EncodeToString(sum[:])
}

// note stores an event, and takes it.
func (h *Handoff) note(ctx context.Context, kind string, key secretKey) error {
	data, err := json.Marshal(key)
	if err != nil {
		return err
	}
	if _, err := h.desk.options.Store.Handoffs().Note(ctx, h.record.ID, store.HandoffEvent{ID: rand.Text(), Kind: kind, Data: data}); err != nil {
		return err
	}
	h.keys.add(kind, data)
	return nil
}

// Link returns a new link, which opens the live view once, on one device; "" where the desk has no public URL.
// With control its device may drive the page, and any other that did may not any longer; otherwise it watches. Links
// with control before it that were not opened open nothing any longer.
// Who has the link has the page: it goes to one person.
func (h *Handoff) Link(ctx context.Context, control bool) (string, error) {
	if h.desk.options.PublicURL == "" {
		return "", nil
	}
	key := rand.Text()
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.ending {
		return "", errors.New("handoff: it has ended")
	}
	if err := h.note(ctx, linkEvent, secretKey{Hash: keyHash(key), Control: control, Only: control}); err != nil {
		return "", err
	}
	return h.desk.options.PublicURL + Path + "#" + h.record.ID + "." + key, nil
}

// exchange spends a link for a session, "" for one that is no link, or was spent.
func (h *Handoff) exchange(ctx context.Context, key string) (session string, err error) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if err := h.readKeys(ctx); err != nil { // another process may have made it, or one in its place
		return "", err
	}
	link := find(h.keys.links, key)
	if link == nil || h.ending {
		return "", nil
	}
	session = rand.Text()
	if err := h.note(ctx, OpenedEvent, secretKey{Hash: keyHash(session), Control: link.Control, Link: link.Hash}); err != nil {
		return "", err
	}
	if link.Control && h.live != nil {
		h.live.dropControl()
	}
	return session, nil
}

// readKeys reads the keys from the store. The handoff is locked, or known to no one yet.
func (h *Handoff) readKeys(ctx context.Context) error {
	var all keys
	for e, err := range h.desk.options.Store.Handoffs().Events(ctx, h.record.ID) {
		if err != nil {
			return err
		}
		all.add(e.Kind, e.Data)
	}
	h.keys = all
	return nil
}

// cookieName names the session of a handoff on a device.
func cookieName(id string) string { return "reprise-handoff-" + id }

// sessionOf returns the session of a request, nil for none.
func (h *Handoff) sessionOf(r *http.Request) *secretKey {
	given, err := r.Cookie(cookieName(h.record.ID))
	if err != nil {
		return nil
	}
	h.mu.Lock()
	defer h.mu.Unlock()
	if found := find(h.keys.sessions, given.Value); found != nil {
		session := *found
		return &session
	}
	return nil
}
