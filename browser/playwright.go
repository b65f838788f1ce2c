package browser

import (
	"bytes"
	"cmp"
	"encoding/base64"
	"encoding/json"
	"errors"
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

// nester writes the flat form of a value as Playwright's, which is nested.
type nester struct {
	heap  [][]json.RawMessage
	seen  map[int]bool
	depth int
}

// maxNested is how deep values of Playwright's form may be: what reads them is recursive.
const maxNested = 500

// field returns a value as it is, or encoded. 0, "", false and null are encoded, as
// Playwright takes them for none.
func (n *nester) field(slot json.RawMessage) (plain, encoded json.RawMessage, err error) {
	if text := string(slot); text != "" && !slices.Contains([]string{"null", "0", `""`, "false"}, text) && text[0] != '[' {
		return slot, nil, nil
	}
	encoded, err = n.value(slot)
	return nil, encoded, err
}

func form(members ...any) (json.RawMessage, error) {
	var b bytes.Buffer
	for i := 0; i < len(members); i += 2 {
		data, is := members[i+1].(json.RawMessage)
		if !is {
			var err error
			if data, err = json.Marshal(members[i+1]); err != nil {
				return nil, err
			}
		}
		if i > 0 {
			b.WriteByte(',')
		}
		fmt.Fprintf(&b, "%q:%s", members[i], data)
	}
	return json.RawMessage("{" + b.String() + "}"), nil
}

var errForm = errors.New("a value of no known form")

func (n *nester) value(slot json.RawMessage) (json.RawMessage, error) {
	if string(slot) == "null" {
		return form("v", "null")
	}
	if len(slot) == 0 || slot[0] != '[' {
		return slot, nil
	}
	var parts []json.RawMessage
	var kind string
	if json.Unmarshal(slot, &parts) != nil || len(parts) == 0 || json.Unmarshal(parts[0], &kind) != nil {
		return nil, errForm
	}
	switch {
	case kind == "undefined":
		return form("v", kind)
	case len(parts) != 2:
		return nil, errForm
	case kind == "number":
		return form("v", parts[1])
	case kind == "bigint":
		return form("bi", parts[1])
	}
	var at int
	if kind != "ref" || json.Unmarshal(parts[1], &at) != nil || at < 0 || at >= len(n.heap) || len(n.heap[at]) == 0 {
		return nil, errForm
	}
	if n.seen[at] {
		return form("ref", at+1)
	}
	if n.depth++; n.depth > maxNested {
		return nil, fmt.Errorf("a value that is nested deeper than %d", maxNested)
	}
	defer func() { n.depth-- }()
	return n.entry(at)
}

func (n *nester) entry(at int) (json.RawMessage, error) {
	entry := n.heap[at]
	var kind string
	_ = json.Unmarshal(entry[0], &kind)
	switch {
	case kind == "list" && len(entry) == 2:
		n.seen[at] = true
		items, err := n.values(entry[1])
		if err != nil {
			return nil, err
		}
		return form("a", items, "id", at+1)
	case kind == "object" && len(entry) == 2:
		n.seen[at] = true
		var members []json.RawMessage
		if json.Unmarshal(entry[1], &members) != nil || len(members)%2 != 0 {
			return nil, errForm
		}
		list := []json.RawMessage{}
		for i := 0; i < len(members); i += 2 {
			value, err := n.value(members[i+1])
			if err != nil {
				return nil, err
			}
			member, _ := form("k", members[i], "v", value)
			list = append(list, member)
		}
		return form("o", list, "id", at+1)
	case kind == "date" && len(entry) == 2:
		var ms *float64
		if json.Unmarshal(entry[1], &ms) != nil || ms == nil {
			return nil, errors.New("a date that is none")
		}
		if year := time.UnixMilli(int64(*ms)).UTC().Year(); year < 0 || year > 9999 {
			return nil, errors.New("a date of another era")
		}
		return form("d", time.UnixMilli(int64(*ms)).UTC().Format("2006-01-02T15:04:05.000Z"))
	case kind == "regexp" && len(entry) == 3:
		pattern, _ := form("p", entry[1], "f", entry[2])
		return form("r", pattern)
	case kind == "buffer" && len(entry) == 2:
		bytes, _ := form("b", entry[1])
		return form("ab", bytes)
	case kind == "view" && len(entry) == 5:
		return n.view(entry)
	case kind == "error" && len(entry) == 5 && string(entry[4]) != "[]":
		return nil, errors.New("an error that has a cause")
	case kind == "error" && len(entry) == 5:
		stack, err := n.value(entry[3])
		if err != nil || len(stack) > 0 && stack[0] != '"' {
			stack = json.RawMessage(`""`)
		}
		of, _ := form("n", entry[1], "m", entry[2], "s", stack)
		return form("e", of)
	}
	if kind == "array" {
		kind = "list with gaps or names"
	}
	return nil, errors.New("a " + kind)
}

func (n *nester) values(list json.RawMessage) ([]json.RawMessage, error) {
	var items []json.RawMessage
	if json.Unmarshal(list, &items) != nil {
		return nil, errForm
	}
	out := []json.RawMessage{}
	for _, item := range items {
		value, err := n.value(item)
		if err != nil {
			return nil, err
		}
		out = append(out, value)
	}
	return out, nil
}

// viewKinds are Playwright's names of typed arrays, and viewSizes the bytes of an element.
var (
	viewKinds = map[string]string{
		"i8": "Int8Array", "ui8": "Uint8Array", "ui8c": "Uint8ClampedArray", "i16": "Int16Array", "ui16": "Uint16Array", "i32": "Int32Array", "ui32": "Uint32Array",
		"f32": "Float32Array", "f64": "Float64Array", "bi64": "BigInt64Array", "bui64": "BigUint64Array",
	}
	viewSizes = map[string]int{"i8": 1, "ui8": 1, "ui8c": 1, "i16": 2, "ui16": 2, "i32": 4, "ui32": 4, "f32": 4, "f64": 8, "bi64": 8, "bui64": 8}
)

func (n *nester) view(entry []json.RawMessage) (json.RawMessage, error) {
	var name, text string
	var offset, length, at int
	var ref []json.RawMessage
	if json.Unmarshal(entry[1], &name) != nil || json.Unmarshal(entry[2], &ref) != nil || json.Unmarshal(entry[3], &offset) != nil || json.Unmarshal(entry[4], &length) != nil {
		return nil, errForm
	}
	if len(ref) != 2 || json.Unmarshal(ref[1], &at) != nil || at < 0 || at >= len(n.heap) || len(n.heap[at]) < 2 || json.Unmarshal(n.heap[at][1], &text) != nil {
		return nil, errForm
	}
	data, err := base64.StdEncoding.DecodeString(text)
	if err != nil {
		return nil, errForm
	}
	for kind, of := range viewKinds {
		end := offset + length*viewSizes[kind]
		if of == name && offset >= 0 && length >= 0 && end >= offset && end <= len(data) {
			view, err := form("b", base64.StdEncoding.EncodeToString(data[offset:end]), "k", kind)
			if err != nil {
				return nil, err
			}
			return form("ta", view)
		}
	}
	return nil, errors.New("a " + name)
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

// flattener writes Playwright's form of a value as the flat one.
type flattener struct {
	heap  [][]any
	refs  map[int]int // from Playwright's numbers
	depth int
}

func (f *flattener) field(plain, encoded json.RawMessage) (json.RawMessage, error) {
	var slot any
	var err error
	switch {
	case len(encoded) > 0:
		slot, err = f.encoded(encoded)
	case len(plain) > 0:
		slot, err = f.plain(plain)
	default:
		slot = []string{"undefined"}
	}
	if err != nil {
		return nil, err
	}
	return marshal(slot)
}

// enter bounds how deep a value is.
func (f *flattener) enter() error {
	if f.depth++; f.depth > 2*maxNested {
		return fmt.Errorf("a value that is nested deeper than %d", 2*maxNested)
	}
	return nil
}

func (f *flattener) put(entry ...any) (any, int) {
	f.heap = append(f.heap, entry)
	return []any{"ref", len(f.heap) - 1}, len(f.heap) - 1
}

// plain is a value of JSON.
func (f *flattener) plain(data json.RawMessage) (any, error) {
	if err := f.enter(); err != nil {
		return nil, err
	}
	defer func() { f.depth-- }()
	switch data = bytes.TrimSpace(data); data[0] {
	case '[':
		var items []json.RawMessage
		if err := json.Unmarshal(data, &items); err != nil {
			return nil, errForm
		}
		ref, at := f.put("list", nil)
		return ref, f.list(at, items, f.plain)
	case '{':
		names, values, err := members(data)
		if err != nil {
			return nil, err
		}
		ref, at := f.put("object", nil)
		return ref, f.object(at, names, values, f.plain)
	}
	return data, nil
}

func (f *flattener) list(at int, items []json.RawMessage, as func(json.RawMessage) (any, error)) error {
	list := []any{}
	for _, item := range items {
		slot, err := as(item)
		if err != nil {
			return err
		}
		list = append(list, slot)
	}
	f.heap[at][1] = list
	return nil
}

func (f *flattener) object(at int, names, values []json.RawMessage, as func(json.RawMessage) (any, error)) error {
	list := []any{}
	for i, name := range names {
		slot, err := as(values[i])
		if err != nil {
			return err
		}
		list = append(list, name, slot)
	}
	f.heap[at][1] = list
	return nil
}

// members reads an object with its names as they were written: Go has no half surrogates.
func members(data json.RawMessage) (names, values []json.RawMessage, err error) {
	d := json.NewDecoder(bytes.NewReader(data))
	if _, err := d.Token(); err != nil {
		return nil, nil, errForm
	}
	for d.More() {
		begin := d.InputOffset()
		if _, err := d.Token(); err != nil {
			return nil, nil, errForm
		}
		name := bytes.TrimLeft(data[begin:d.InputOffset()], ", \t\r\n")
		var value json.RawMessage
		if err := d.Decode(&value); err != nil {
			return nil, nil, errForm
		}
		names, values = append(names, json.RawMessage(name)), append(values, value)
	}
	return names, values, nil
}

// encoded is a value of Playwright's form.
func (f *flattener) encoded(data json.RawMessage) (any, error) {
	if err := f.enter(); err != nil {
		return nil, err
	}
	defer func() { f.depth-- }()
	if data = bytes.TrimSpace(data); data[0] != '{' {
		if data[0] == '[' {
			return nil, errForm
		}
		return data, nil
	}
	var of struct {
		V, D, BI *string
		U, H     json.RawMessage
		Ref      *int
		ID       int
		A        *[]json.RawMessage
		O        *[]struct{ K, V json.RawMessage }
		R        *struct{ P, F json.RawMessage }
		E        *struct{ N, M, S json.RawMessage }
		TA       *struct{ B, K string }
		AB       *struct{ B string }
	}
	if json.Unmarshal(data, &of) != nil {
		return nil, errForm
	}
	switch {
	case of.Ref != nil:
		at, known := f.refs[*of.Ref]
		if !known {
			return nil, errForm
		}
		return []any{"ref", at}, nil
	case of.V != nil:
		switch *of.V {
		case "null":
			return nil, nil
		case "undefined":
			return []string{"undefined"}, nil
		}
		return []string{"number", *of.V}, nil
	case of.BI != nil:
		return []string{"bigint", *of.BI}, nil
	case of.D != nil:
		at, err := time.Parse(time.RFC3339Nano, *of.D)
		if err != nil {
			return nil, errors.New("a date that is none")
		}
		ref, _ := f.put("date", at.UnixMilli())
		return ref, nil
	case of.R != nil:
		ref, _ := f.put("regexp", of.R.P, of.R.F)
		return ref, nil
	case of.E != nil:
		ref, _ := f.put("error", of.E.N, of.E.M, of.E.S, []any{})
		return ref, nil
	case of.AB != nil:
		ref, _ := f.put("buffer", of.AB.B)
		return ref, nil
	case of.TA != nil:
		data, err := base64.StdEncoding.DecodeString(of.TA.B)
		size := viewSizes[of.TA.K]
		if err != nil || size == 0 || len(data)%size != 0 {
			return nil, errForm
		}
		buffer, _ := f.put("buffer", of.TA.B)
		ref, _ := f.put("view", viewKinds[of.TA.K], buffer, 0, len(data)/size)
		return ref, nil
	case of.A != nil:
		ref, at := f.put("list", nil)
		f.refs[of.ID] = at
		return ref, f.list(at, *of.A, f.encoded)
	case of.O != nil:
		ref, at := f.put("object", nil)
		f.refs[of.ID] = at
		var names, values []json.RawMessage
		for _, m := range *of.O {
			if len(m.K) == 0 || len(m.V) == 0 {
				return nil, errForm
			}
			names, values = append(names, m.K), append(values, m.V)
		}
		return ref, f.object(at, names, values, f.encoded)
	case len(of.U) > 0:
		return nil, errors.New("a URL, which no database holds")
	}
	return nil, errForm
}
