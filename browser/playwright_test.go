package browser_test

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/go-reprise/reprise/browser"
)

// foreign is a storageState with all that one of Playwright's may have.
const foreign = `{"cookies": [
	{"name": "session", "value": "CANARY", "domain": ".shop.example", "path": "/", "expires": -1, "httpOnly": true, "secure": true, "sameSite": "Lax"},
	{"name": "part", "value": "CANARY", "domain": "shop.example", "path": "/", "expires": 99999999999, "httpOnly": false, "secure": true, "sameSite": "None", "partitionKey": "https://top.example", "_crHasCrossSiteAncestor": true, "extra": 1},
	{"name": "old", "value": "CANARY", "domain": "shop.example", "path": "/", "expires": 1700000000, "httpOnly": false, "secure": true, "sameSite": "Lax"},
	{"name": "other", "value": "CANARY", "domain": "evil.example", "path": "/", "expires": -1, "httpOnly": false, "secure": true, "sameSite": "Lax"},
	{"name": "bad", "value": 1, "domain": "shop.example"}],
	"origins": [{"origin": "https://shop.example", "localStorage": [{"name": "half \ud800", "value": "<b>\udc00"}], "sessionStorage": [{"name": "tab", "value": "CANARY"}], "opfs": [{"path": "a"}], "more": 1,
		"indexedDB": [{"name": "db", "version": 2, "stores": [{"name": "of", "autoIncrement": true, "records": [
			{"key": 1, "value": {"plain \ud800": ["CANARY", null, {"a": 1.50}]}},
			{"key": "k", "valueEncoded": {"o": [{"k": "self", "v": {"ref": 1}}, {"k": "d", "v": {"d": "2026-01-02T03:04:05.678Z"}}, {"k": "b", "v": {"ta": {"b": "AAECAw==", "k": "ui16"}}}], "id": 1}},
			{"keyEncoded": {"d": "2026-01-02T03:04:05.678Z"}, "valueEncoded": {"u": "https://shop.example"}},
			{"key": 2, "valueEncoded": {"ref": 9}}],
			"indexes": [{"name": "i", "keyPathArray": ["x", "y"], "multiEntry": false, "unique": true}]}]}]},
		{"origin": "https://evil.example", "localStorage": [{"name": "a", "value": "CANARY"}]}],
	"version": 1}`

func TestAStorageStateOfPlaywrightsIsRead(t *testing.T) {
	t.Parallel()
	l, lost, err := browser.ReadPlaywright([]byte(foreign), "https://shop.example")
	if err != nil {
		t.Fatal(err)
	}
	if l.Cookies() != 2 || l.Stored() != 2 || l.Records() != 2 {
		t.Errorf("it has %d cookies, %d items and %d records, want 2, 2 and 2", l.Cookies(), l.Stored(), l.Records())
	}
	want := []string{
		`"version": it is no part of a storageState`, `"more" of https://shop.example: it is no part of a storageState`, `cookie 2: its field "extra"`,
		`cookie 5: its value is not what it should be`, `cookie 5: it is no cookie`, `cookie "old" of shop.example: it has run out`, `cookie "other" of evil.example: it is of none of the origins`,
		`files of https://shop.example: a login has none of the origin private file system`,
		`store "of" of database "db" of https://shop.example: a record with a URL, which no database holds`, `store "of" of database "db" of https://shop.example: a record with a value of no known form`,
		`storage of https://evil.example: it is none of the origins`,
	}
	var got []string
	for _, loss := range lost {
		got = append(got, loss.String())
	}
	if strings.Join(got, "\n") != strings.Join(want, "\n") {
		t.Errorf("what is lost:\n%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
	text := l.Secret().Reveal()
	for _, part := range []string{`["half \ud800","<b>\udc00"]`, `["plain \ud800",["ref",1]]`, `1.50`, `["object",["self",["ref",0],"d",["ref",1],"b",["ref",3]]],["date",1767323045678],["buffer","AAECAw=="],["view","Uint16Array",["ref",2],0,2]`, `"topLevelSite":"https://top.example","hasCrossSiteAncestor":true`} {
		if !strings.Contains(text, part) {
			t.Errorf("there is no %s in\n%s", part, text)
		}
	}
	all, _, err := browser.ReadPlaywright([]byte(foreign))
	if err != nil || fmt.Sprint(all.Origins()) != "[https://evil.example https://shop.example]" {
		t.Errorf("without origins it is for %v: %v", all, err)
	}
}

func TestWhatIsNoStorageStateIsRefusedAndNotQuoted(t *testing.T) {
	t.Parallel()
	for what, text := range map[string]string{
		"nothing": "", "a text": `"CANARY"`, "a list": `["CANARY"]`, "another file": `{"CANARY": 1}`, "half of it": foreign[:200], "no cookies": `{"cookies": {"CANARY": 1}}`,
		"numbers in storage": strings.Replace(foreign, `"value": "<b>\udc00"`, `"value": 1`, 1), "a database of no version": strings.Replace(foreign, `"version": 2`, `"version": 0`, 1),
		"no origin": `{"cookies": [], "origins": [{"origin": "CANARY", "localStorage": []}]}`,
	} {
		_, _, err := browser.ReadPlaywright([]byte(text))
		if !errors.Is(err, browser.ErrBadLogin) || strings.Contains(err.Error(), "CANARY") {
			t.Errorf("%s: %v, want ErrBadLogin", what, err)
		}
	}
	if _, _, err := browser.ReadPlaywright([]byte(`{"cookies": [], "origins": []}`), "https://shop.example"); !errors.Is(err, browser.ErrNotSignedIn) {
		t.Errorf("an empty one: %v", err)
	}
	deep := strings.Replace(foreign, `["CANARY", null, {"a": 1.50}]`, strings.Repeat("[", 5000)+strings.Repeat("]", 5000), 1)
	if l, lost, err := browser.ReadPlaywright([]byte(deep), "https://shop.example"); err != nil || l.Records() != 1 || !strings.Contains(fmt.Sprint(lost), "nested deeper than 1000") {
		t.Errorf("a deep one: %v %v", lost, err)
	}
}

// What Playwright's form holds comes back as it was, and all else is named.
func loginsGoThroughPlaywrightsForm(t *testing.T, b *browser.Browser) {
	site := storageSite(t, "<p>site")
	p := openAs(t, b, nil, site)
	eval[bool](t, p, fillDatabase)
	eval[bool](t, p, `(sessionStorage.setItem("a", "b"), localStorage.setItem("half \ud800", "x"), document.cookie = "c=1", true)`)
	data, lost, err := capture(t, p, site).Playwright()
	if err != nil {
		t.Fatal(err)
	}
	store := `store "out" of database "half \ud800 and <markup>" of ` + site + ": a record with a "
	want := []string{
		`cookie "c" of 127.0.0.1: it says nothing of sameSite, and becomes Lax`, "session storage of " + site + ": Playwright has none: 1 items",
		store + "file", store + "blob", store + "boxed", store + "value that is nested deeper than 500", store + "map (2)", store + "date that is none", store + "buffer", store + "list with gaps or names", store + "DataView",
		strings.TrimSuffix(store, "a ") + "an error that has a cause",
	}
	got := map[string]bool{}
	for _, loss := range lost {
		got[loss.String()] = true
	}
	for _, line := range want {
		if !got[line] {
			t.Errorf("it is not said that %s is lost", line)
		}
		delete(got, line)
	}
	if len(got) > 0 {
		t.Errorf("what else is lost: %v", got)
	}
	all := strings.Split(eval[string](t, p, describeDatabase), "\n")
	l, lost, err := browser.ReadPlaywright(data)
	if err != nil || len(lost) > 0 {
		t.Fatalf("read again it lacks %v: %v", lost, err)
	}
	now := eval[string](t, openAs(t, b, l, site), describeDatabase)
	for _, line := range strings.Split(now, "\n") {
		if !strings.Contains(strings.Join(all, "\n"), line) {
			t.Errorf("there is another line: %.300s", line)
		}
	}
	if n := strings.Count(now, "\n"); n < 20 {
		t.Errorf("%d lines are left of %d", n, len(all)-1)
	}
}
