package browser_test

import (
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/go-reprise/reprise/browser"
)

// storageSite answers every address with one document.
func storageSite(t *testing.T, html string) string {
	t.Helper()
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "text/html; charset=utf-8")
		_, _ = fmt.Fprint(w, html)
	}))
	t.Cleanup(s.Close)
	return s.URL
}

// fillDatabase makes a database of everything that structured cloning carries, and
// describeDatabase says what is in it: of both browsers it must be the same.
const fillDatabase = `new Promise((resolve, reject) => {
	const request = indexedDB.open("half \ud800 and <markup>", 7);
	request.onerror = () => reject(request.error);
	request.onupgradeneeded = () => {
		const db = request.result;
		const inline = db.createObjectStore("inline", {keyPath: "id", autoIncrement: true});
		inline.createIndex("by name", "name", {unique: true});
		inline.createIndex("by tags", "tags", {multiEntry: true});
		db.createObjectStore("pair", {keyPath: ["a", "b.c"]});
		db.createObjectStore("out");
		db.createObjectStore("counted", {autoIncrement: true});
		db.createObjectStore("empty").createIndex("i", ["x", "y"]);
	};
	request.onsuccess = () => {
		const db = request.result, tx = db.transaction(db.objectStoreNames, "readwrite");
		tx.objectStore("inline").add({name: "ada", tags: ["a", "b"]});
		tx.objectStore("inline").add({id: 41, name: "grace", tags: ["b"]});
		tx.objectStore("pair").add({a: 1, b: {c: "x"}});
		tx.objectStore("counted").add("first");
		tx.objectStore("counted").add("ninth", 9);
		const out = tx.objectStore("out"), shared = {deep: {er: 1}}, cyclic = {shared, again: shared};
		cyclic.self = cyclic;
		const map = new Map([[shared, "by object"], ["set", new Set([1, "1", cyclic])]]), sparse = [1, , 3];
		map.set("itself", map);
		sparse.extra = "x";
		sparse.length = 9;
		let chain = null;
		for (let i = 0; i < 900; i++) chain = {chain};
		const buffer = new Uint8Array([0, 1, 254, 255, 4, 5, 6, 7]).buffer;
		const values = {
			cyclic: {cyclic, map}, sparse, chain, numbers: [0, -0, NaN, Infinity, -Infinity, 1e300, 0.1], big: -(2n ** 90n), none: [undefined, null, true],
			text: "half \udc00\ud800 \u2028 é 😀 \u0000", dates: [new Date(1234), new Date(NaN)], pattern: /a\/[b]"+/giu, views: [new Uint16Array(buffer, 2, 2), new DataView(buffer, 1, 3), new Float64Array([0.5, NaN]), new BigInt64Array([-5n]), buffer],
			resizable: new ArrayBuffer(4, {maxByteLength: 32}), blob: new Blob(["a\u0000é"], {type: "text/x"}), file: new File(["file"], "name \u00e9.txt", {type: "a/b", lastModified: 99}),
			errors: [new TypeError("bad", {cause: shared}), new Error("")], boxed: [Object(1), Object("s"), Object(false), Object(7n)], proto: JSON.parse('{"__proto__": {"polluted": 1}}'), empty: [{}, [], "", new Map(), new Set(), new ArrayBuffer(0)],
		};
		for (const [key, value] of Object.entries(values)) out.add(value, key);
		out.add("by date", new Date(77));
		out.add("by bytes", new Uint8Array([9, 8]).buffer);
		out.add("by list", [1, ["x", new Date(1)], -Infinity]);
		out.add("by half", "\ud800");
		tx.oncomplete = () => { db.close(); resolve(true); };
		tx.onabort = () => reject(tx.error);
	};
})`

const describeDatabase = `(async () => {
	const done = (r) => new Promise((resolve, reject) => { r.onsuccess = () => resolve(r.result); r.onerror = () => reject(r.error); });
	const describe = async (v, seen = new Map()) => {
		if (typeof v === "bigint") return v + "n";
		if (typeof v === "number") return Object.is(v, -0) ? "-0" : String(v);
		if (typeof v === "string") return JSON.stringify(v);
		if (v === null || typeof v !== "object") return String(v);
		if (seen.has(v)) return "#" + seen.get(v);
		seen.set(v, seen.size);
		const of = Object.prototype.toString.call(v), all = async (list) => { const parts = []; for (const item of list) parts.push(await describe(item, seen)); return of + "(" + parts + ")"; };
		if (Array.isArray(v)) return of + v.length + await all(Object.entries(v).flat());
		if (v instanceof Date) return of + v.getTime();
		if (v instanceof RegExp) return String(v);
		if (v instanceof Map) return all([...v].flat());
		if (v instanceof Set) return all([...v]);
		if (v instanceof ArrayBuffer) return of + v.resizable + v.maxByteLength + ":" + new Uint8Array(v);
		if (ArrayBuffer.isView(v)) return of + v.byteOffset + ":" + v.byteLength + await describe(v.buffer, seen);
		if (v instanceof Blob) return of + v.type + v.name + v.lastModified + ":" + await v.text();
		if (v instanceof Error) return of + Object.getPrototypeOf(v).name + v.message + v.stack + await describe(v.cause, seen);
		if (v instanceof Number || v instanceof String || v instanceof Boolean || v instanceof BigInt) return of + typeof v.valueOf() + v.valueOf();
		let deep = 0, end = v;
		while (end?.chain) { end = end.chain; deep++; }
		if (deep > 100) return "a chain of " + deep;
		return (Object.getPrototypeOf(v) === Object.prototype ? "" : "other") + await all(Object.entries(v).flat());
	};
	const lines = [];
	for (const {name, version} of await indexedDB.databases()) {
		const db = await done(indexedDB.open(name));
		lines.push(JSON.stringify([name, version, [...db.objectStoreNames]]));
		for (const storeName of db.objectStoreNames) {
			const tx = db.transaction(storeName), store = tx.objectStore(storeName);
			lines.push(JSON.stringify([storeName, store.keyPath, store.autoIncrement, ...[...store.indexNames].map((n) => store.index(n)).map((i) => [i.name, i.keyPath, i.unique, i.multiEntry])]));
			const [keys, values] = await Promise.all([done(store.getAllKeys()), done(store.getAll())]);
			for (let i = 0; i < keys.length; i++) lines.push(await describe(keys[i]) + " = " + await describe(values[i]));
			if (store.indexNames.contains("by tags")) lines.push("b: " + await done(db.transaction(storeName).objectStore(storeName).index("by tags").getAllKeys("b")));
		}
		if (db.objectStoreNames.contains("counted")) lines.push("next " + await done(db.transaction("counted", "readwrite").objectStore("counted").add("next")));
		db.close();
	}
	return lines.join("\n");
})()`

func databasesAreWhatTheyWere(t *testing.T, b *browser.Browser) {
	site := storageSite(t, "<p>site")
	p := openAs(t, b, nil, site)
	eval[bool](t, p, fillDatabase)
	l := capture(t, p, site)
	if l.Records() != 26 || len(l.Unread()) > 0 {
		t.Errorf("the login has %d records, and lacks %v", l.Records(), l.Unread())
	}
	want := eval[string](t, p, describeDatabase)
	if !strings.Contains(want, "a chain of 899") { // Chrome reads one that is too deep for its stack as null
		t.Error("there is no deep value: what follows proves nothing about one")
	}
	other := launch(t, nil)
	l, err := browser.ReadLogin(l.Secret())
	if err != nil {
		t.Fatal(err)
	}
	got := eval[string](t, openAs(t, other, l, site), describeDatabase)
	if got != want {
		wants := strings.Split(want, "\n")
		for i, line := range strings.Split(got, "\n") {
			if i < len(wants) && line != wants[i] {
				t.Errorf("in the other browser it is\n%.400s\nwant\n%.400s", line, wants[i])
			}
		}
		t.Errorf("%d lines, want %d", strings.Count(got, "\n"), len(wants)-1)
	}
}

func whatCannotLeaveIsNamed(t *testing.T, b *browser.Browser) {
	site := storageSite(t, "<p>site")
	p := openAs(t, b, nil, site)
	eval[bool](t, p, `(async () => {
		const db = await new Promise((resolve) => { const r = indexedDB.open("keys"); r.onupgradeneeded = () => r.result.createObjectStore("pairs"); r.onsuccess = () => resolve(r.result); });
		const make = (extractable) => crypto.subtle.generateKey({name: "ECDSA", namedCurve: "P-256"}, extractable, ["sign", "verify"]);
		const [closed, open] = [await make(false), await make(true)];
		const hmac = await crypto.subtle.generateKey({name: "HMAC", hash: "SHA-256"}, true, ["sign"]);
		const tx = db.transaction("pairs", "readwrite"), store = tx.objectStore("pairs");
		store.put({pair: closed}, "closed"); store.put({deep: [new DOMPoint(1, 2)]}, "point"); store.put(open, "open"); store.put([hmac], "hmac"); store.put("text", "text");
		return new Promise((resolve) => { tx.oncomplete = () => { db.close(); resolve(true); }; });
	})()`)
	l := capture(t, p, site)
	want := fmt.Sprintf(`[store "pairs" of database "keys" at %[1]s: CryptoKey that is not extractable (1) store "pairs" of database "keys" at %[1]s: DOMPoint (1)]`, site)
	if fmt.Sprint(l.Unread()) != want || l.Records() != 3 {
		t.Errorf("it has %d records and lacks %v, want 3 and %s", l.Records(), l.Unread(), want)
	}
	signs := eval[string](t, openAs(t, b, l, site), `(async () => {
		const db = await new Promise((resolve) => { const r = indexedDB.open("keys"); r.onsuccess = () => resolve(r.result); });
		const store = db.transaction("pairs").objectStore("pairs"), get = (k) => new Promise((resolve) => { const r = store.get(k); r.onsuccess = () => resolve(r.result); });
		const [open, [hmac], closed] = await Promise.all([get("open"), get("hmac"), get("closed")]), data = new Uint8Array(3), how = {name: "ECDSA", hash: "SHA-256"};
		const ok = await crypto.subtle.verify(how, open.publicKey, await crypto.subtle.sign(how, open.privateKey, data), data);
		return [ok, (await crypto.subtle.sign("HMAC", hmac, data)).byteLength, closed].join();
	})()`)
	if signs != "true,32," {
		t.Errorf("with the keys that are there: %s", signs)
	}
}

// A site may fill the disk; what is read of it is bounded, however it is laid out.
func tooLargeDatabasesAreNamed(t *testing.T, b *browser.Browser) {
	for what, fill := range map[string]string{
		"one text":      `store.put("x".repeat(17 << 20), 1)`,
		"many records":  `for (let i = 0; i < 40; i++) store.put("x".repeat(1 << 20), i)`,
		"bytes":         `store.put(new Uint8Array(13 << 20), 1)`,
		"a blob":        `store.put(new Blob([new Uint8Array(13 << 20)]), 1)`,
		"a wide object": `store.put(Object.fromEntries(Array.from({length: 1.5e6}, (_, i) => ["k" + i, i])), 1)`,
		"a long list":   `store.put(Array.from({length: 3e6}, () => ({})), 1)`,
	} {
		t.Run(what, func(t *testing.T) {
			t.Parallel()
			site := storageSite(t, "<p>site")
			p := openAs(t, b, nil, site)
			eval[bool](t, p, `new Promise((resolve) => {
				const r = indexedDB.open("huge");
				r.onupgradeneeded = () => r.result.createObjectStore("pile");
				r.onsuccess = () => { const tx = r.result.transaction("pile", "readwrite"), store = tx.objectStore("pile"); `+fill+`; tx.oncomplete = () => resolve(true); };
			})`)
			_, err := p.StorageState(within(t), site)
			if !errors.Is(err, browser.ErrLoginTooLarge) || !strings.Contains(err.Error(), fmt.Sprintf(`with the store "pile" of the database "huge" of %s it has more than 16 MiB`, site)) {
				t.Errorf("got %v", err)
			}
		})
	}
}

// Session storage is of one tab: what its first document sees, in any of the origins, also
// one that comes later, and no more than once.
func sessionStorageIsThereFirst(t *testing.T, b *browser.Browser) {
	const sees = `<script>const seen = [...Array(sessionStorage.length).keys()].map((i) => sessionStorage.key(i) + "=" + sessionStorage.getItem(sessionStorage.key(i)).charCodeAt(0)).sort().join()</script>`
	shop := storageSite(t, sees)
	inner := strings.Replace(storageSite(t, sees), "127.0.0.1", "in.shop.localhost", 1)
	outer := strings.Replace(storageSite(t, `<iframe src="`+inner+`/"></iframe>`+sees), "127.0.0.1", "shop.localhost", 1)
	p := openAs(t, b, nil, inner)
	eval[bool](t, p, `(sessionStorage.setItem("inner \ud800", "\udfff"), true)`)
	if err := p.Navigate(within(t), outer); err != nil {
		t.Fatal(err)
	}
	eval[bool](t, p, `(sessionStorage.setItem("outer", "x"), Storage.prototype.getItem = () => "tampered", new Promise((resolve) => { const seen = () => frames.length && resolve(true); addEventListener("load", seen); if (document.readyState === "complete") seen(); }))`)
	l := capture(t, p, outer, inner, shop)
	if l.Stored() != 2 || strings.Contains(l.Secret().Reveal(), "tampered") {
		t.Errorf("the login has %d items", l.Stored())
	}
	other := launch(t, nil)
	p = openAs(t, other, l, outer)
	for _, want := range []struct{ at, seen string }{{outer, "outer=120"}, {inner, "inner \ufffd=57343"}, {shop, ""}, {outer, "outer=120"}} {
		if err := p.Navigate(within(t), want.at); err != nil {
			t.Fatal(err)
		}
		if got := eval[string](t, p, `seen`); got != want.seen {
			t.Errorf("at %s the first script sees %q, want %q", want.at, got, want.seen)
		}
	}
	eval[bool](t, p, `(sessionStorage.clear(), true)`) // as a site does that signs out
	if err := p.Navigate(within(t), outer+"/again"); err != nil {
		t.Fatal(err)
	}
	if got := eval[string](t, p, `seen`); got != "" {
		t.Errorf("what the site had removed is back: %q", got)
	}
	if n := eval[int](t, openAs(t, other, l, outer), `history.length`); n != 1 && n != 2 {
		t.Errorf("the tab has been at %d places before", n)
	}
}

// What only the browser knows to be no database is refused, and leaves no page open.
func databasesOfNoFormAreNoLogin(t *testing.T, b *browser.Browser) {
	site := storageSite(t, "<p>site")
	for what, record := range map[string]string{
		"an unknown entry": `["k", ["ref", 0], [["CANARY"]]]`, "an entry of the language": `["k", ["ref", 0], [["constructor"]]]`, "an entry that is not there": `["k", ["ref", 7], []]`,
		"an object": `["k", {"CANARY": 1}, []]`, "no number": `["k", ["bigint", "CANARY"], []]`, "no view": `["k", ["ref", 0], [["view", "constructor", null, 0, 0]]]`, "no key": `[true, 1, []]`,
		"a view of no buffer": `["k", ["ref", 0], [["view", "Uint8Array", ["number", "1e300"], 0, 0]]]`,
	} {
		origin := fmt.Sprintf("[%q]", site)
		text := strings.Replace(state(origin, "", ""), `"format": 1`, `"format": 2, "databases": [`+strings.NewReplacer("https://shop.example", site, `["k", "CANARY", []]`, record).Replace(records)+`]`, 1)
		_, err := b.NewPageWithState(within(t), read(t, text, site), "")
		if !errors.Is(err, browser.ErrBadLogin) || !strings.Contains(err.Error(), "databases") || strings.Contains(err.Error(), "CANARY") {
			t.Errorf("%s: %v, want ErrBadLogin", what, err)
		}
	}
}
