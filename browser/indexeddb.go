package browser

import (
	"bytes"
	"context"
	_ "embed" // of the script
	"encoding/json"
	"fmt"
)

// databaseScript is an expression that has read and write.
//
//go:embed indexeddb.js
var databaseScript string

// indexedDB are the databases of an origin. They stay the text that the browser has
// written: names and values may hold half of a surrogate pair, which no Go string does.
type indexedDB struct {
	Origin    string          `json:"origin"`
	Databases json.RawMessage `json:"databases"`
}

// database is the shape of one of them. What its records hold is checked where they are
// decoded, in the browser.
type database struct {
	Name    *string        `json:"name"`
	Version uint64         `json:"version"`
	Stores  *[]objectStore `json:"stores"`
}

type objectStore struct {
	Name          *string             `json:"name"`
	KeyPath       json.RawMessage     `json:"keyPath"` // null, a text or a list of texts
	AutoIncrement bool                `json:"autoIncrement"`
	Indexes       []index             `json:"indexes"`
	Records       [][]json.RawMessage `json:"records"` // the key, or null where it is in the value; the value; what they refer to
}

type index struct {
	Name       *string         `json:"name"`
	KeyPath    json.RawMessage `json:"keyPath"`
	Unique     bool            `json:"unique"`
	MultiEntry bool            `json:"multiEntry"`
}

// Unread is what of an origin's databases is not in a storage state, because it cannot leave
// the browser.
type Unread struct {
	Origin   string `json:"origin"`
	Database string `json:"database"`
	Store    string `json:"store,omitempty"` // "" for all of the database
	What     string `json:"what"`            // such as "CryptoKey that is not extractable"
	Records  int    `json:"records"`         // how many records are missing for it
}

func (u Unread) String() string {
	where := fmt.Sprintf("database %q", u.Database)
	if u.Store != "" {
		where = fmt.Sprintf("store %q of database %q", u.Store, u.Database)
	}
	return fmt.Sprintf("%s at %s: %s (%d)", where, u.Origin, u.What, u.Records)
}

// decode reads the databases strictly.
func (of indexedDB) decode() ([]database, error) {
	var all []database
	d := json.NewDecoder(bytes.NewReader(of.Databases))
	d.DisallowUnknownFields()
	if err := d.Decode(&all); err != nil || d.More() {
		return nil, errNotDatabases
	}
	for _, db := range all {
		if db.Name == nil || db.Version == 0 || db.Stores == nil {
			return nil, errNotDatabases
		}
		for _, s := range *db.Stores {
			if err := s.check(); err != nil {
				return nil, err
			}
		}
	}
	return all, nil
}

var errNotDatabases = fmt.Errorf("they are no databases")

func (s objectStore) check() error {
	if s.Name == nil || !isKeyPath(s.KeyPath, true) {
		return errNotDatabases
	}
	for _, x := range s.Indexes {
		if x.Name == nil || !isKeyPath(x.KeyPath, false) {
			return errNotDatabases
		}
	}
	for _, r := range s.Records {
		var heap [][]json.RawMessage
		if len(r) != 3 || json.Unmarshal(r[2], &heap) != nil || heap == nil {
			return errNotDatabases
		}
	}
	return nil
}

// isKeyPath reports whether JSON is a text or a list of texts.
func isKeyPath(data json.RawMessage, orNull bool) bool {
	var text *string
	if json.Unmarshal(data, &text) == nil {
		return text != nil || orNull
	}
	var list []*string
	if json.Unmarshal(data, &list) != nil || len(list) == 0 {
		return false
	}
	for _, text := range list {
		if text == nil {
			return false
		}
	}
	return true
}

// records is how many records an origin's databases have, -1 for what are none.
func (of indexedDB) records() (n int) {
	all, err := of.decode()
	if err != nil {
		return -1
	}
	for _, db := range all {
		for _, s := range *db.Stores {
			n += len(s.Records)
		}
	}
	return n
}

// readDatabases returns the databases of the origin that the page is at. They take budget
// bytes at most.
func (p *storagePage) readDatabases(ctx context.Context, origin string, budget int) (indexedDB, []Unread, error) {
	var text string
	if err := p.evaluate(ctx, origin, fmt.Sprintf("%s.read(%d)", databaseScript, budget), &text); err != nil {
		return indexedDB{}, nil, err
	}
	var of struct {
		Databases json.RawMessage `json:"databases"`
		Unread    []Unread        `json:"unread"`
		TooLarge  *struct {
			Database string `json:"database"`
			Store    string `json:"store"`
		} `json:"tooLarge"`
	}
	if err := json.Unmarshal([]byte(text), &of); err != nil {
		return indexedDB{}, nil, fmt.Errorf("reading the databases of %s: %w", origin, err)
	}
	if of.TooLarge != nil {
		reason := fmt.Sprintf("with the store %q of the database %q of %s it has more than %d MiB", of.TooLarge.Store, of.TooLarge.Database, origin, maxLogin>>20)
		return indexedDB{}, nil, &LoginError{Origins: []string{origin}, Reason: reason, Err: ErrLoginTooLarge}
	}
	for i := range of.Unread {
		of.Unread[i].Origin = origin
	}
	return indexedDB{origin, of.Databases}, of.Unread, nil
}

// writeDatabases makes databases in the origin that the page is at.
func (p *storagePage) writeDatabases(ctx context.Context, of indexedDB) error {
	literal, err := json.Marshal(string(of.Databases)) // JSON's texts are JavaScript's
	if err != nil {
		return err
	}
	return p.evaluate(ctx, of.Origin, fmt.Sprintf("%s.write(JSON.parse(%s))", databaseScript, literal), nil)
}
