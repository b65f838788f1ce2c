package sealed

import (
	"context"
	"crypto/hkdf"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"
)

// Grant is what a token allows: to use the values of these tasks, for a time. Anyone who
// has the token passes the name of a task and never sees its secrets.
type Grant struct {
	Tasks []string
	Until time.Time
}

// Why a grant does not allow something.
var (
	ErrExpired    = errors.New("the token has run out: ask for another one (reprise task token)")
	ErrNotGranted = errors.New("the token is not for this task")
	ErrBadToken   = errors.New("this is no token of these keys")
)

const (
	tokenPrefix = "reprise1."
	// What the key of the tokens is derived for: another purpose gets another key.
	tokenPurpose = "reprise task token 1"

	maxToken = 8 << 10
)

// Allowed is nil where the task may be used at this time; else ErrExpired or
// ErrNotGranted.
func (g *Grant) Allowed(task string, at time.Time) error {
	switch {
	case g == nil || !slices.Contains(g.Tasks, task):
		return fmt.Errorf("task %.80q: %w", task, ErrNotGranted)
	case !at.Before(g.Until):
		return fmt.Errorf("task %.80q: %w", task, ErrExpired)
	}
	return nil
}

// claims is a grant as it is in a token.
type claims struct {
	Tasks []string `json:"tasks"`
	Until int64    `json:"until"` // Unix seconds
}

// Token writes a grant as a text that only holders of the keys can write.
func (k *Keys) Token(g Grant) (string, error) {
	if len(g.Tasks) == 0 {
		return "", errors.New("a token names the tasks that it is for")
	}
	data, err := json.Marshal(claims{g.Tasks, g.Until.Unix()})
	if err != nil {
		return "", err
	}
	body := base64.RawURLEncoding.EncodeToString(data)
	mac, err := k.mac(0, body)
	if err != nil {
		return "", err
	}
	token := tokenPrefix + body + "." + base64.RawURLEncoding.EncodeToString(mac)
	if len(token) > maxToken {
		return "", errors.New("a token cannot name that many tasks: make several")
	}
	return token, nil
}

// Grant reads a token that one of the keys has written. What it allows, and until when,
// Allowed says.
func (k *Keys) Grant(token string) (*Grant, error) {
	text, ours := strings.CutPrefix(token, tokenPrefix)
	body, signature, whole := strings.Cut(text, ".")
	if !ours || !whole || len(token) > maxToken || strings.ContainsAny(token, "\r\n") { // which base64 skips
		return nil, ErrBadToken
	}
	strict := base64.RawURLEncoding.Strict()
	mac, err := strict.DecodeString(signature)
	if err != nil || !k.signed(body, mac) {
		return nil, ErrBadToken
	}
	data, err := strict.DecodeString(body)
	var c claims
	if err != nil || json.Unmarshal(data, &c) != nil {
		return nil, ErrBadToken
	}
	return &Grant{c.Tasks, time.Unix(c.Until, 0).UTC()}, nil
}

// signed compares in constant time.
func (k *Keys) signed(body string, mac []byte) bool {
	for i := range k.own {
		want, err := k.mac(i, body)
		if err == nil && hmac.Equal(want, mac) {
			return true
		}
	}
	return false
}

func (k *Keys) mac(own int, body string) ([]byte, error) {
	key, err := hkdf.Key(sha256.New, []byte(k.own[own].String()), nil, tokenPurpose, sha256.Size)
	if err != nil {
		return nil, err
	}
	h := hmac.New(sha256.New, key)
	h.Write([]byte(body))
	return h.Sum(nil), nil
}

// Token returns a token for tasks that there are.
func (s *SecretStore) Token(ctx context.Context, g Grant) (string, error) {
	for _, id := range g.Tasks {
		if _, err := s.st.Tasks().Get(ctx, id, ""); err != nil {
			return "", err
		}
	}
	k, err := s.keys.Load(ctx)
	if err != nil {
		return "", err
	}
	return k.Token(g)
}

// Grant reads a token.
func (s *SecretStore) Grant(ctx context.Context, token string) (*Grant, error) {
	k, err := s.keys.Load(ctx)
	if err != nil {
		return nil, err
	}
	return k.Grant(token)
}
