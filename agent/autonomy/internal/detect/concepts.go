package detect

import (
	"embed"
	"fmt"
	"path"
	"slices"
	"strings"
	"sync"
	"unicode/utf8"
)

// What words mean, a file a language: a line is a concept and the words that speak of
// it, in lower case. "*" after a word stands for any ending; what is quoted is several
// words.
//
//go:embed concepts/*.txt
var conceptFiles embed.FS

// concepts are those that words speak of, each a bit by its place in conceptNames.
type concepts uint64

var conceptNames = [...]string{
	"approve", "decide", "wait", "block", "missing", "need", "tell", "give", "check", "you",
	"someone", "self", "other", "resume", "ready", "ambiguous", "assume", "done", "acted", "doing",
	"later", "condition", "optional", "offer", "fail", "workaround", "quote", "document", "polite", "payment",
	"credentials", "consent", "destructive", "question", negationName, "doubt", "only", "deadline", "responsibility", "report",
}

const negationName = "negation"

var negation = concepts(1) << slices.Index(conceptNames[:], negationName)

// goesOn marks the beginning of several words.
const goesOn concepts = 1 << 63

// lexicon finds the concepts of words, by the hashes that words have anyway.
type lexicon struct {
	known bitset     // of the keys: most words are asked for in vain
	begun bitset     // of what beginnings begin with: a stem, a root, or two letters
	short [256]bool  // the first bytes of beginnings of two letters or three
	table []entry    // open addressing
	sets  []concepts // what keys mean; the first is nothing
	keys  int
}

// entry is small, since each word of a text is looked for.
type entry struct {
	key uint32
	set uint16 // what it means
}

const (
	tableBits = 14 // English and Japanese have eight thousand keys together
	afterWord = 0x00012345
	asPrefix  = 0x5BD1E995
)

// lexicons are made when a language is first met. English is part of each: what is
// named in it stands in answers of every language.
var lexicons = func() (all [len(languages)]func() *lexicon) {
	for i, name := range languages {
		all[i] = sync.OnceValue(func() *lexicon {
			x := newLexicon()
			for _, n := range slices.Compact([]string{languages[english], name}) {
				data, err := conceptFiles.ReadFile(path.Join("concepts", n+".txt"))
				if err == nil {
					err = x.read(string(data))
				}
				if err != nil {
					panic(fmt.Sprintf("%s: %v", n, err)) // they are part of the program
				}
			}
			return x
		})
	}
	return all
}()

func newLexicon() *lexicon {
	return &lexicon{table: make([]entry, 1<<tableBits), sets: make([]concepts, 1)}
}

func (x *lexicon) read(file string) error {
	for line := range strings.Lines(file) {
		name, list, _ := strings.Cut(strings.TrimSpace(line), ":")
		c := slices.Index(conceptNames[:], name)
		if c < 0 {
			return fmt.Errorf("%q is no concept", name)
		}
		for _, item := range conceptItems(list) {
			x.add(1<<c, item)
		}
		if x.keys > len(x.table)*3/4 {
			return fmt.Errorf("more than %d words: let tableBits be more", x.keys)
		}
	}
	return nil
}

// conceptItems splits a list at the spaces that are not quoted.
func conceptItems(list string) []string {
	var items []string
	for i, part := range strings.Split(list, `"`) {
		if i%2 == 1 {
			items = append(items, part)
		} else {
			items = append(items, strings.Fields(part)...)
		}
	}
	return items
}

func (x *lexicon) add(c concepts, item string) {
	stem, open := strings.CutSuffix(item, "*")
	key := normalise(nil, []byte(stem))
	words := tokens(nil, key)
	if open && len(words) == 1 && !words[0].wide {
		h := uint32(hashStart)
		for _, r := range string(key) {
			h = (h ^ uint32(r)) * hashPrime
		}
		x.begun.set(hashOfBeginning(&words[0], key))
		x.short[key[0]] = x.short[key[0]] || words[0].root == 0
		x.put(h^asPrefix, c)
		return
	}
	h := uint32(afterWord)
	for i, w := range words {
		h = join(h, w.word)
		if i+1 < len(words) {
			x.put(h, goesOn)
		} else {
			x.put(h, c)
		}
	}
}

func (x *lexicon) put(key uint32, c concepts) {
	x.known.set(key)
	at := key >> (32 - tableBits)
	for x.table[at].set != 0 && x.table[at].key != key {
		at = (at + 1) % (1 << tableBits)
	}
	if x.table[at].set == 0 {
		x.keys++
	}
	x.table[at] = entry{key, x.setOf(x.sets[x.table[at].set] | c)}
}

// setOf is the number of what a key means.
func (x *lexicon) setOf(c concepts) uint16 {
	at := slices.Index(x.sets, c)
	if at < 0 {
		at, x.sets = len(x.sets), append(x.sets, c)
	}
	return uint16(at)
}

// find is what a key means.
func (x *lexicon) find(key uint32) concepts {
	if !x.known.has(key) {
		return 0
	}
	for at := key >> (32 - tableBits); x.table[at].set != 0; at = (at + 1) % (1 << tableBits) {
		if x.table[at].key == key {
			return x.sets[x.table[at].set]
		}
	}
	return 0
}

// whole is what a word means.
func (x *lexicon) whole(hash uint32) concepts { return x.find(join(afterWord, hash)) &^ goesOn }

// mayBegin is false where nothing begins with a beginning of a word.
func (x *lexicon) mayBegin(t *token, word []byte) bool {
	return x.begun.has(t.stem) || x.begun.has(t.root^ofRoot) || x.short[word[0]] && x.begun.has(beginning(word))
}

// beginnings is what those of a word mean, and of its parts between apostrophes, which are
// words, too.
func (x *lexicon) beginnings(word []byte, parts bool) concepts {
	says, part := concepts(0), uint32(hashStart)
	for i, n := 0, 0; i < len(word); n++ {
		r, size := rune(word[i]), 1
		if r >= utf8.RuneSelf {
			r, size = runeAt(word, i)
		}
		i += size
		if part = (part ^ uint32(r)) * hashPrime; n > 0 {
			says |= x.find(part ^ asPrefix)
		}
		if r == '\'' {
			says |= x.whole(part)
			part = hashStart
		}
	}
	if parts {
		says |= x.whole(part)
	}
	return says
}

// sense is what a sentence speaks of, and what of that stands after a negation.
type sense struct{ all, denied concepts }

// senseOf is what the words of a sentence mean together.
func (x *lexicon) senseOf(b []byte, words []token) sense {
	var s conceptFinder
	for i := range words {
		t, says := &words[i], concepts(0)
		if word := b[t.start:t.end]; t.parts || !t.wide && x.mayBegin(t, word) {
			says = x.beginnings(word, t.parts)
		}
		s.take(x, t.word, says)
	}
	return s.sense
}

// conceptFinder takes in the words of a sentence, one by one.
type conceptFinder struct {
	sense
	near int       // how many words with a concept are still denied
	open [4]uint32 // several words that have begun
	n    int
}

// reachOfNegation is in words that have a concept.
const reachOfNegation = 3

// take adds a word, of which its beginnings are known.
func (s *conceptFinder) take(x *lexicon, word uint32, c concepts) {
	n := 0
	for i := 0; i <= s.n; i++ {
		h := uint32(afterWord)
		if i < s.n {
			h = s.open[i]
		}
		h = join(h, word)
		says := x.find(h)
		c |= says &^ goesOn
		if says&goesOn != 0 && n < len(s.open) {
			s.open[n] = h
			n++
		}
	}
	s.n = n
	if c == 0 {
		return
	}
	if s.near > 0 {
		s.denied |= c
	}
	s.near--
	if c&negation != 0 {
		s.near = reachOfNegation
	}
	s.all |= c
}
