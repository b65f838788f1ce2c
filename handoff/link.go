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

	"github.com/go-reprise/reprise/store"
)

// Path is where people reach a desk.
const Path = "/handoff/"

// A link is exchanged once, by the secret in its fragment, which browsers send to no one, for the session of a
// device. Only hashes are stored, as events of the handoff, so that both outlive the process.

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
}

// The kinds of events that keys are stored as.
const (
	linkEvent   = "link"
	openedEvent = "opened"
)

func (k *keys) opened() bool { return len(k.sessions) > 0 }

// add takes an event, now or when it is read from the store.
func (k *keys) add(kind string, data json.RawMessage) {
	var key secretKey
	if json.Unmarshal(data, &key) != nil {
		return
	}
	switch kind {
	case linkEvent:
		k.links = append(k.links, key)
	case openedEvent:
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
// With control its device may drive the page, and any other that did may not any longer; otherwise it watches.
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
	if err := h.note(ctx, linkEvent, secretKey{Hash: keyHash(key), Control: control}); err != nil {
		return "", err
	}
	return h.desk.options.PublicURL + Path + "#" + h.record.ID + "." + key, nil
}

// exchange spends a link for a session, "" for one that is no link, or was spent.
func (h *Handoff) exchange(ctx context.Context, key string) (session string, err error) {
	h.mu.Lock()
	defer h.mu.Unlock()
	link := find(h.keys.links, key)
	if link == nil || h.ending {
		return "", nil
	}
	session = rand.Text()
	if err := h.note(ctx, openedEvent, secretKey{Hash: keyHash(session), Control: link.Control, Link: link.Hash}); err != nil {
		return "", err
	}
	if link.Control && h.live != nil {
		h.live.dropControl()
	}
	return session, nil
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
