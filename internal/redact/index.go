// Package redact finds and removes pieces of secrets in text, plain or encoded.
//
// A piece is six characters of a secret in a row. An Index holds keyed hashes of
// the pieces of each secret, in every encoding of forms.go, and scans a text with
// rolling hashes: one pass for each length of piece, whatever the number of secrets.
// The page script has the same scan (internal/page/src/secret/pieces.ts), so hashes can
// travel into documents where the secret itself must not go.
package redact

import (
	"crypto/rand"
	"encoding/binary"
	"slices"
	"strings"
)

// Mark stands where a piece of a secret stood.
const Mark = "[secret]"

const (
	// minPiece is the length of a piece in characters. A shorter secret is found
	// only whole.
	minPiece = 6
	// minSecret is the length of the shortest secret that is looked for: shorter
	// ones are in every text.
	minSecret = 3
)

// Key makes the hashes of one Index differ from those of another: the bases of its
// two rolling hashes.
type Key [2]uint32

// NewKey returns a random key.
func NewKey() Key {
	var b [8]byte
	_, _ = rand.Read(b[:]) // never fails: crypto/rand ends the program instead
	return Key{binary.LittleEndian.Uint32(b[:4]) | 1, binary.LittleEndian.Uint32(b[4:]) | 1}
}

// view is a way to read a text.
type view int

const (
	folded view = iota // its letters and digits, in lower case: separators do not count
	joined             // all of it but white space, in lower case
	views
)

// Index is a set of secrets, as the hashes of their pieces. The nil Index is empty.
// It is safe for concurrent use once it is made.
type Index struct {
	key    Key
	hashes [views]map[int]map[uint64]struct{} // by the length of the piece
}

// New returns the Index of secrets. Those shorter than three characters are left out.
func New(secrets ...string) *Index { return NewWithKey(NewKey(), secrets...) }

// NewWithKey is New with the key of another Index.
func NewWithKey(key Key, secrets ...string) *Index {
	ix := &Index{key: key}
	for _, secret := range secrets {
		for _, f := range formsOf(secret) {
			ix.add(f)
		}
	}
	return ix
}

func (ix *Index) add(f form) {
	points := read(f.text, f.view).points
	if len(points) < f.length {
		return
	}
	for _, h := range ix.key.roll(points, f.length) {
		ix.insert(f.view, f.length, h)
	}
}

func (ix *Index) insert(v view, length int, h uint64) {
	if ix.hashes[v] == nil {
		ix.hashes[v] = map[int]map[uint64]struct{}{}
	}
	if ix.hashes[v][length] == nil {
		ix.hashes[v][length] = map[uint64]struct{}{}
	}
	ix.hashes[v][length][h] = struct{}{}
}

// Hashes are an Index as a page script takes and sends it.
type Hashes struct {
	Key    Key              `json:"key"`
	Folded map[int][]uint64 `json:"folded,omitempty"`
	Joined map[int][]uint64 `json:"joined,omitempty"`
}

// Hashes returns the hashes of ix.
func (ix *Index) Hashes() Hashes {
	if ix == nil {
		return Hashes{}
	}
	return Hashes{Key: ix.key, Folded: listed(ix.hashes[folded]), Joined: listed(ix.hashes[joined])}
}

func listed(sets map[int]map[uint64]struct{}) map[int][]uint64 {
	lists := map[int][]uint64{}
	for length, set := range sets {
		for h := range set {
			lists[length] = append(lists[length], h)
		}
		slices.Sort(lists[length]) // the order tells nothing of the secret
	}
	return lists
}

const (
	maxLength = 64        // of a piece that a page script sends
	maxHashes = 1_000_000 // of one Index
)

// Add adds hashes that a page script has sent, of the same key. It reports whether
// they were taken: what comes from a page is bounded.
func (ix *Index) Add(h Hashes) bool {
	if h.Key != ix.key {
		return false
	}
	for v, lists := range map[view]map[int][]uint64{folded: h.Folded, joined: h.Joined} {
		for length, hashes := range lists {
			if length < minSecret || length > maxLength || ix.size()+len(hashes) > maxHashes {
				return false
			}
			for _, one := range hashes {
				ix.insert(v, length, one)
			}
		}
	}
	return true
}

func (ix *Index) size() (n int) {
	for _, sets := range ix.hashes {
		for _, set := range sets {
			n += len(set)
		}
	}
	return n
}

// Empty reports whether ix finds nothing.
func (ix *Index) Empty() bool { return ix == nil || ix.size() == 0 }

// In reports whether a text has a piece of a secret.
func (ix *Index) In(text string) bool {
	found := false
	ix.find(text, func(int, int) bool {
		found = true
		return false
	})
	return found
}

// Text returns a text with Mark in place of each run of pieces.
func (ix *Index) Text(text string) string {
	var spans [][2]int
	ix.find(text, func(from, to int) bool {
		spans = append(spans, [2]int{from, to})
		return true
	})
	if spans == nil {
		return text
	}
	slices.SortFunc(spans, func(a, b [2]int) int { return a[0] - b[0] })
	var out strings.Builder
	done := 0 // of the text, up to here
	for i := 0; i < len(spans); {
		from, to := spans[i][0], spans[i][1]
		for i++; i < len(spans) && spans[i][0] <= to; i++ {
			to = max(to, spans[i][1])
		}
		out.WriteString(text[done:from] + Mark)
		done = to
	}
	return out.String() + text[done:]
}

// find calls found with the bytes of each piece, until that returns false.
func (ix *Index) find(text string, found func(from, to int) bool) {
	if ix == nil {
		return
	}
	for v := range views {
		if len(ix.hashes[v]) == 0 {
			continue
		}
		is := read(text, v)
		for length, set := range ix.hashes[v] {
			for at, h := range ix.key.roll(is.points, length) {
				if _, hit := set[h]; hit && !found(is.from[at], is.to[at+length-1]) {
					return
				}
			}
		}
	}
}

// roll yields the hash of each window of a length, by where it begins: two polynomial
// hashes, of which 53 bits are stored, as many as a number of JavaScript holds.
func (k Key) roll(points []rune, length int) func(func(int, uint64) bool) {
	return func(yield func(int, uint64) bool) {
		var a, b uint32
		leadA, leadB := uint32(1), uint32(1) // the weight of what leaves the window
		for range length {
			leadA, leadB = leadA*k[0], leadB*k[1]
		}
		for i, p := range points {
			c := uint32(p) + 1
			a, b = a*k[0]+c, b*k[1]+c
			if i >= length {
				left := uint32(points[i-length]) + 1
				a, b = a-left*leadA, b-left*leadB
			}
			if i >= length-1 && !yield(i-length+1, uint64(a)<<21|uint64(b>>11)) {
				return
			}
		}
	}
}
