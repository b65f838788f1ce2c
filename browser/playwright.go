package browser

import (
	"bytes"
	"cmp"
	"encoding/json"
	"fmt"
	"maps"
	"net/url"
	"slices"
	"strings"
	"time"

	"github.com/go-reprise/reprise/automation"
	"github.com/go-reprise/reprise/internal/weburl"
)

// Loss is what one form of a storage state has and the other cannot hold. It quotes no
// values; the names in it are the site's.
type Loss struct {
	Item   string `json:"item"` // such as cookie "session" of shop.example
	Reason string `json:"reason"`
}

func (l Loss) String() string { return l.Item + ": " + l.Reason }

// maxPlaywright bounds a file of Playwright's: bytes are larger there by a third at most.
const maxPlaywright = 2 * maxLogin

// playwrightState is Playwright's storageState. Texts stay as they are written, for the sake
// of half a surrogate pair.
type playwrightState struct {
	Cookies []map[string]json.RawMessage `json:"cookies"`
	Origins []playwrightOrigin           `json:"origins"`
}

type playwrightOrigin struct {
	Origin         string               `json:"origin"`
	LocalStorage   []nameValue          `json:"localStorage"`
	SessionStorage []nameValue          `json:"sessionStorage,omitempty"` // not Playwright's: other tools add it
	IndexedDB      []playwrightDatabase `json:"indexedDB,omitempty"`
	OPFS           []json.RawMessage    `json:"opfs,omitempty"`
}

type nameValue struct {
	Name  json.RawMessage `json:"name"`
	Value json.RawMessage `json:"value"`
}

type playwrightDatabase struct {
	Name    json.RawMessage   `json:"name"`
	Version uint64            `json:"version"`
	Stores  []playwrightStore `json:"stores"`
}

type playwrightStore struct {
	Name          json.RawMessage    `json:"name"`
	KeyPath       json.RawMessage    `json:"keyPath,omitempty"`
	KeyPathArray  json.RawMessage    `json:"keyPathArray,omitempty"`
	AutoIncrement bool               `json:"autoIncrement"`
	Indexes       []playwrightIndex  `json:"indexes"`
	Records       []playwrightRecord `json:"records"`
}

type playwrightIndex struct {
	Name         json.RawMessage `json:"name"`
	KeyPath      json.RawMessage `json:"keyPath,omitempty"`
	KeyPathArray json.RawMessage `json:"keyPathArray,omitempty"`
	MultiEntry   bool            `json:"multiEntry"`
	Unique       bool            `json:"unique"`
}

type playwrightRecord struct {
	Key          json.RawMessage `json:"key,omitempty"`
	KeyEncoded   json.RawMessage `json:"keyEncoded,omitempty"`
	Value        json.RawMessage `json:"value,omitempty"`
	ValueEncoded json.RawMessage `json:"valueEncoded,omitempty"`
}

// losses collects what is lost, each kind once for each place.
type losses struct {
	list  []Loss
	count map[Loss]int
}

func (l *losses) add(item, reason string) {
	of := Loss{item, reason}
	if l.count == nil {
		l.count = map[Loss]int{}
	}
	if l.count[of]++; l.count[of] == 1 {
		l.list = append(l.list, of)
	}
}

func (l *losses) report() []Loss {
	for i, of := range l.list {
		if n := l.count[of]; n > 1 {
			l.list[i].Reason = fmt.Sprintf("%s (%d)", of.Reason, n)
		}
	}
	return l.list
}

// Playwright returns the state as Playwright's storageState, and what is lost. Anyone who has
// the text is signed in.
func (l *StorageState) Playwright() ([]byte, []Loss, error) {
	s, err := readState(l.state.Reveal())
	if err != nil {
		return nil, nil, err
	}
	lost := &losses{}
	out := playwrightState{Cookies: []map[string]json.RawMessage{}, Origins: []playwrightOrigin{}}
	for _, c := range s.Cookies {
		cookie, err := c.playwright(lost)
		if err != nil {
			return nil, nil, err
		}
		out.Cookies = append(out.Cookies, cookie)
	}
	for _, origin := range s.Origins {
		of := playwrightOrigin{Origin: origin, LocalStorage: []nameValue{}}
		for _, storage := range s.Storage {
			if storage.Origin == origin {
				of.LocalStorage = storage.pairs()
			}
		}
		for _, storage := range s.Session {
			if n := storage.size(); storage.Origin == origin && n > 0 {
				lost.add("session storage of "+origin, fmt.Sprintf("Playwright has none: %d items", n))
			}
		}
		for _, databases := range s.Databases {
			if databases.Origin == origin {
				of.IndexedDB = databases.playwright(lost)
			}
		}
		if len(of.LocalStorage)+len(of.IndexedDB) > 0 {
			out.Origins = append(out.Origins, of)
		}
	}
	for _, u := range s.Unread {
		lost.add(fmt.Sprintf("store %q of database %q of %s", u.Store, u.Database, u.Origin), "it was not in the login: "+u.What)
	}
	var text bytes.Buffer
	encoder := json.NewEncoder(&text)
	encoder.SetEscapeHTML(false)
	encoder.SetIndent("", "  ")
	err = encoder.Encode(out)
	return text.Bytes(), lost.report(), err
}

func (c *loginCookie) playwright(lost *losses) (map[string]json.RawMessage, error) {
	expires := c.Expires
	if expires <= 0 {
		expires = -1
	}
	values := map[string]any{
		"name": c.Name, "value": c.Value, "domain": c.Domain, "path": c.Path, "expires": expires,
		"httpOnly": c.HTTPOnly, "secure": c.Secure, "sameSite": cmp.Or(c.SameSite, "Lax"),
	}
	if c.Partition != nil {
		values["partitionKey"], values["_crHasCrossSiteAncestor"] = c.Partition.TopLevelSite, c.Partition.HasCrossSiteAncestor
	}
	item := fmt.Sprintf("cookie %q of %s", c.Name, c.Domain)
	if c.SameSite == "" {
		lost.add(item, "it says nothing of sameSite, and becomes Lax")
	}
	if c.Priority != "" && c.Priority != "Medium" {
		lost.add(item, "its priority")
	}
	out := map[string]json.RawMessage{}
	for name, value := range values {
		data, err := json.Marshal(value)
		if err != nil {
			return nil, err
		}
		out[name] = data
	}
	return out, nil
}

// pairs are the items with their texts as they were written.
func (of webStorage) pairs() []nameValue {
	var raw [][]json.RawMessage
	_ = json.Unmarshal(of.Items, &raw) // they were checked
	all := []nameValue{}
	for _, pair := range raw {
		all = append(all, nameValue{pair[0], pair[1]})
	}
	return all
}

// rawDatabase is a database with its texts as they were written.
type rawDatabase struct {
	Name    json.RawMessage `json:"name"`
	Version uint64          `json:"version"`
	Stores  []rawStore      `json:"stores"`
}

type rawStore struct {
	Name          json.RawMessage      `json:"name"`
	KeyPath       json.RawMessage      `json:"keyPath"`
	AutoIncrement bool                 `json:"autoIncrement"`
	Indexes       []rawIndex           `json:"indexes"`
	Records       [][3]json.RawMessage `json:"records"`
}

type rawIndex struct {
	Name       json.RawMessage `json:"name"`
	KeyPath    json.RawMessage `json:"keyPath"`
	Unique     bool            `json:"unique"`
	MultiEntry bool            `json:"multiEntry"`
}

func (of indexedDB) playwright(lost *losses) (all []playwrightDatabase) {
	var raw []rawDatabase
	_ = json.Unmarshal(of.Databases, &raw) // they were checked
	for _, db := range raw {
		out := playwrightDatabase{Name: db.Name, Version: db.Version, Stores: []playwrightStore{}}
		for _, s := range db.Stores {
			store := playwrightStore{Name: s.Name, AutoIncrement: s.AutoIncrement, Indexes: []playwrightIndex{}, Records: []playwrightRecord{}}
			store.KeyPath, store.KeyPathArray = keyPaths(s.KeyPath)
			for _, x := range s.Indexes {
				index := playwrightIndex{Name: x.Name, MultiEntry: x.MultiEntry, Unique: x.Unique}
				index.KeyPath, index.KeyPathArray = keyPaths(x.KeyPath)
				store.Indexes = append(store.Indexes, index)
			}
			item := fmt.Sprintf("store %s of database %s of %s", s.Name, db.Name, of.Origin)
			for _, r := range s.Records {
				record, err := toPlaywright(r, isNull(s.KeyPath))
				if err != nil {
					lost.add(item, "a record with "+err.Error())
					continue
				}
				store.Records = append(store.Records, record)
			}
			out.Stores = append(out.Stores, store)
		}
		all = append(all, out)
	}
	return all
}

func isNull(data json.RawMessage) bool { return len(data) == 0 || string(data) == "null" }

// keyPaths returns a key path where Playwright has it: a text, or a list.
func keyPaths(path json.RawMessage) (text, list json.RawMessage) {
	switch {
	case isNull(path):
		return nil, nil
	case path[0] == '[':
		return nil, path
	}
	return path, nil
}

func toPlaywright(r [3]json.RawMessage, keyed bool) (out playwrightRecord, err error) {
	n := &nester{seen: map[int]bool{}}
	if err := json.Unmarshal(r[2], &n.heap); err != nil {
		return out, err
	}
	if keyed {
		if out.Key, out.KeyEncoded, err = n.field(r[0]); err != nil {
			return out, err
		}
		n.seen = map[int]bool{}
	}
	out.Value, out.ValueEncoded, err = n.field(r[1])
	return out, err
}

// ReadPlaywright reads a storageState of Playwright's for these origins; none are those that
// the file names, and the hosts of its cookies by https. It returns what is not taken. What is
// no such file is a *LoginError that is ErrBadLogin and quotes nothing.
func ReadPlaywright(data []byte, origins ...string) (*StorageState, []Loss, error) {
	if len(data) > maxPlaywright {
		return nil, nil, badLogin("it is too large")
	}
	lost := &losses{}
	in, err := decodePlaywright(data, lost)
	if err != nil {
		return nil, nil, err
	}
	cookies := in.cookies(lost)
	if len(origins) == 0 {
		origins = in.origins(cookies)
	}
	normal, err := automation.NewSecret("", origins...)
	if err != nil {
		return nil, nil, badLogin("it names what is no origin")
	}
	s := loginState{Format: loginFormat, Saved: time.Now().UTC().Truncate(time.Second), Origins: normal.Origins()}
	places, err := loginPlaces(s.Origins)
	if err != nil {
		return nil, nil, badLogin("it names no origins, or too many: name those that it is for")
	}
	for _, c := range cookies {
		item := fmt.Sprintf("cookie %q of %s", c.Name, c.Domain)
		switch {
		case c.gone(s.Saved):
			lost.add(item, "it has run out")
		case !c.reaches(places):
			lost.add(item, "it is of none of the origins")
		default:
			s.Cookies = append(s.Cookies, c)
		}
	}
	for i, of := range in.Origins {
		if err := s.take(i, of, lost); err != nil {
			return nil, nil, err
		}
	}
	if err := s.check(); err != nil {
		return nil, nil, err
	}
	l, err := newLogin(s)
	if err == nil && l.cookies+l.stored+l.records == 0 {
		err = &LoginError{Origins: s.Origins, Err: ErrNotSignedIn}
	}
	if err != nil {
		return nil, nil, err
	}
	return l, lost.report(), nil
}

// decodePlaywright reads a file. What it has besides what is known is lost.
func decodePlaywright(data []byte, lost *losses) (*playwrightState, error) {
	var loose struct {
		Cookies []json.RawMessage            `json:"cookies"`
		Origins []map[string]json.RawMessage `json:"origins"`
	}
	var top map[string]json.RawMessage
	in := &playwrightState{}
	if json.Unmarshal(data, &top) != nil || top["cookies"] == nil && top["origins"] == nil || json.Unmarshal(data, &loose) != nil || json.Unmarshal(data, in) != nil {
		return nil, badLogin("it has not the fields of a storageState")
	}
	for _, name := range slices.Sorted(maps.Keys(top)) {
		if name != "cookies" && name != "origins" {
			lost.add(fmt.Sprintf("%.80q", name), "it is no part of a storageState")
		}
	}
	known := []string{"origin", "localStorage", "sessionStorage", "indexedDB", "opfs"}
	for i, of := range loose.Origins {
		for _, name := range slices.Sorted(maps.Keys(of)) {
			if !slices.Contains(known, name) {
				lost.add(fmt.Sprintf("%.80q of %.200s", name, in.Origins[i].Origin), "it is no part of a storageState")
			}
		}
	}
	return in, nil
}

// cookies reads the cookies.
func (in *playwrightState) cookies(lost *losses) (all []loginCookie) {
	for i, raw := range in.Cookies {
		var c loginCookie
		var site string
		item := fmt.Sprintf("cookie %d", i+1)
		fields := map[string]any{
			"name": &c.Name, "value": &c.Value, "domain": &c.Domain, "path": &c.Path, "expires": &c.Expires,
			"httpOnly": &c.HTTPOnly, "secure": &c.Secure, "sameSite": &c.SameSite,
			"partitionKey": &site, "_crHasCrossSiteAncestor": new(bool),
		}
		whole := true
		for _, name := range slices.Sorted(maps.Keys(raw)) {
			if fields[name] == nil {
				lost.add(item, fmt.Sprintf("its field %.80q", name))
			} else if json.Unmarshal(raw[name], fields[name]) != nil {
				whole = false
				lost.add(item, fmt.Sprintf("its %s is not what it should be", name))
			}
		}
		if !whole || c.Name == "" && c.Value == "" || c.Domain == "" {
			lost.add(item, "it is no cookie")
			continue
		}
		if !slices.Contains([]string{"", "Strict", "Lax", "None"}, c.SameSite) {
			lost.add(item, "its sameSite is none of Strict, Lax and None")
			c.SameSite = ""
		}
		if site != "" {
			c.Partition = &partitionKey{site, *fields["_crHasCrossSiteAncestor"].(*bool)}
		}
		c.Expires, c.Path = max(c.Expires, 0), cmp.Or(c.Path, "/")
		all = append(all, c)
	}
	return all
}

// origins are those that a file is for: the ones that it names, and those that cookies are of
// besides.
func (in *playwrightState) origins(cookies []loginCookie) []string {
	var all []string
	for _, of := range in.Origins {
		all = append(all, of.Origin)
	}
	places, _ := loginPlaces(all)
	for _, c := range cookies {
		host := strings.TrimPrefix(c.Domain, ".")
		if c.reaches(places) || slices.ContainsFunc(all, func(o string) bool { return strings.HasSuffix(o, "://"+host) }) {
			continue
		}
		scheme := "https://"
		if !c.Secure && weburl.IsThisMachine(host) {
			scheme = "http://"
		}
		if _, err := url.Parse(scheme + host); err == nil {
			all = append(all, scheme+host)
		}
	}
	return all
}

// take adds what a file has of an origin.
func (s *loginState) take(i int, of playwrightOrigin, lost *losses) error {
	normal, err := automation.NewSecret("", of.Origin)
	if err != nil {
		lost.add(fmt.Sprintf("origin %d", i+1), "it is no origin")
		return nil
	}
	origin := normal.Origins()[0]
	if !slices.Contains(s.Origins, origin) {
		lost.add("storage of "+origin, "it is none of the origins")
		return nil
	}
	if len(of.OPFS) > 0 {
		lost.add("files of "+origin, "a login has none of the origin private file system")
	}
	local, err := storageFrom(origin, of.LocalStorage)
	if err != nil {
		return err
	}
	if local.size() > 0 {
		s.Storage = append(s.Storage, local)
	}
	session, err := storageFrom(origin, of.SessionStorage)
	if err != nil {
		return err
	}
	if session.size() > 0 {
		s.Session = append(s.Session, session)
	}
	if len(of.IndexedDB) == 0 {
		return nil
	}
	var all []rawDatabase
	for _, db := range of.IndexedDB {
		all = append(all, fromPlaywright(origin, db, lost))
	}
	data, err := marshal(all)
	if err != nil {
		return badLogin("it has databases of no form")
	}
	s.Databases = append(s.Databases, indexedDB{origin, data})
	return nil
}

// marshal is json.Marshal with markup as it is.
func marshal(v any) (json.RawMessage, error) {
	var text bytes.Buffer
	encoder := json.NewEncoder(&text)
	encoder.SetEscapeHTML(false)
	err := encoder.Encode(v)
	return bytes.TrimSpace(text.Bytes()), err
}

func storageFrom(origin string, pairs []nameValue) (webStorage, error) {
	list := [][2]json.RawMessage{}
	for _, p := range pairs {
		list = append(list, [2]json.RawMessage{p.Name, p.Value})
	}
	data, err := marshal(list)
	if err != nil {
		return webStorage{}, badLogin("it has storage of no form")
	}
	of := webStorage{origin, data}
	if of.size() < 0 {
		return webStorage{}, badLogin("it has storage that is no pairs of texts")
	}
	return of, nil
}

func fromPlaywright(origin string, db playwrightDatabase, lost *losses) rawDatabase {
	out := rawDatabase{Name: db.Name, Version: db.Version, Stores: []rawStore{}}
	path := func(text, list json.RawMessage) json.RawMessage {
		switch {
		case !isNull(list):
			return list
		case isNull(text):
			return json.RawMessage("null")
		}
		return text
	}
	for _, s := range db.Stores {
		store := rawStore{Name: s.Name, KeyPath: path(s.KeyPath, s.KeyPathArray), AutoIncrement: s.AutoIncrement, Indexes: []rawIndex{}, Records: [][3]json.RawMessage{}}
		for _, x := range s.Indexes {
			store.Indexes = append(store.Indexes, rawIndex{x.Name, path(x.KeyPath, x.KeyPathArray), x.Unique, x.MultiEntry})
		}
		item := fmt.Sprintf("store %.200s of database %.200s of %s", s.Name, db.Name, origin)
		for _, r := range s.Records {
			f := &flattener{heap: [][]any{}, refs: map[int]int{}}
			record := [3]json.RawMessage{json.RawMessage("null")}
			var err error
			if isNull(store.KeyPath) {
				record[0], err = f.field(r.Key, r.KeyEncoded)
			}
			if err == nil {
				f.refs = map[int]int{}
				record[1], err = f.field(r.Value, r.ValueEncoded)
			}
			if err == nil {
				record[2], err = marshal(f.heap)
			}
			if err != nil {
				lost.add(item, "a record with "+err.Error())
				continue
			}
			store.Records = append(store.Records, record)
		}
		out.Stores = append(out.Stores, store)
	}
	return out
}
