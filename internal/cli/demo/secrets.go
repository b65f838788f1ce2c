package demo

import (
	"bytes"
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"io/fs"
	"net/url"
	"os"
	"path/filepath"
)

// holdsNoPassword looks for the passwords in every file of the store.
func (d *demo) holdsNoPassword() (Check, error) {
	c := Check{What: "no password is in any file that was stored", OK: true}
	if d.Dir == "" {
		c.What = "the files were not searched for passwords: the store is no directory"
		return c, nil
	}
	var forms [][]byte
	for _, account := range d.site.Accounts() {
		forms = append(forms, formsOf(account.Password)...)
	}
	err := filepath.WalkDir(d.Dir, func(path string, entry fs.DirEntry, err error) error {
		if err != nil || !entry.Type().IsRegular() {
			return err
		}
		text, err := os.ReadFile(path)
		for _, form := range forms {
			if bytes.Contains(bytes.ToLower(text), form) {
				c.OK = false
			}
		}
		return err
	})
	return c, err
}

// formsOf returns a secret as it is and in the encodings that would hide it, in lower case.
func formsOf(secret string) [][]byte {
	quoted, _ := json.Marshal(secret) // a string always has a form
	forms := []string{secret, url.QueryEscape(secret), url.PathEscape(secret), hex.EncodeToString([]byte(secret)), string(quoted[1 : len(quoted)-1])}
	for before := range 3 { // base64 begins a group at every third byte
		text := base64.RawStdEncoding.EncodeToString(append(make([]byte, before), secret...))
		forms = append(forms, text[before*8/6+1:len(text)-2])
	}
	lower := make([][]byte, len(forms))
	for i, form := range forms {
		lower[i] = bytes.ToLower([]byte(form))
	}
	return lower
}
