package browser_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/go-reprise/reprise/browser"
)

func TestWhatLooksLikeAKeyInALoginIsASecret(t *testing.T) {
	t.Parallel()
	cookie := func(value string, more string) string {
		return fmt.Sprintf(`{"name": "c%d", "value": %q, "domain": "shop.example", "path": "/"%s}`, len(value), value, more)
	}
	cookies := strings.Join([]string{
		cookie("hidden-one", `, "httpOnly": true`), cookie("tiny", `, "httpOnly": true`), cookie("f00dfacecafe1", ""), cookie("en-US", ""), cookie("accepted-all-of-it", ""),
	}, ",")
	storage := `{"origin": "https://shop.example", "items": [
		["plain", "abcdefgh12345678"], ["theme", "dark"], ["who", "ada1843@example.com"], ["at", "https://shop.example/orders/20261121"], ["words", "seen 12 of 14 hints"],
		["json", "{\"user\": {\"name\": \"Ada Lovelace\", \"access\": \"token-of-4711-4712\"}, \"again\": \"{\\\"refresh\\\": \\\"refresh-0815-0816\\\"}\", \"list\": [\"item-0001-0002\"]}"],
		["broken", "Girlitz<\"x12345"], ["twice", "abcdefgh12345678"]]}`
	l := read(t, state(shop, cookies, storage), "https://shop.example")
	var found []string
	for _, s := range l.Secrets() {
		found = append(found, s.Reveal())
		if !slices.Equal(s.Origins(), []string{"https://shop.example"}) {
			t.Errorf("one is for %v", s.Origins())
		}
	}
	slices.Sort(found)
	want := []string{`Girlitz<"x12345`, "abcdefgh12345678", "f00dfacecafe1", "hidden-one", "item-0001-0002", "refresh-0815-0816", "token-of-4711-4712"}
	if !slices.Equal(found, want) {
		t.Errorf("the secrets are %q, want %q", found, want)
	}
}

func ExampleStorageState_Secrets() {
	var l *browser.StorageState // that Page.StorageState gave, or ReadLogin
	for _, secret := range l.Secrets() {
		fmt.Println(secret) // [secret]
	}
}
