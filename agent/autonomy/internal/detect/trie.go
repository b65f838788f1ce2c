package detect

import (
	"bytes"
	"math"
	"slices"
	"unicode/utf8"
)

// trie holds phrases by their bytes, and what many of them begin with once. A walk
// takes at most as many steps as the longest phrase is long, so that a text is read in
// linear time. It is filled with add, and read after seal.
type trie struct {
	added map[string][]end // until it is sealed

	// The first two bytes are looked up, since nearly all walks end there; 0 is
	// no node.
	begins [256]bool // whether any begins with a byte
	first  firstWords
	one    [256]uint32 // of phrases of one byte, with nothing below
	two    [256]*[256]uint32

	nodes  []trieNode
	keys   []byte // of the nodes: the byte that leads to each from the one above
	tables [][256]uint8
	labels []byte
	ends   []end
}

// manyBelow is from where on a table is faster than a list.
const manyBelow = 4

// trieNode is where phrases part, or one ends.
type trieNode struct {
	label  uint32 // the bytes after its key that lead here, too: where they begin
	child  uint32 // the first of those below, which stand together
	end    uint32 // the first of its phrases
	length uint32 // of its label
	below  uint16 // how many nodes
	ended  uint16 // how many phrases
	table  uint32 // of those below, one more than their place among them; 0 is none
}

// end is the end of a phrase.
type end struct {
	class class
	open  bool // a word may go on after it
	first bool // it stands at the beginning of a sentence
	own   bool // it is a program's own
}

func (t *trie) add(key []byte, e end) {
	if len(key) == 0 {
		return
	}
	t.first.add(key, e.open)
	if t.added == nil {
		t.added = map[string][]end{}
	}
	if ends := t.added[string(key)]; !slices.Contains(ends, e) {
		t.added[string(key)] = append(ends, e)
	}
}

// seal lays out what was added.
func (t *trie) seal() {
	keys := make([]string, 0, len(t.added))
	for key := range t.added {
		keys = append(keys, key)
	}
	slices.Sort(keys)
	t.grow(1)
	for len(keys) > 0 {
		var same []string
		same, keys = cut(keys, 0)
		t.begin(same)
	}
	t.added = nil
}

// cut returns the sorted keys that have the same byte at a place, and the others.
func cut(keys []string, at int) (same, others []string) {
	n := 1
	for n < len(keys) && keys[n][at] == keys[0][at] {
		n++
	}
	return keys[:n], keys[n:]
}

// begin enters the keys of one first byte.
func (t *trie) begin(keys []string) {
	first := keys[0][0]
	t.begins[first] = true
	if len(keys[0]) == 1 {
		t.one[first] = t.grow(1)
		t.finish(t.one[first], keys[0])
		keys = keys[1:]
	}
	t.two[first] = new([256]uint32)
	for len(keys) > 0 {
		var same []string
		same, keys = cut(keys, 1)
		at := t.grow(1)
		t.two[first][same[0][1]] = at
		t.lay(at, same, 2)
	}
}

// lay makes a node of keys that are the same up to a place.
func (t *trie) lay(at uint32, keys []string, from int) {
	first, last := keys[0], keys[len(keys)-1]
	to := from
	for to < len(first) && first[to] == last[to] {
		to++ // what the first and the last have in common, all have
	}
	t.nodes[at].label, t.nodes[at].length = uint32(len(t.labels)), uint32(to-from)
	t.labels = append(t.labels, first[from:to]...)
	if len(first) == to {
		t.finish(at, first)
		keys = keys[1:]
	}
	var parts [][]string
	for len(keys) > 0 {
		var same []string
		same, keys = cut(keys, to)
		parts = append(parts, same)
	}
	child := t.grow(len(parts))
	t.nodes[at].child, t.nodes[at].below = child, uint16(len(parts))
	for i, part := range parts {
		t.keys[child+uint32(i)] = part[0][to]
		t.lay(child+uint32(i), part, to+1)
	}
	if len(parts) >= manyBelow {
		t.tabulate(&t.nodes[at])
	}
}

// tabulate returns a node a table of those below it.
func (t *trie) tabulate(node *trieNode) {
	if len(t.tables) == 0 {
		t.tables = append(t.tables, [256]uint8{}) // none
	}
	var table [256]uint8
	for i, key := range t.keys[node.child:][:node.below] {
		table[key] = uint8(i + 1)
	}
	node.table, t.tables = uint32(len(t.tables)), append(t.tables, table)
}

// grow adds nodes, and returns the first.
func (t *trie) grow(n int) uint32 {
	at := len(t.nodes)
	t.nodes, t.keys = append(t.nodes, make([]trieNode, n)...), append(t.keys, make([]byte, n)...)
	return uint32(at)
}

// finish lets a phrase end at a node.
func (t *trie) finish(at uint32, key string) {
	ends := t.added[key]
	t.nodes[at].end, t.nodes[at].ended = uint32(len(t.ends)), uint16(len(ends))
	t.ends = append(t.ends, ends...)
}

// starts is false where no phrase begins with the first two bytes of b.
func (t *trie) starts(b []byte) bool {
	if !t.begins[b[0]] {
		return false
	}
	return len(b) == 1 || t.one[b[0]] != 0 || t.two[b[0]][b[1]] != 0
}

// walk calls found for each phrase that b begins with, and its length, the shortest
// first.
func (t *trie) walk(b []byte, found func(e *end, n int)) {
	if at := t.one[b[0]]; at != 0 {
		t.report(&t.nodes[at], 1, found)
	}
	second := t.two[b[0]]
	if second == nil || len(b) == 1 {
		return
	}
	at := second[b[1]]
	for n := 2; at != 0; n++ {
		node := &t.nodes[at]
		if node.length > 0 {
			label := t.labels[node.label:][:node.length]
			if !bytes.HasPrefix(b[n:], label) {
				return
			}
			n += len(label)
		}
		if node.ended > 0 {
			t.report(node, n, found)
		}
		if n == len(b) {
			return
		}
		at = t.below(node, b[n])
	}
}

// below is the node to which a byte leads; 0 is none.
func (t *trie) below(node *trieNode, c byte) uint32 {
	if node.table != 0 {
		if i := t.tables[node.table][c]; i != 0 {
			return node.child + uint32(i-1)
		}
		return 0
	}
	for i, key := range t.keys[node.child:][:node.below] {
		if key == c {
			return node.child + uint32(i)
		}
	}
	return 0
}

// report calls found for each phrase that ends at a node.
func (t *trie) report(node *trieNode, n int, found func(e *end, n int)) {
	for i := range node.ended {
		found(&t.ends[node.end+uint32(i)], n)
	}
}

// bitset holds some of many numbers: where it does not hold one, nothing needs to be looked
// for. Now and then it holds one too many, which does no harm.
type bitset [1 << bitsetBits / 64]uint64

const bitsetBits = 16 // so few stay in the cache

// bitOf is where the bit of a number is.
func bitOf(hash uint32) uint32 { return hash * 0x9E3779B1 >> (32 - bitsetBits) }

func (s *bitset) set(hash uint32) {
	bit := bitOf(hash)
	s[bit/64] |= 1 << (bit % 64)
}

func (s *bitset) has(hash uint32) bool { return s.at(bitOf(hash))&1 != 0 }

// at has the bit at a place as its lowest.
func (s *bitset) at(bit uint32) uint64 { return s[bit/64] >> (bit % 64) }

// firstWords are what phrases begin with: two words, or one alone. Most of a text begins
// none, and is known by its hashes to begin none.
type firstWords struct{ bitset }

const (
	ofRoot      = asPrefix   // distinguishes roots from stems
	ofBeginning = 0x27D4EB2F // and what is shorter than both
)

// has reports whether one of the bits is set of what a phrase may begin with.
func (f *firstWords) has(two, stem, root, short, part uint32) bool {
	return (f.at(two)|f.at(stem)|f.at(root)|f.at(short)|f.at(part))&1 != 0
}

// beginning is a number for the first two letters of a word.
func beginning(word []byte) uint32 {
	if len(word) > 1 && word[0] < utf8.RuneSelf && word[1] < utf8.RuneSelf {
		return uint32(word[0])<<8 ^ uint32(word[1]) ^ ofBeginning
	}
	first, size := runeAt(word, 0)
	second := rune(0)
	if size < len(word) {
		second, _ = runeAt(word, size)
	}
	return uint32(first)<<8 ^ uint32(second) ^ ofBeginning
}

// add takes in a phrase; open is whether a word may go on after it.
func (f *firstWords) add(key []byte, open bool) {
	words := tokens(nil, key)
	if len(words) == 0 || words[0].start > 0 {
		return
	}
	first := &words[0]
	switch {
	case len(words) > 1 && sameStem(key, &words[1], open):
		f.set(join(first.stem, words[1].stem))
	case int(first.end) < len(key) || sameStem(key, first, open):
		f.set(first.stem)
	case utf8.RuneCount(key) > 1:
		f.set(hashOfBeginning(first, key))
	default: // any word may be meant
		for i := range f.bitset {
			f.bitset[i] = math.MaxUint64
		}
	}
}

// hashOfBeginning is one of the three hashes of each word that begins like this one: that of
// its stem, its root, or its first two letters.
func hashOfBeginning(t *token, word []byte) uint32 {
	switch {
	case t.stem != tokenDigit && utf8.RuneCount(word) >= stemLength:
		return t.stem
	case t.root != 0:
		return t.root ^ ofRoot
	}
	return beginning(word)
}

// sameStem reports whether a text that begins with a phrase has the same stem there as this word
// of it has.
func sameStem(key []byte, t *token, open bool) bool {
	if int(t.end) < len(key) {
		return key[t.end] != '\''
	}
	return !open || t.mark || t.wide || t.stem != tokenDigit && utf8.RuneCount(key[t.start:t.end]) >= stemLength
}
