package automation

import (
	"errors"
	"fmt"
	"strings"
)

// normalPath gives the path as a browser sends it: dot segments resolved, what
// is not ASCII percent-encoded. Encodings are otherwise left as they are, but
// for the case of their digits.
func normalPath(path string) (normal string, murky bool, err error) {
	if path == "" {
		return "/", false, nil
	}
	if plainPath(path) {
		return path, false, nil
	}
	encoded, murky, err := encodePath(path)
	if err != nil {
		return "", false, err
	}
	var kept []string
	segments := strings.Split(encoded[1:], "/")
	for i, segment := range segments {
		isLast := i == len(segments)-1
		switch dots(segment) {
		case 1:
		case 2:
			kept = kept[:max(0, len(kept)-1)]
		default:
			name, _, parameters := strings.Cut(segment, ";")
			murky = murky || parameters && dots(name) > 0
			kept = append(kept, segment)
			continue
		}
		if isLast {
			kept = append(kept, "")
		}
	}
	return "/" + strings.Join(kept, "/"), murky, nil
}

// plainPath is the usual case: nothing in it to resolve or to encode.
func plainPath(path string) bool {
	for i := 0; i < len(path); i++ {
		c := path[i]
		if !('a' <= c && c <= 'z' || 'A' <= c && c <= 'Z' || '0' <= c && c <= '9' || strings.IndexByte("/-_~", c) >= 0) {
			return false
		}
	}
	return path[0] == '/'
}

// dots counts the dots of a segment that is nothing but one or two dots.
func dots(segment string) int {
	if len(segment) > len("%2E%2E") {
		return 0
	}
	switch strings.ReplaceAll(segment, "%2E", ".") {
	case ".":
		return 1
	case "..":
		return 2
	}
	return 0
}

const upperHex = "0123456789ABCDEF"

func encodePath(path string) (encoded string, murky bool, err error) {
	if path[0] != '/' {
		return "", false, errors.New("has a backslash where the path begins")
	}
	var b strings.Builder
	for i := 0; i < len(path); i++ {
		c := path[i]
		switch {
		case c >= 0x80:
			b.Write([]byte{'%', upperHex[c>>4], upperHex[c&15]})
		case strings.IndexByte("\\\"<>^`{}", c) >= 0:
			return "", false, fmt.Errorf("the path holds %q", c)
		case c != '%':
			b.WriteByte(c)
		case i+2 >= len(path) || !isHex(path[i+1]) || !isHex(path[i+2]):
			return "", false, errors.New("the path holds a % that is not an encoding")
		default:
			code := strings.ToUpper(path[i : i+3])
			murky = murky || code[1] < '2' || code == "%7F" || code == "%2F" || code == "%5C" || code == "%25"
			b.WriteString(code)
			i += 2
		}
	}
	return b.String(), murky, nil
}

func isHex(c byte) bool {
	return '0' <= c && c <= '9' || 'a' <= c && c <= 'f' || 'A' <= c && c <= 'F'
}
