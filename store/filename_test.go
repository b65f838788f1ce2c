package store

import (
	"errors"
	"strings"
	"testing"
	"unicode/utf8"

	"pgregory.net/rapid"

	"github.com/go-reprise/reprise/store/internal/files"
)

var (
	anyName    = rapid.StringMatching(`[a-z][a-z0-9-]{0,50}`)
	anyAccount = rapid.OneOf(rapid.String(), rapid.StringMatching(`[aA%./@é~ 24\\]{0,6}`))
)

func TestAFileNameIsReadBack(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		name, account := anyName.Draw(t, "name"), anyAccount.Draw(t, "account")
		file, err := fileName(name, account)
		if err != nil {
			var refused *AccountError
			if short := len(name)+3*len(account)+6 <= files.MaxName; short || !errors.As(err, &refused) {
				t.Fatalf("refused: %v", err)
			}
			return
		}
		if len(file) > files.MaxName || strings.ContainsAny(file, "/\\\x00:") || strings.HasPrefix(file, ".") {
			t.Fatalf("%q is not a safe file name", file)
		}
		n, a, ok := fileKey(file)
		if !ok || n != name || a != account {
			t.Fatalf("%q was read back as %q, %q, %v", file, n, a, ok)
		}
	})
}

func TestFileNamesDifferAlsoWithoutCase(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		one, two := anyAccount.Draw(t, "one"), anyAccount.Draw(t, "two")
		if rapid.Bool().Draw(t, "swap case") {
			two = strings.ToUpper(one)
		}
		a, errA := fileName("login", one)
		b, errB := fileName("login", two)
		if errA == nil && errB == nil && (one == two) != strings.EqualFold(a, b) {
			t.Fatalf("%q gives %q, and %q gives %q", one, a, two, b)
		}
	})
}

func TestOtherFileNamesAreNotRead(t *testing.T) {
	t.Parallel()
	for _, file := range []string{
		"", ".json", "login", "login.JSON", "Login.json", "login@.json", "login@A.json", "login@%41%.json",
		"login@%4a.json", "login@%61.json", "login@a b.json", "login@é.json", "login@%FF.json", "a_b.json",
		"../login.json", "login/x.json", strings.Repeat("a", 52) + ".json",
	} {
		if name, account, ok := fileKey(file); ok {
			t.Errorf("%q was read as %q, %q", file, name, account)
		}
	}
}

func TestAnAccountThatIsNoTextIsRefused(t *testing.T) {
	t.Parallel()
	var refused *AccountError
	if _, err := fileName("login", "a\xff"); !errors.As(err, &refused) {
		t.Errorf("got %v, want an AccountError", err)
	}
	if _, err := fileName("login", strings.Repeat("é", 200)); !errors.As(err, &refused) || !utf8.ValidString(err.Error()) {
		t.Errorf("got %v, want an AccountError", err)
	}
}

func TestRunIDsSortByTime(t *testing.T) {
	t.Parallel()
	seen := map[string]bool{}
	last := ""
	for range 1000 {
		id := NewRunID()
		if !idPattern.MatchString(id) || seen[id] {
			t.Fatalf("%q is not a new identifier", id)
		}
		seen[id] = true
		// Nine characters hold the first 45 of the 48 bits of time.
		if id[:9] < last {
			t.Fatalf("%s came after %s", id, last)
		}
		last = id[:9]
	}
}
