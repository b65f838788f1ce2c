package store

import (
	"net/url"
	"regexp"
	"strings"
	"unicode/utf8"
)

const (
	documentExt = ".json"
	// The usual limit of a file name is 255 bytes; the temporary name beside it
	// has a dot before and up to 19 digits after.
	maxFileName = 255 - 1 - 19
	// What stands for itself in a file name, beside digits and lower-case
	// letters. Everything else is percent-encoded: capitals, because some file
	// systems do not tell them from small letters, and what is not ASCII,
	// because some write it in another normal form.
	plainInNames = "@.-_+"
)

// The names that automation allows. They are checked again before one becomes
// part of a path.
var namePattern = regexp.MustCompile(`^[a-z][a-z0-9-]{0,50}$`)

// fileName gives the file of an automation: NAME.json or NAME@ACCOUNT.json. It
// is one path element, and fileKey reads it back. The name is a valid one, so
// it has no @ in it.
func fileName(name, account string) (string, error) {
	if account == "" {
		return name + documentExt, nil
	}
	if !utf8.ValidString(account) {
		return "", &AccountError{account, "it is not valid UTF-8"}
	}
	file := name + "@" + escape(account) + documentExt
	if len(file) > maxFileName {
		return "", &AccountError{account, "it is too long for the name of a file: use a shorter label"}
	}
	return file, nil
}

// fileKey gives the name and account that a file name stands for; ok is false
// when fileName would not have made it.
func fileKey(file string) (name, account string, ok bool) {
	base, ok := strings.CutSuffix(file, documentExt)
	if !ok {
		return "", "", false
	}
	name, escaped, _ := strings.Cut(base, "@")
	account, err := url.PathUnescape(escaped)
	if err != nil {
		return name, escaped, false
	}
	again, err := fileName(name, account)
	return name, account, err == nil && again == file && namePattern.MatchString(name)
}

func escape(s string) string {
	const hex = "0123456789ABCDEF"
	var b strings.Builder
	for i := range len(s) {
		c := s[i]
		if c >= 'a' && c <= 'z' || c >= '0' && c <= '9' || strings.IndexByte(plainInNames, c) >= 0 {
			b.WriteByte(c)
			continue
		}
		b.Write([]byte{'%', hex[c>>4], hex[c&15]})
	}
	return b.String()
}
